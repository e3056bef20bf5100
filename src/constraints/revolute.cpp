// A hinge: one point and one axis in common.
#include "constraints/joints.hpp"

namespace livens {

ConstraintRecord revolute_record() {
  ConstraintRecord record;
  record.name = "revolute";
  record.brief = "hinge: a point and an axis in common (5 equations)";
  record.parameters = with_enforcement({bodies_key(), point_key(), axis_key()});
  record.example =
      "constraint = [{ kind = 'revolute', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    const auto joint = read_joint(settings, true, assembly);
    if (!joint) return;
    std::vector<BilinearEquation> equations;
    append_equal(joint->point[1], joint->point[0], equations);
    for (std::size_t k : {0u, 1u})  // the axis of the second body stays across the other directions of the first
      append_dot(joint->frame[0][k], joint->frame[1][2], assembly.q, equations);
    add_constraint(settings, name, std::move(equations), joint->ends, joint->point[1], assembly);
  };
  return record;
}

}  // namespace livens
