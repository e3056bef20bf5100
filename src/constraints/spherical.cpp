// Two points that stay together: a ball joint, or a pin for particles and nodes.
#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {

void add(Assembly& assembly, const Spherical& joint, const std::string& name) {
  const JointParts parts = joint_at(assembly, joint.bodies, joint.point);
  std::vector<BilinearEquation> equations;
  append_equal(parts.point[1], parts.point[0], equations);
  add_equations(assembly, name, std::move(equations), parts.ends, parts.point[1], joint.enforcement);
}

ConstraintRecord spherical_record() {
  ConstraintRecord record;
  record.name = "spherical";
  record.brief = "ball joint: a point of one body stays on a point of the other (3 equations; in the plane 2, a pin)";
  record.parameters = with_enforcement({bodies_key(), point_key()});
  record.example = "constraint = [{ kind = 'spherical', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add(assembly, Spherical{bodies_of_joint<2>(settings), point_of_joint(settings, assembly), enforcement_of(settings)},
        name);
  };
  return record;
}

}  // namespace livens
