// Two points that stay together: a ball joint, or a pin for particles and nodes.
#include "constraints/joints.hpp"

namespace livens {

ConstraintRecord spherical_record() {
  ConstraintRecord record;
  record.name = "spherical";
  record.brief = "ball joint: a point of one body stays on a point of the other (3 equations)";
  record.parameters = with_enforcement({bodies_key(), point_key()});
  record.example = "constraint = [{ kind = 'spherical', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    const auto joint = read_joint(settings, false, assembly);
    if (!joint) return;
    std::vector<BilinearEquation> equations;
    append_equal(joint->point[1], joint->point[0], equations);
    add_constraint(settings, name, std::move(equations), joint->ends, joint->point[1], assembly);
  };
  return record;
}

}  // namespace livens
