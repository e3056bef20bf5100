// What constraints between bodies are made of: points and vectors of bodies as weighted sums of their nodes.
#pragma once

#include <array>
#include <optional>

#include "constraints/bilinear.hpp"
#include "math/expression.hpp"
#include "model/assembly.hpp"
#include "records/values.hpp"

namespace livens {

using Place3 = std::array<double, 3>;

// One of the bodies that a joint connects; -1 is the ground.
struct JointEnd {
  int body = -1;
  bool ground() const { return body < 0; }
};

// The bodies that `bodies` names, as many as asked for; nothing with a fault.
std::optional<std::vector<JointEnd>> joint_ends(const Settings& settings, std::size_t count, Assembly& assembly);

// The point of the body that is at X at the start: of a rigid body any, of others a node.
std::optional<AffinePoint> point_of(const Settings& settings, const std::string& key, const JointEnd& end,
                                    const Place3& X, Assembly& assembly);
// The vector of the body that is D at the start; particles and solids have none.
std::optional<AffinePoint> vector_of(const Settings& settings, const std::string& key, const JointEnd& end,
                                     const Place3& D, Assembly& assembly);

Place3 place_of(const Settings& settings, const std::string& key);

// Two unit vectors that with a unit vector along `axis` form a right-handed frame; the axis itself is the third.
std::array<Place3, 3> frame_about(const Place3& axis);
// The axis of a joint; nothing with a fault if it has no length.
std::optional<Place3> axis_of(const Settings& settings);

// Keys that all joints share.
Parameter bodies_key(const std::string& brief = "what it connects; \"ground\" is a body");
Parameter point_key();
Parameter axis_key();
Parameter ends_key(const std::string& brief);
// The keys enforcement and penalty_stiffness, which every constraint has.
std::vector<Parameter> with_enforcement(std::vector<Parameter> parameters);

// Adds a constraint, or the penalty that stands for it. Frame indifference follows from the ends: none may be ground.
// `place`: where its reaction on the last body is told.
void add_constraint(const Settings& settings, const std::string& name, std::vector<BilinearEquation> equations,
                    const std::vector<JointEnd>& ends, const AffinePoint& place, Assembly& assembly);
void add_constraint(const Settings& settings, std::shared_ptr<Constraint> constraint, Assembly& assembly);
// Whether the constraint is a penalty, and how stiff.
std::optional<double> penalty_of(const Settings& settings);

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
// The axes stay on one line, along which the second point slides (4 equations).
void append_axis_in_common(const JointParts& joint, ConstVector q, std::vector<BilinearEquation>& equations);
// Nothing with a fault. `oriented`: the frames are wanted, too.
std::optional<JointParts> read_joint(const Settings& settings, bool oriented, Assembly& assembly);

}  // namespace livens
