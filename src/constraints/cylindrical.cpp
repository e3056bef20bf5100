// An axis in common along which and about which the bodies move.
#include "constraints/joints.hpp"

namespace livens {

ConstraintRecord cylindrical_record() {
  ConstraintRecord record;
  record.name = "cylindrical";
  record.brief = "rotates about an axis and slides along it (4 equations)";
  record.parameters = with_enforcement({bodies_key(), point_key(), axis_key()});
  record.example =
      "constraint = [{ kind = 'cylindrical', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    const auto joint = read_joint(settings, true, assembly);
    if (!joint) return;
    std::vector<BilinearEquation> equations;
    append_axis_in_common(*joint, assembly.q, equations);
    add_constraint(settings, name, std::move(equations), joint->ends, joint->point[1], assembly);
  };
  return record;
}

}  // namespace livens
