// What constraints between bodies are made of: points and vectors of bodies as weighted sums of their nodes. Everything
// that looks at the assembly throws AssemblyError.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <livens/constraints.hpp>

#include "constraints/bilinear.hpp"

namespace livens {

// One of the bodies that a joint connects; -1 is the ground.
struct JointEnd {
  int body = -1;
  bool ground() const { return body < 0; }
};

// The bodies of these names, at least one of them not the ground.
std::vector<JointEnd> joint_ends(const Assembly& assembly, std::span<const std::string> bodies);

// The point of the body that is at X at the start: any point of a rigid body, a node of any other. `key` names X in
// messages.
AffinePoint point_of(const Assembly& assembly, const JointEnd& end, const Vec3& X, const std::string& key);
// The vector of the body that is D at the start; particles and solids have none.
AffinePoint vector_of(const Assembly& assembly, const JointEnd& end, const Vec3& D);

// Two unit vectors that with a unit vector along `axis` form a right-handed frame; the axis itself is the third.
std::array<Vec3, 3> frame_about(const Vec3& axis);

// k of penalties and augmented Lagrangians; 0 for multipliers.
double penalty_stiffness(const Enforcement& enforcement);
// Adds a constraint, or the penalty that replaces it. Frame indifference follows from the ends: none may be ground.
// `place`: where its reaction on the last body is reported. torque_free: Constraint::torque_free_between_steps.
void add_equations(Assembly& assembly, const std::string& name, std::vector<BilinearEquation> equations,
                   std::span<const JointEnd> ends, const AffinePoint& place, const Enforcement& enforcement,
                   bool torque_free = true);

// --- equations ------------------------------------------------------------------------------------------------------
// a = b, all components
void append_equal(const AffinePoint& a, const AffinePoint& b, std::vector<BilinearEquation>& equations);
// a . b stays what it is at the start q
void append_dot(const AffinePoint& a, const AffinePoint& b, ConstVector q, std::vector<BilinearEquation>& equations);

// What the joints have in common: both ends, the point on both, and a frame about the axis on both.
struct JointParts {
  std::vector<JointEnd> ends;
  std::array<AffinePoint, 2> point;
  std::array<std::array<AffinePoint, 3>, 2> frame;  // the axis is the third
};
JointParts joint_at(const Assembly& assembly, const std::array<std::string, 2>& bodies,
                    const Vec3& point);  // no frames
JointParts joint_about(const Assembly& assembly, const std::array<std::string, 2>& bodies, const Vec3& point,
                       const Vec3& axis);
// The axes stay on one line, along which the second point slides (4 equations).
void append_axis_in_common(const JointParts& joint, ConstVector q, std::vector<BilinearEquation>& equations);

}  // namespace livens
