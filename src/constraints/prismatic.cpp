// A slider: the bodies move along an axis and do not turn against each other.
#include "constraints/joints.hpp"

namespace livens {

ConstraintRecord prismatic_record() {
  ConstraintRecord record;
  record.name = "prismatic";
  record.brief = "slides along an axis without rotation (5 equations)";
  record.parameters = with_enforcement({bodies_key(), point_key(), axis_key()});
  record.example =
      "constraint = [{ kind = 'prismatic', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    const auto joint = read_joint(settings, true, assembly);
    if (!joint) return;
    std::vector<BilinearEquation> equations;
    append_axis_in_common(*joint, assembly.q, equations);
    append_dot(joint->frame[0][0], joint->frame[1][1], assembly.q, equations);
    add_constraint(settings, name, std::move(equations), joint->ends, joint->point[1], assembly);
  };
  return record;
}

}  // namespace livens
