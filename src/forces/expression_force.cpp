// Forces and potentials of bodies that are written down: F(x, v, X, t) on every node, per mass, or per volume.
#include <algorithm>

#include <livens/forces.hpp>

#include "bodies/solid.hpp"
#include "elements/volume_points.hpp"
#include "forces/dead_load.hpp"
#include "forces/field_terms.hpp"
#include "mesh/core/topology.hpp"
#include "model/part_records.hpp"
#include "model/selections.hpp"

namespace livens {
namespace {

// A node each, weighing 1 or its mass.
void add_nodes(const NodeSet& set, Per per, const Assembly& assembly, FieldPoints& points) {
  const Body& body = assembly.parts.bodies[at(set.body)];
  if (body.rigid && per == Per::node)
    throw AssemblyError("per", "'" + body.name +
                                   "' is rigid and has no individual nodes: give the force per mass, or "
                                   "use `load`.");
  const std::vector<double> mass = assembly.row_masses();
  for (const int node : set.nodes) {
    const int first = body.first + node * body.dimension;
    points.nodes.push_back(first);
    points.N.push_back(1);
    points.weight.push_back(per == Per::mass ? mass[at(first)] : 1);
    points.X.emplace_back();
    for (int c = 0; c < body.dimension; ++c) points.X.back()[at(c)] = body.reference[at(node * body.dimension + c)];
  }
}

// The quadrature points of the elements all of whose nodes are selected.
void add_elements(const NodeSet& set, const Assembly& assembly, FieldPoints& points) {
  const Body& body = assembly.parts.bodies[at(set.body)];
  const SolidBody* solid = solid_of(assembly, set.body);
  if (solid == nullptr)
    throw AssemblyError("per", "'" + body.name +
                                   "' has no volume: per = \"volume\" is for solids; particles and "
                                   "rigid bodies have forces per \"mass\".");
  const Mesh& mesh = *solid->mesh;
  const std::vector<bool> marked = marks_of(set, body.nodes);
  const int n = nodes_of(mesh.kind);
  const std::size_t before = points.weight.size();
  for (int e = 0; e < mesh.elements(); ++e) {
    const int* node = mesh.element(e);
    if (!std::all_of(node, node + n, [&](int a) { return marked[at(a)]; })) continue;
    for (int a = 0; a < n; ++a) points.nodes.push_back(body.first + node[a] * body.dimension);
    for (const VolumePoint& point : volume_points(mesh, e)) {
      points.N.insert(points.N.end(), point.N.begin(), point.N.end());
      points.weight.push_back(point.volume * solid->thickness);
      points.X.push_back(point.X);
    }
  }
  if (points.weight.size() == before)
    throw AssemblyError("selection", "no element of '" + body.name + "' has all its nodes in the selection.");
}

// One set of points for all bodies of nodes, one for each solid whose volume is loaded: elements may differ in kind.
std::vector<std::shared_ptr<const FieldPoints>> points_of(const ExpressionForce& force, const Assembly& assembly) {
  std::vector<std::shared_ptr<FieldPoints>> all;
  for (const NodeSet& set : loaded_nodes(force.selection, force.body, assembly)) {
    if (all.empty() || force.per == Per::volume) all.push_back(std::make_shared<FieldPoints>());
    FieldPoints& points = *all.back();
    points.dimension = assembly.parts.bodies[at(set.body)].dimension;
    if (force.per != Per::volume) {
      add_nodes(set, force.per, assembly, points);
      continue;
    }
    add_elements(set, assembly, points);
    points.nodes_each = nodes_of(solid_of(assembly, set.body)->mesh->kind);
    points.points_each = static_cast<int>(points.weight.size()) / points.groups();
  }
  return {all.begin(), all.end()};
}

// Throws AssemblyError; what a space of fewer dimensions lacks is not known there.
Expression parsed(const std::string& text, const std::string& key, std::vector<std::string> variables, int dimension,
                  const ExpressionForce::Parameters& parameters) {
  try {
    const Expression expression = Expression::parse(text, variables, parameters);
    for (const std::size_t slot : expression.used_variables())
      for (std::size_t c = at(dimension); c < 3; ++c)
        if (variables[slot].back() == "xyz"[c] || variables[slot].back() == "XYZ"[c])
          throw AssemblyError(key, "in '" + text + "': the bodies are of " + std::to_string(dimension) +
                                       (dimension == 1 ? " dimension" : " dimensions") + ", there is no '" +
                                       variables[slot] + "'.");
    return expression;
  } catch (const ExpressionError& error) {
    const std::string message = "in '" + text + "': " + error.what();
    throw AssemblyError(key, message.back() == '?' ? message : message + ".");
  }
}

// Whether no component depends on where the body is or how it moves: then it is a dead load.
bool dead(const std::vector<Expression>& components) {
  return std::all_of(components.begin(), components.end(), [](const Expression& f) {
    const auto used = f.used_variables();
    return std::none_of(used.begin(), used.end(), [](std::size_t slot) { return slot < 6; });
  });
}

void add_dead(Assembly& assembly, const ExpressionForce& force, const FieldPoints& points, const std::string& name) {
  std::vector<LoadMode> modes;
  const std::size_t n = at(points.nodes_each), each = at(points.points_each);
  for (std::size_t c = 0; c < force.force.size(); ++c) {
    const auto f = std::make_shared<const LoadFunction>(force.force[c], force.parameters);
    if (f->steady() && f->uniform() && f->value({}, 0) == 0) continue;
    for (std::size_t g = 0; g < points.weight.size(); ++g) {
      if (g == 0 || !f->uniform()) modes.push_back({f, points.X[g], {}});
      for (std::size_t a = 0; a < n; ++a)
        modes.back().shares.emplace_back(points.nodes[g / each * n + a] + static_cast<int>(c),
                                         points.weight[g] * points.N[g * n + a]);
    }
  }
  add_dead_load(assembly, name, std::move(modes));
}

Per per_of(const std::string& text) { return text == "mass" ? Per::mass : text == "volume" ? Per::volume : Per::node; }

void read(const Settings& s, const std::string& name, Assembly& assembly) {
  ExpressionForce force;
  force.selection = given_text(s, "selection");
  force.body = given_text(s, "body");
  force.per = per_of(s.text("per"));
  if (s.given("force"))
    for (const Function& f : s.functions.at("force")) force.force.push_back(f.text());
  if (s.given("potential")) force.potential = s.function("potential").text();
  force.parameters = s.environment->parameters;
  add(assembly, force, name);
}

}  // namespace

void add(Assembly& assembly, const ExpressionForce& force, const std::string& name) {
  const int dimension = assembly.dimension();
  if (force.force.empty() == force.potential.empty())
    throw AssemblyError("", "needs either `force`, a list of expressions, or `potential`, one expression.");
  if (!force.force.empty() && static_cast<int>(force.force.size()) != dimension)
    throw AssemblyError("force", "expected " + std::to_string(dimension) +
                                     (dimension == 1 ? " component" : " components") + ", found " +
                                     std::to_string(force.force.size()) + ".");
  std::vector<Expression> components;
  for (const std::string& text : force.force)
    components.push_back(parsed(text, "force", field_force_variables(), dimension, force.parameters));
  Expression potential;
  if (!force.potential.empty())
    potential = parsed(force.potential, "potential", field_potential_variables(), dimension, force.parameters);
  for (const auto& points : points_of(force, assembly)) {
    if (!force.potential.empty())
      assembly.parts.terms.push_back(make_field_potential(name, points, potential));
    else if (dead(components))
      add_dead(assembly, force, *points, name);
    else
      assembly.parts.forces.push_back(make_field_force(name, points, components));
  }
}

ForceRecord expression_force_record() {
  ForceRecord record;
  record.name = "expression";
  record.brief =
      "your own force F(x, v, X, t) or potential U(x, X, t), on every node, per mass, or per volume of solids";
  record.parameters = where_keys();
  record.parameters.push_back(
      of_length(function_of(key("force", ValueType::functions, "N, N/kg, N/m^3", "",
                                "components; of the place x, y, z, its velocity vx, vy, vz, the reference place "
                                "X, Y, Z and t"),
                            field_force_variables()),
                {1, 2, 3}));
  record.parameters.push_back(
      function_of(key("potential", ValueType::function, "J, J/kg, J/m^3", "",
                      "or the potential whose negative gradient is the force; of x, y, z, X, Y, Z and t"),
                  field_potential_variables()));
  record.parameters.push_back(one_of(key("per", ValueType::name, "-", "node",
                                         "what force or potential are given for: each node, each kilogram, or each "
                                         "cubic metre of the reference shape"),
                                     {"node", "mass", "volume"}));
  record.add = read;
  return record;
}

}  // namespace livens
