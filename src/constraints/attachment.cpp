// Nodes of a solid, or particles, that are fixed to a rigid body.
#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {

void add(Assembly& assembly, const Attachment& joint, const std::string& name) {
  const auto& bodies = assembly.parts.bodies;
  const JointEnd carrier{assembly.body_index(joint.body)};
  if (carrier.ground() || !bodies[carrier.body].rigid)
    throw AssemblyError("body", "'" + joint.body + "' is not a rigid body.");
  const NodeSet set = selected_nodes(assembly, joint.selection);
  const Body& body = bodies[set.body];
  if (body.rigid)
    throw AssemblyError("selection", "needs nodes of a solid or particles; '" + body.name + "' is rigid. Use fixed.");
  std::vector<BilinearEquation> equations;
  AffinePoint place;
  for (const int node : set.nodes) {
    Vec3 X{0, 0, 0};
    AffinePoint own;
    for (int c = 0; c < body.dimension; ++c) {
      const int i = body.first + node * body.dimension + c;
      X[c] = assembly.q[i];
      own.push_back({0, {{i, 1.0}}});
    }
    const AffinePoint held = point_of(assembly, carrier, X, "body");
    append_equal(own, held, equations);
    if (place.empty()) place = held;
  }
  add_equations(assembly, name, std::move(equations), std::array{carrier, JointEnd{set.body}}, place,
                joint.enforcement);
}

ConstraintRecord attachment_record() {
  ConstraintRecord record;
  record.name = "attachment";
  record.brief =
      "nodes of a solid, or particles, that are fixed to a rigid body (3 equations per node; in the plane 2)";
  record.parameters = with_enforcement(
      {required(key("body", ValueType::name, "-", "", "the rigid body")),
       required(key("selection", ValueType::name, "-", "", "the nodes: a [[selection]], or body.group"))});
  record.example = "constraint = [{ kind = 'attachment', body = 'a', selection = 'dust.all' }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add(assembly, Attachment{settings.text("body"), settings.text("selection"), enforcement_of(settings)}, name);
  };
  return record;
}

}  // namespace livens
