// An axis in common along which and about which the bodies move.
#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {

void add(Assembly& assembly, const Cylindrical& joint, const std::string& name) {
  const JointParts parts = joint_about(assembly, joint.bodies, joint.point, joint.axis);
  std::vector<BilinearEquation> equations;
  append_axis_in_common(parts, assembly.q, equations);
  add_equations(assembly, name, std::move(equations), parts.ends, parts.point[1], joint.enforcement);
}

ConstraintRecord cylindrical_record() {
  ConstraintRecord record;
  record.name = "cylindrical";
  record.brief = "rotates about an axis and slides along it (4 equations); in space only";
  record.parameters = with_enforcement({bodies_key(), point_key(), axis_key()});
  record.example =
      "constraint = [{ kind = 'cylindrical', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add(assembly,
        Cylindrical{bodies_of_joint<2>(settings), point_of_joint(settings, assembly), place_of(settings, "axis"),
                    enforcement_of(settings)},
        name);
  };
  return record;
}

}  // namespace livens
