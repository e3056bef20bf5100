// A Cardan joint: one point in common, and two axes that stay at a right angle, one in each body.
#include <cmath>

#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {

void add(Assembly& assembly, const Universal& joint, const std::string& name) {
  const JointParts parts = joint_about(assembly, joint.bodies, joint.point, joint.axis);
  const auto &first = joint.axis, &second = joint.second_axis;
  const double lengths = std::hypot(first[0], first[1], first[2]) * std::hypot(second[0], second[1], second[2]);
  const double along = first[0] * second[0] + first[1] * second[1] + first[2] * second[2];
  if (!(lengths > 0) || std::abs(along) > 1e-9 * lengths)
    throw AssemblyError("second_axis", "must be perpendicular to axis.");
  std::vector<BilinearEquation> equations;
  append_equal(parts.point[1], parts.point[0], equations);
  append_dot(parts.frame[0][2], vector_of(assembly, parts.ends[1], second), assembly.q, equations);
  add_equations(assembly, name, std::move(equations), parts.ends, parts.point[1], joint.enforcement);
}

ConstraintRecord universal_record() {
  ConstraintRecord record;
  record.name = "universal";
  record.brief =
      "Cardan joint: a point in common, one axis of each body perpendicular to that of the other (4 equations); in "
      "space only";
  record.parameters = with_enforcement(
      {bodies_key(), point_key(), axis_key(),
       required(of_length(
           key("second_axis", ValueType::vector, "-", "", "of the second body, perpendicular to the first"), {3}))});
  record.example =
      "constraint = [{ kind = 'universal', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 0, 0], "
      "second_axis = [0, 1, 1] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    add(assembly,
        Universal{bodies_of_joint<2>(settings), point_of_joint(settings, assembly), place_of(settings, "axis"),
                  place_of(settings, "second_axis"), enforcement_of(settings)},
        name);
  };
  return record;
}

}  // namespace livens
