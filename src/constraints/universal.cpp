// A Cardan joint: one point in common, and two axes that stay at a right angle, one in each body.
#include <cmath>

#include "constraints/joints.hpp"

namespace livens {

ConstraintRecord universal_record() {
  ConstraintRecord record;
  record.name = "universal";
  record.brief =
      "Cardan joint: a point in common, one axis of each body perpendicular to that of the other (4 equations)";
  record.parameters = with_enforcement(
      {bodies_key(), point_key(), axis_key(),
       required(of_length(
           key("second_axis", ValueType::vector, "-", "", "of the second body, perpendicular to the first"), {3}))});
  record.example =
      "constraint = [{ kind = 'universal', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 0, 0], "
      "second_axis = [0, 1, 1] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    const auto joint = read_joint(settings, true, assembly);
    if (!joint) return;
    const Place3 first = place_of(settings, "axis"), second = place_of(settings, "second_axis");
    const double lengths = std::hypot(first[0], first[1], first[2]) * std::hypot(second[0], second[1], second[2]);
    const double along = first[0] * second[0] + first[1] * second[1] + first[2] * second[2];
    if (!(lengths > 0) || std::abs(along) > 1e-9 * lengths)
      settings.refuse("second_axis", "must be perpendicular to axis.");
    const auto across = vector_of(settings, "bodies", joint->ends[1], second, assembly);
    if (!across) return;
    std::vector<BilinearEquation> equations;
    append_equal(joint->point[1], joint->point[0], equations);
    append_dot(joint->frame[0][2], *across, assembly.q, equations);
    add_constraint(settings, name, std::move(equations), joint->ends, joint->point[1], assembly);
  };
  return record;
}

}  // namespace livens
