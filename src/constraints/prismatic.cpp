// A slider: the bodies move along an axis and do not turn against each other.
#include <cmath>

#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {
namespace {

// In the plane: the second point stays on the line of the first body, and so does the direction of the second.
std::vector<BilinearEquation> slide_in_plane(const Assembly& assembly, const JointParts& joint, const Vec3& axis) {
  const double length = std::hypot(axis[0], axis[1]);
  if (!(length > 0)) throw AssemblyError("axis", "has no length in the plane.");
  const Vec3 along{axis[0] / length, axis[1] / length, 0}, across{-along[1], along[0], 0};
  const AffinePoint normal = vector_of(assembly, joint.ends[0], across);
  std::vector<BilinearEquation> equations;
  append_dot(normal, joint.point[1] - joint.point[0], assembly.q, equations);
  append_dot(normal, vector_of(assembly, joint.ends[1], along), assembly.q, equations);
  return equations;
}

}  // namespace

void add(Assembly& assembly, const Prismatic& joint, const std::string& name) {
  if (assembly.dimension() == 2) {
    const JointParts parts = joint_at(assembly, joint.bodies, joint.point);
    return add_equations(assembly, name, slide_in_plane(assembly, parts, joint.axis), parts.ends, parts.point[1],
                         joint.enforcement);
  }
  const JointParts parts = joint_about(assembly, joint.bodies, joint.point, joint.axis);
  std::vector<BilinearEquation> equations;
  append_axis_in_common(parts, assembly.q, equations);
  append_dot(parts.frame[0][0], parts.frame[1][1], assembly.q, equations);
  add_equations(assembly, name, std::move(equations), parts.ends, parts.point[1], joint.enforcement);
}

ConstraintRecord prismatic_record() {
  ConstraintRecord record;
  record.name = "prismatic";
  record.brief = "slides along an axis without rotation (5 equations; in the plane 2)";
  Parameter axis = axis_key();
  axis.lengths = {2, 3};
  record.parameters = with_enforcement({bodies_key(), point_key(), axis});
  record.example =
      "constraint = [{ kind = 'prismatic', bodies = ['a', 'b'], point = [0.5, 0.1, 0.2], axis = [1, 2, 3] }]";
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    if (static_cast<int>(settings.vector("axis").size()) != assembly.dimension())
      settings.refuse("axis", "needs " + std::to_string(assembly.dimension()) + " components, as the bodies have.");
    add(assembly,
        Prismatic{bodies_of_joint<2>(settings), point_of_joint(settings, assembly), place_of(settings, "axis"),
                  enforcement_of(settings)},
        name);
  };
  return record;
}

}  // namespace livens
