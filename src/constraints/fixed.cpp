// Nodes that stay where they start, in all or some directions.
#include <array>

#include "constraints/joints.hpp"
#include "constraints/supports.hpp"
#include "model/selections.hpp"

namespace livens {
namespace {

// Two bodies that stay as they are to each other, or one to the ground.
void weld(const Settings& settings, const std::string& name, Assembly& assembly) {
  const auto ends = joint_ends(settings, 2, assembly);
  if (!ends) return;
  const JointEnd& last = (*ends)[1].ground() ? (*ends)[0] : (*ends)[1];
  const Body& body = assembly.parts.bodies[last.body];
  const Place3 X = body.rigid ? body.rigid->center : Place3{0, 0, 0};
  AffinePoint point[2];
  std::array<AffinePoint, 3> frame[2];
  const Place3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto vector = vector_of(settings, "bodies", (*ends)[side], axes[k], assembly);
      if (!vector) return;
      frame[side][k] = *vector;
      if (k == 0) point[side] = *point_of(settings, "bodies", (*ends)[side], X, assembly);
    }
  std::vector<BilinearEquation> equations;
  append_equal(point[1], point[0], equations);
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {2, 0}})
    append_dot(frame[0][i], frame[1][j], assembly.q, equations);
  add_constraint(settings, name, std::move(equations), *ends, point[1], assembly);
}

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  if (settings.given("bodies") == settings.given("selection"))
    settings.refuse("selection", "what is fixed? Give either a selection of nodes, or two bodies.");
  if (settings.given("bodies")) return weld(settings, name, assembly);
  Support support;
  support.name = name;
  for (const NodeSet& set : selected_nodes(settings, assembly)) {
    const Body& body = assembly.parts.bodies[set.body];
    std::vector<bool> components;
    if (!read_components(settings, body.dimension, components)) return;
    for (const int node : set.nodes)
      for (int c = 0; c < body.dimension; ++c)
        if (components[c]) support.coordinates.push_back(body.first + node * body.dimension + c);
  }
  if (!support.coordinates.empty()) add_support(settings, std::move(support), assembly);
}

}  // namespace

ConstraintRecord fixed_record() {
  ConstraintRecord record;
  record.name = "fixed";
  record.brief = "nodes that stay where they start, or two bodies fixed to each other (6 equations)";
  Parameter bodies = bodies_key("two rigid bodies that do not move relative to each other; \"ground\" is a body");
  bodies.required = false;
  record.parameters = with_enforcement(
      {key("selection", ValueType::name, "-", "", "nodes: a [[selection]], or body.group"),
       key("components", ValueType::text, "-", "xyz", "directions that are held: \"x\" makes a roller"), bodies});
  record.example = "constraint = [{ kind = 'fixed', bodies = ['a', 'b'] }]";
  record.add = add;
  return record;
}

}  // namespace livens
