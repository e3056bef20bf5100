// What every contact promises: its gradient is the difference of its energy, its discrete gradient takes exactly what
// the energy gives and is symmetric, what it claims of rigid motions is so from both sides, and its convex stand-in is
// positive semi-definite. Of barriers with losses: friction takes energy and never gives any, is at most mu times the
// force that presses, and has no force and no moment where nothing outside is touched; restitution keeps 1 - e^2 of
// what is released, and the discrete gradient takes just so much more than the energy gives. One function per promise;
// the term, or what a step loses, is an argument, so that tests can give a wrong one.
#pragma once

#include <functional>

#include <livens/laws.hpp>

#include "laws/contact_examples.hpp"

namespace livens::laws {

LawResult contact_gradient_law(const ContactProblem& problem, const EnergyTerm& term);
LawResult contact_work_law(const ContactProblem& problem, const EnergyTerm& term);
LawResult contact_symmetry_law(const ContactProblem& problem, const EnergyTerm& term);
enum class RigidMotion { translations, rotations };
LawResult contact_invariance_law(const ContactProblem& problem, const EnergyTerm& term, RigidMotion motion,
                                 bool claimed);
// exact: of the second derivatives instead of their stand-in, which need not be convex.
LawResult contact_convexity_law(const ContactProblem& problem, const EnergyTerm& term, bool exact = false);

struct LossyStep {
  const std::vector<double>&x, &y, &v1;  // its ends, and the velocities at the second one
  double h;                              // s
};
struct ContactLoss {
  std::vector<double> friction;  // N
  double share = 0;              // of all contacts the largest friction over mu times the force that presses
  double work = 0;               // J, of the discrete gradient along the step
  double withheld = 0;           // J, by restitution
};
using ContactLossOf = std::function<ContactLoss(const EnergyTerm&, const LossyStep&)>;
ContactLoss contact_loss(const EnergyTerm& term, const LossyStep& step);
// The example with friction and a restitution e.
ContactProblem with_losses(const ContactExample& example, double e);
LawResult contact_friction_law(const ContactProblem& lossy, const ContactLossOf& loss = contact_loss);
LawResult contact_friction_balance_law(const ContactProblem& lossy, const ContactLossOf& loss = contact_loss);
LawResult contact_restitution_law(const ContactExample& example, const ContactLossOf& loss = contact_loss);

// All laws of all examples of a kind; one that does not hold if there are none.
std::vector<LawResult> measure_contact(const std::string& kind);

}  // namespace livens::laws
