// Dead loads: traction on a part of the surface, and a resultant with a moment on a selection.
#include <algorithm>
#include <array>

#include <livens/forces.hpp>

#include "bodies/solid.hpp"
#include "forces/dead_load.hpp"
#include "forces/torque.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"
#include "model/part_records.hpp"
#include "model/selections.hpp"

namespace livens {
namespace {

using Functions = std::vector<std::shared_ptr<const LoadFunction>>;  // shared by the modes

Functions components_of(const std::vector<LoadFunction>& load, const std::string& key, int wanted) {
  if (static_cast<int>(load.size()) != wanted)
    throw AssemblyError(key, "expected " + std::to_string(wanted) + (wanted == 1 ? " component" : " components") +
                                 ", found " + std::to_string(load.size()) + ".");
  Functions functions;
  for (const LoadFunction& f : load) functions.push_back(std::make_shared<const LoadFunction>(f));
  return functions;
}

// --- traction --------------------------------------------------------------------------------------------------------

// One mode per facet point and component: f_c(X_g, t) weighs area_g N_a(X_g) on the nodes.
void add_facet(const SolidBody& solid, const Body& body, int facet, const Functions& f, std::vector<LoadMode>& modes) {
  const int n = solid.surface().facets.nodes_each, dim = body.dimension;
  const int* node = &solid.surface().facets.nodes[at(facet * n)];
  for (const FacetPoint& point : facet_points(solid, facet)) {
    LoadMode mode;
    for (int k = 0; k < n; ++k)
      for (int c = 0; c < dim; ++c) mode.X[at(c)] += point.N[at(k)] * body.reference[at(node[k] * dim + c)];
    for (int c = 0; c < dim; ++c) {
      LoadMode one = mode;
      one.f = f[at(c)];
      for (int k = 0; k < n; ++k)
        if (point.N[at(k)] != 0) one.shares.emplace_back(body.first + node[k] * dim + c, point.area * point.N[at(k)]);
      modes.push_back(std::move(one));
    }
  }
}

// Curved facets have many points. Where f is the same at all of them, they become one mode a component.
void add_curved_facet(const SolidBody& solid, const Body& body, int facet, const Functions& f,
                      std::vector<LoadMode>& modes) {
  if (std::any_of(f.begin(), f.end(), [](const auto& component) { return !component->uniform(); }))
    return add_facet(solid, body, facet, f, modes);
  const int n = solid.surface().facets.nodes_each, dim = body.dimension;
  const int* node = &solid.surface().facets.nodes[at(facet * n)];
  std::array<double, 6> area{};  // integral of N_a
  for (const FacetPoint& point : facet_points(solid, facet))
    for (int k = 0; k < n; ++k) area[at(k)] += point.area * point.N[at(k)];
  for (int c = 0; c < dim; ++c) {
    LoadMode one;
    one.f = f[at(c)];
    for (int k = 0; k < n; ++k) one.shares.emplace_back(body.first + node[k] * dim + c, area[at(k)]);
    modes.push_back(std::move(one));
  }
}

void add_tractions(const Traction& load, const NodeSet& set, const Assembly& assembly, std::vector<LoadMode>& modes) {
  const Body& body = assembly.parts.bodies[at(set.body)];
  const SolidBody* solid = solid_of(assembly, set.body);
  if (solid == nullptr)
    throw AssemblyError("selection", "body '" + body.name + "' has no surface: a traction acts on solids.");
  const Functions f = components_of(load.traction, "traction", body.dimension);
  const std::vector<bool> marked = marks_of(set, body.nodes);
  const SolidSurface& surface = solid->surface();
  const int n = surface.facets.nodes_each;
  const std::size_t before = modes.size();
  for (int facet = 0; facet < surface.facets.count(); ++facet) {
    const int* node = &surface.facets.nodes[at(facet * n)];
    if (!std::all_of(node, node + n, [&](int a) { return marked[at(a)]; })) continue;
    straight_facet(*solid, facet) ? add_facet(*solid, body, facet, f, modes)
                                  : add_curved_facet(*solid, body, facet, f, modes);
  }
  if (modes.size() == before)
    throw AssemblyError("selection",
                        "no facet of the boundary of '" + body.name + "' has all its nodes in the selection.");
}

// --- resultant and moment --------------------------------------------------------------------------------------------

// Parts of the whole: by the area of the boundary facets inside the selection, or by mass if there are none.
std::vector<double> shares_of(const NodeSet& set, const Assembly& assembly) {
  const Body& body = assembly.parts.bodies[at(set.body)];
  std::vector<double> weight(at(body.nodes), 0.0);
  double total = 0;
  if (const SolidBody* solid = solid_of(assembly, set.body)) {
    weight = nodal_areas(*solid, marks_of(set, body.nodes));
    for (const double w : weight) total += w;
  }
  if (total == 0) {
    const std::vector<double> mass = assembly.row_masses();
    for (const int node : set.nodes) total += weight[at(node)] = mass[at(body.first + node * body.dimension)];
  }
  std::vector<double> shares;
  for (const int node : set.nodes) shares.push_back(weight[at(node)] / total);
  return shares;
}

void check_uniform(const std::vector<LoadFunction>& load, const std::string& key) {
  for (const LoadFunction& f : load)
    if (!f.uniform())
      throw AssemblyError(key, "is one for the whole selection: it depends on t alone, not on X, Y, Z.");
}

void add_resultant(const Load& load, const NodeSet& set, const Assembly& assembly, std::vector<LoadMode>& modes) {
  if (load.total_force.empty()) return;
  const Body& body = assembly.parts.bodies[at(set.body)];
  const Functions f = components_of(load.total_force, "total_force", body.dimension);
  check_uniform(load.total_force, "total_force");
  const std::vector<double> shares = shares_of(set, assembly);
  for (int c = 0; c < body.dimension; ++c) {
    LoadMode mode;
    mode.f = f[at(c)];
    for (std::size_t k = 0; k < set.nodes.size(); ++k)
      mode.shares.emplace_back(body.first + set.nodes[k] * body.dimension + c, shares[k]);
    modes.push_back(std::move(mode));
  }
}

using Arm = std::array<double, 3>;

// theta with I theta = unit vector of the axis; false if I is singular. In the plane only I_zz counts.
bool rotation_of(const std::vector<Arm>& r, const std::vector<double>& shares, std::size_t axis, int dim, Arm& theta) {
  double I[3][3] = {}, trace = 0;
  for (std::size_t k = 0; k < r.size(); ++k) {
    const double rr = r[k][0] * r[k][0] + r[k][1] * r[k][1] + r[k][2] * r[k][2];
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) I[a][b] += shares[k] * ((a == b ? rr : 0) - r[k][a] * r[k][b]);
  }
  theta = {0, 0, 0};
  if (dim == 2) return theta[2] = 1 / I[2][2], I[2][2] > 0;
  Arm cofactor{};  // row `axis` of the adjugate; I is symmetric
  for (std::size_t b = 0; b < 3; ++b) {
    trace += I[b][b];
    const std::size_t a1 = (axis + 1) % 3, a2 = (axis + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
    cofactor[b] = I[a1][b1] * I[a2][b2] - I[a1][b2] * I[a2][b1];
  }
  const double det = I[axis][0] * cofactor[0] + I[axis][1] * cofactor[1] + I[axis][2] * cofactor[2];
  for (std::size_t b = 0; b < 3; ++b) theta[b] = cofactor[b] / det;
  return det > 1e-12 * trace * trace * trace;
}

// Forces w_a theta x r_a, r from the weighted centroid: no resultant, and the moment I theta with
// I = sum w_a (r^2 1 - r r'). The torque tau needs theta = I^-1 tau.
void add_dead_couple(const Functions& f, const std::string& key, const NodeSet& set, const Assembly& assembly,
                     std::vector<LoadMode>& modes) {
  const Body& body = assembly.parts.bodies[at(set.body)];
  const int dim = body.dimension;
  const std::vector<double> shares = shares_of(set, assembly);
  std::vector<Arm> r;
  Arm centre{0, 0, 0};
  for (std::size_t k = 0; k < set.nodes.size(); ++k) {
    r.push_back({0, 0, 0});
    for (int c = 0; c < dim; ++c) r.back()[at(c)] = body.reference[at(set.nodes[k] * dim + c)];
    for (std::size_t c = 0; c < 3; ++c) centre[c] += shares[k] * r.back()[c];
  }
  for (Arm& arm : r)
    for (std::size_t c = 0; c < 3; ++c) arm[c] -= centre[c];
  for (std::size_t axis = 0; axis < f.size(); ++axis) {
    if (f[axis]->steady() && f[axis]->value({}, 0) == 0) continue;
    Arm theta;
    if (!rotation_of(r, shares, dim == 3 ? axis : 2, dim, theta))
      throw AssemblyError(key, "the selected nodes lie on one line or at one point and cannot carry it.");
    LoadMode mode;
    mode.f = f[axis];
    for (std::size_t k = 0; k < r.size(); ++k)
      for (int c = 0; c < dim; ++c) {
        const std::size_t a = at((c + 1) % 3), b = at((c + 2) % 3);
        mode.shares.emplace_back(body.first + set.nodes[k] * dim + c,
                                 shares[k] * (theta[a] * r[k][b] - theta[b] * r[k][a]));
      }
    modes.push_back(std::move(mode));
  }
}

// Three functions of time, in the plane one.
Functions moment_of(const std::vector<LoadFunction>& load, const std::string& key, int dimension) {
  if (dimension < 2) throw AssemblyError(key, "there is none in one dimension.");
  check_uniform(load, key);
  return components_of(load, key, dimension == 3 ? 3 : 1);
}

void add_torque(const Functions& tau, const std::string& name, const Body& body, Assembly& assembly) {
  std::vector<int> coordinates(at(body.size()));
  std::iota(coordinates.begin(), coordinates.end(), body.first);
  const std::vector<double> rows = assembly.row_masses();
  std::vector<double> mass;
  for (int a = 0; a < body.nodes; ++a) mass.push_back(rows[at(body.first + a * body.dimension)]);
  assembly.parts.forces.push_back(
      std::make_shared<Torque>(name, std::move(coordinates), std::move(mass), body.dimension, tau));
}

void add_moments(const Load& load, const NodeSet& set, const std::string& name, Assembly& assembly,
                 std::vector<LoadMode>& modes) {
  const Body& body = assembly.parts.bodies[at(set.body)];
  if (!load.dead_couple.empty()) {
    const Functions couple = moment_of(load.dead_couple, "dead_couple", body.dimension);
    add_dead_couple(couple, "dead_couple", set, assembly, modes);
  }
  if (load.torque.empty()) return;
  const Functions tau = moment_of(load.torque, "torque", body.dimension);
  if (body.rigid)
    add_torque(tau, name, body, assembly);
  else
    add_dead_couple(tau, "torque", set, assembly, modes);
}

// The components of a load as a scene writes them.
std::vector<LoadFunction> read_load(const Settings& settings, const std::string& key) {
  std::vector<LoadFunction> load;
  if (!settings.given(key)) return load;
  for (const Function& f : settings.functions.at(key))
    load.push_back(f.constant() ? LoadFunction(f.value()) : LoadFunction(f.text(), settings.environment->parameters));
  return load;
}

}  // namespace

void add(Assembly& assembly, const Traction& traction, const std::string& name) {
  std::vector<LoadMode> modes;
  for (const NodeSet& set : loaded_nodes(traction.selection, traction.body, assembly))
    add_tractions(traction, set, assembly, modes);
  add_dead_load(assembly, name, std::move(modes));
}

void add(Assembly& assembly, const Load& load, const std::string& name) {
  if (load.total_force.empty() && load.torque.empty() && load.dead_couple.empty())
    throw AssemblyError("", "has neither total_force nor torque.");
  std::vector<LoadMode> modes;
  for (const NodeSet& set : loaded_nodes(load.selection, load.body, assembly)) {
    add_resultant(load, set, assembly, modes);
    add_moments(load, set, name, assembly, modes);
  }
  add_dead_load(assembly, name, std::move(modes));
}

ForceRecord traction_record() {
  ForceRecord record;
  record.name = "traction";
  record.brief = "dead load per area of the reference surface, on the boundary facets inside the selection";
  record.parameters = where_keys();
  record.parameters.push_back(required(of_length(
      function_of(key("traction", ValueType::functions, "Pa", "", "force per reference area"), {"X", "Y", "Z", "t"}),
      {2, 3})));
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly, Traction{given_text(s, "selection"), given_text(s, "body"), read_load(s, "traction")}, name);
  };
  return record;
}

ForceRecord load_record() {
  ForceRecord record;
  record.name = "load";
  record.brief =
      "a resultant or moment, shared over the selected nodes by the area of the boundary facets inside the selection, "
      "or by mass if there are none: dead loads, but for the torque on a rigid body";
  record.parameters = where_keys();
  record.parameters.push_back(of_length(
      function_of(key("total_force", ValueType::functions, "N", "", "resultant, on each body"), {"X", "Y", "Z", "t"}),
      {1, 2, 3}));
  record.parameters.push_back(of_length(
      function_of(key("torque", ValueType::functions, "N m", "",
                      "in the axes of the world; in 2D one number. It follows a rigid body: power torque . omega; on "
                      "other nodes as dead_couple"),
                  {"X", "Y", "Z", "t"}),
      {1, 3}));
  record.parameters.push_back(of_length(
      function_of(key("dead_couple", ValueType::functions, "N m", "",
                      "moment of forces about the centroid of the selection in the reference shape, where they stay as "
                      "they are while the nodes turn: the moment that is left then is another; in 2D one number"),
                  {"X", "Y", "Z", "t"}),
      {1, 3}));
  record.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    add(assembly,
        Load{given_text(s, "selection"), given_text(s, "body"), read_load(s, "total_force"), read_load(s, "torque"),
             read_load(s, "dead_couple")},
        name);
  };
  return record;
}

}  // namespace livens
