// Steps that stop at impacts [F03]: a part of the step to the instant at which something touches, a reflection of the
// momentum there, and the rest of the step,
//
//   gap(q(tau)) = 0,   p+ = p- - (1 + e) (g.v) / (g'W g) M W g,   g = dgap/dq,
//
// W = M^-1 without constraints, with them the projection of M^-1 onto the velocities that they allow. The energy is
// exact at the wall. (F03 keeps the discrete energy of the two unequal parts of the step instead, whose distance to H
// is another at every hit.) Between hits it changes by h^2 times what a method changes H by, which reflections do not
// give back: where they change that, the energy walks by steps of h^2. Friction is an impulse along the velocity V that
// is left across the gap, -min(mu J, |V| / (t'W t)) t, t = V/|V|: in slip mu times the normal impulse J, a stop in
// stick.
//
// Hits of one step are taken in their order in time, at one instant in that of their numbers: an impact in the middle
// of a row of balls goes through the row.
#pragma once

#include <memory>
#include <string>

#include <livens/stepper.hpp>

namespace livens {

bool has_impacts(const Model& model);

// `stepper` itself for models without impacts.
std::unique_ptr<Stepper> make_impact_steps(std::unique_ptr<Stepper> stepper, const Model& model);

// Why impacts of a model cannot be stepped with; empty if they can.
std::string impact_refusal(const Model& model);

}  // namespace livens
