// Springs and dampers between points of two bodies, each a weighted sum of nodes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <livens/affine.hpp>

#include "forces/spring.hpp"
#include "model/assembly.hpp"

namespace livens {

// W = k/2 e^2 + c/3 e^3 + q/4 e^4, e = |b - a| - rest
std::shared_ptr<const EnergyTerm> make_joint_spring(std::string name, const AffinePoint& a, const AffinePoint& b,
                                                    SpringLaw law, double rest, Invariance invariance);
// f_b = -coefficient (n.(v_b - v_a)) n, n = (b - a) / |b - a|, and the opposite at a
std::shared_ptr<const Force> make_joint_damper(std::string name, const AffinePoint& a, const AffinePoint& b,
                                               double coefficient, Invariance invariance);

// What `bodies` and `ends` of a spring or damper name; nothing with a fault.
struct SpringEnds {
  AffinePoint a, b;
  Invariance invariance;
  double length = 0;  // m, at the start
};
std::optional<SpringEnds> read_spring_ends(const Settings& settings, Assembly& assembly);

}  // namespace livens
