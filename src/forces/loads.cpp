// The records of dead loads: traction on a part of the surface, and a resultant with a moment on a selection.
#include <algorithm>
#include <array>

#include "bodies/solid.hpp"
#include "forces/dead_load.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"
#include "model/selections.hpp"

namespace livens {
namespace {

using Functions = std::vector<std::shared_ptr<const Expression>>;

std::vector<double> reference_of(const Assembly& assembly) {
  std::vector<double> reference = assembly.q;
  for (const Body& body : assembly.parts.bodies)
    for (int i = 0; i < body.size(); ++i) reference[at(body.first + i)] = body.reference[at(i)];
  return reference;
}

bool read_functions(const Settings& settings, const std::string& key, int wanted, Functions& functions) {
  functions = settings.functions.at(key);
  if (static_cast<int>(functions.size()) == wanted) return true;
  settings.refuse(key, "expected " + std::to_string(wanted) + (wanted == 1 ? " component" : " components") +
                           ", found " + std::to_string(functions.size()) + ".");
}

// --- traction --------------------------------------------------------------------------------------------------------

struct FacetPoint {
  double weight;  // of the facet's area
  double N[6];    // shape functions of its nodes
};

// Midsides of triangles (degree 2); Simpson's rule on edges.
std::vector<FacetPoint> facet_rule(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3: return {{1.0 / 6, {1, 0}}, {1.0 / 6, {0, 1}}, {2.0 / 3, {0.5, 0.5}}};
    case ElementKind::tri6: return {{1.0 / 6, {1, 0, 0}}, {1.0 / 6, {0, 1, 0}}, {2.0 / 3, {0, 0, 1}}};
    case ElementKind::tet4: return {{1.0 / 3, {0.5, 0.5, 0}}, {1.0 / 3, {0, 0.5, 0.5}}, {1.0 / 3, {0.5, 0, 0.5}}};
    case ElementKind::tet10: break;
  }
  return {{1.0 / 3, {0, 0, 0, 1, 0, 0}}, {1.0 / 3, {0, 0, 0, 0, 1, 0}}, {1.0 / 3, {0, 0, 0, 0, 0, 1}}};
}

// One mode a facet point and component: f_c(X_g, t) weighs area w_g N_a(X_g) on the nodes.
void add_facet(const SolidBody& solid, const Body& body, int facet, const Functions& f, std::vector<LoadMode>& modes) {
  const SolidSurface& surface = solid.surface();
  const int n = surface.facets.nodes_each, dim = body.dimension;
  const int* node = &surface.facets.nodes[at(facet * n)];
  for (const FacetPoint& point : facet_rule(solid.mesh->kind)) {
    LoadMode mode;
    for (int k = 0; k < n; ++k)
      for (int c = 0; c < dim; ++c) mode.X[at(c)] += point.N[k] * body.reference[at(node[k] * dim + c)];
    for (int c = 0; c < dim; ++c) {
      LoadMode one = mode;
      one.f = f[at(c)];
      for (int k = 0; k < n; ++k)
        if (point.N[k] != 0)
          one.shares.emplace_back(body.first + node[k] * dim + c, surface.area[at(facet)] * point.weight * point.N[k]);
      modes.push_back(std::move(one));
    }
  }
}

bool add_tractions(const Settings& settings, const NodeSet& set, Assembly& assembly, std::vector<LoadMode>& modes) {
  const Body& body = assembly.parts.bodies[at(set.body)];
  const SolidBody* solid = solid_of(assembly, set.body);
  if (solid == nullptr)
    settings.refuse("selection", "body '" + body.name + "' has no surface: a traction acts on solids.");
  Functions f;
  if (!read_functions(settings, "traction", body.dimension, f)) return false;
  const std::vector<bool> marked = marks_of(set, body.nodes);
  const SolidSurface& surface = solid->surface();
  const int n = surface.facets.nodes_each;
  const std::size_t before = modes.size();
  for (int facet = 0; facet < surface.facets.count(); ++facet) {
    const int* node = &surface.facets.nodes[at(facet * n)];
    if (std::all_of(node, node + n, [&](int a) { return marked[at(a)]; })) add_facet(*solid, body, facet, f, modes);
  }
  if (modes.size() > before) return true;
  settings.refuse("selection", "no facet of the boundary of '" + body.name + "' has all its nodes in the selection.");
}

void add_traction(const Settings& settings, const std::string& name, Assembly& assembly) {
  std::vector<LoadMode> modes;
  for (const NodeSet& set : selected_nodes(settings, assembly))
    if (!add_tractions(settings, set, assembly, modes)) return;
  if (!modes.empty())
    assembly.parts.terms.push_back(std::make_shared<DeadLoad>(name, std::move(modes), reference_of(assembly)));
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

bool same_everywhere(const Settings& settings, const std::string& key, const Functions& functions) {
  for (const auto& f : functions)
    if (f->uses(0) || f->uses(1) || f->uses(2))
      settings.refuse(key, "is one for the whole selection: it depends on t alone, not on X, Y, Z.");
  return true;
}

bool add_resultant(const Settings& settings, const NodeSet& set, Assembly& assembly, std::vector<LoadMode>& modes) {
  if (!settings.given("total_force")) return true;
  const Body& body = assembly.parts.bodies[at(set.body)];
  Functions f;
  if (!read_functions(settings, "total_force", body.dimension, f)) return false;
  if (!same_everywhere(settings, "total_force", f)) return false;
  const std::vector<double> shares = shares_of(set, assembly);
  for (int c = 0; c < body.dimension; ++c) {
    LoadMode mode;
    mode.f = f[at(c)];
    for (std::size_t k = 0; k < set.nodes.size(); ++k)
      mode.shares.emplace_back(body.first + set.nodes[k] * body.dimension + c, shares[k]);
    modes.push_back(std::move(mode));
  }
  return true;
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
bool add_moment(const Settings& settings, const NodeSet& set, Assembly& assembly, std::vector<LoadMode>& modes) {
  if (!settings.given("torque")) return true;
  const Body& body = assembly.parts.bodies[at(set.body)];
  const int dim = body.dimension;
  if (dim < 2) settings.refuse("torque", "there is none in one dimension.");
  Functions f;
  if (!read_functions(settings, "torque", dim == 3 ? 3 : 1, f)) return false;
  if (!same_everywhere(settings, "torque", f)) return false;
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
    if (f[axis]->constant() && f[axis]->value() == 0) continue;
    Arm theta;
    if (!rotation_of(r, shares, dim == 3 ? axis : 2, dim, theta))
      settings.refuse("torque", "the selected nodes lie on one line or at one point and cannot carry it.");
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
  return true;
}

void add_load(const Settings& settings, const std::string& name, Assembly& assembly) {
  if (!settings.given("total_force") && !settings.given("torque"))
    settings.refuse("", "has neither total_force nor torque.");
  std::vector<LoadMode> modes;
  for (const NodeSet& set : selected_nodes(settings, assembly))
    if (!add_resultant(settings, set, assembly, modes) || !add_moment(settings, set, assembly, modes)) return;
  if (!modes.empty())
    assembly.parts.terms.push_back(std::make_shared<DeadLoad>(name, std::move(modes), reference_of(assembly)));
}

std::vector<Parameter> where_keys() {
  return {key("selection", ValueType::name, "-", "", "a [[selection]], or body.group"),
          key("body", ValueType::name, "-", "", "or all of a body; default: all bodies")};
}

}  // namespace

ForceRecord traction_record() {
  ForceRecord record;
  record.name = "traction";
  record.brief = "dead load per area of the reference surface, on the boundary facets inside the selection";
  record.parameters = where_keys();
  record.parameters.push_back(required(of_length(
      function_of(key("traction", ValueType::functions, "Pa", "", "force per reference area"), {"X", "Y", "Z", "t"}),
      {2, 3})));
  record.add = add_traction;
  return record;
}

ForceRecord load_record() {
  ForceRecord record;
  record.name = "load";
  record.brief =
      "dead load of a given resultant or moment, shared over the selected nodes by the area of the boundary facets "
      "inside the selection, or by mass if there are none";
  record.parameters = where_keys();
  record.parameters.push_back(of_length(
      function_of(key("total_force", ValueType::functions, "N", "", "resultant, on each body"), {"X", "Y", "Z", "t"}),
      {1, 2, 3}));
  record.parameters.push_back(
      of_length(function_of(key("torque", ValueType::functions, "N m", "",
                                "moment about the centroid of the selection in the reference shape; in 2D one number"),
                            {"X", "Y", "Z", "t"}),
                {1, 3}));
  record.add = add_load;
  return record;
}

}  // namespace livens
