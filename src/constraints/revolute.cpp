// A hinge: one point and one axis in common; in the plane a pin, about z.
#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {

void add(Assembly& assembly, const Revolute& joint, const std::string& name) {
  const bool plane = assembly.dimension() == 2;
  if (plane && (joint.axis[0] != 0 || joint.axis[1] != 0))
    throw AssemblyError("axis", "in the plane bodies turn about z: leave it out.");
  const JointParts parts = plane ? joint_at(assembly, joint.bodies, joint.point)
                                 : joint_about(assembly, joint.bodies, joint.point, joint.axis);
  std::vector<BilinearEquation> equations;
  append_equal(parts.point[1], parts.point[0], equations);
  for (std::size_t k = 0; k < 2 && !plane;
       ++k)  // the axis of the second body stays across the other directions of the first
    append_dot(parts.frame[0][k], parts.frame[1][2], assembly.q, equations);
  add_equations(assembly, name, std::move(equations), parts.ends, parts.point[1], joint.enforcement);
}

ConstraintRecord revolute_record() {
  ConstraintRecord record;
  record.name = "revolute";
  record.brief = "hinge: a point and an axis in common (5 equations; in the plane 2)";
  record.parameters = with_enforcement({bodies_key(), point_key(), axis_of_space_key()});
  record.example =
      "constraint = [{ kind = 'revolute', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add(assembly,
        Revolute{bodies_of_joint<2>(settings), point_of_joint(settings, assembly), axis_of_space(settings, assembly),
                 enforcement_of(settings)},
        name);
  };
  return record;
}

}  // namespace livens
