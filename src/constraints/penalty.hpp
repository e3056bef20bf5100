// Constraints as potentials, W = k/2 |g|^2.
#pragma once

#include <memory>

#include "constraints/bilinear.hpp"

namespace livens {

std::shared_ptr<const EnergyTerm> make_penalty(std::shared_ptr<const Constraint> constraint, double stiffness);

// W = k/2 |a x b|^2 of two vectors: the penalty of three points in line. Its discrete derivative is taken in the
// invariants a.a, b.b, a.b, of which it is a quadratic function, so that it keeps energy and all momenta.
std::shared_ptr<const EnergyTerm> make_alignment_penalty(std::string name, AffinePoint a, AffinePoint b,
                                                         Invariance invariance, double stiffness);

}  // namespace livens
