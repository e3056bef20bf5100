// Nodes of a solid, or particles, that are fixed to a rigid body.
#include "constraints/joints.hpp"
#include "model/selections.hpp"

namespace livens {
namespace {

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  std::vector<JointEnd> ends(1);
  const auto& bodies = assembly.parts.bodies;
  for (std::size_t k = 0; k < bodies.size(); ++k)
    if (bodies[k].name == settings.text("body")) ends[0].body = static_cast<int>(k);
  if (ends[0].ground() || !bodies[ends[0].body].rigid)
    settings.refuse("body", "'" + settings.text("body") + "' is not a rigid body.");
  std::vector<BilinearEquation> equations;
  AffinePoint place;
  for (const NodeSet& set : selected_nodes(settings, assembly)) {
    const Body& body = bodies[set.body];
    if (body.rigid)
      settings.refuse("selection", "needs nodes of a solid or particles; '" + body.name + "' is rigid. Use fixed.");
    ends.push_back({set.body});
    for (const int node : set.nodes) {
      Place3 X{0, 0, 0};
      AffinePoint own;
      for (int c = 0; c < body.dimension; ++c) {
        const int i = body.first + node * body.dimension + c;
        X[c] = assembly.q[i];
        own.push_back({0, {{i, 1.0}}});
      }
      const auto carrier = point_of(settings, "body", ends[0], X, assembly);
      if (!carrier) return;
      append_equal(own, *carrier, equations);
      if (place.empty()) place = *carrier;
    }
  }
  if (!equations.empty()) add_constraint(settings, name, std::move(equations), ends, place, assembly);
}

}  // namespace

ConstraintRecord attachment_record() {
  ConstraintRecord record;
  record.name = "attachment";
  record.brief = "nodes of a solid, or particles, that are fixed to a rigid body (3 equations per node)";
  record.parameters = with_enforcement(
      {required(key("body", ValueType::name, "-", "", "the rigid body")),
       required(key("selection", ValueType::name, "-", "", "the nodes: a [[selection]], or body.group"))});
  record.example = "constraint = [{ kind = 'attachment', body = 'a', selection = 'dust.all' }]";
  record.add = add;
  return record;
}

}  // namespace livens
