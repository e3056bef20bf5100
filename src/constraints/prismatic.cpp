// A slider: the bodies move along an axis and do not turn against each other.
#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {

void add(Assembly& assembly, const Prismatic& joint, const std::string& name) {
  const JointParts parts = joint_about(assembly, joint.bodies, joint.point, joint.axis);
  std::vector<BilinearEquation> equations;
  append_axis_in_common(parts, assembly.q, equations);
  append_dot(parts.frame[0][0], parts.frame[1][1], assembly.q, equations);
  add_equations(assembly, name, std::move(equations), parts.ends, parts.point[1], joint.enforcement);
}

ConstraintRecord prismatic_record() {
  ConstraintRecord record;
  record.name = "prismatic";
  record.brief = "slides along an axis without rotation (5 equations)";
  record.parameters = with_enforcement({bodies_key(), point_key(), axis_key()});
  record.example =
      "constraint = [{ kind = 'prismatic', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add(assembly,
        Prismatic{bodies_of_joint<2>(settings), point_of_joint(settings, assembly), place_of(settings, "axis"),
                  enforcement_of(settings)},
        name);
  };
  return record;
}

}  // namespace livens
