// What every contact promises: its gradient is the difference of its energy, its discrete gradient takes exactly what
// the energy gives and is symmetric, what it claims of rigid motions is so from both sides, and its convex stand-in is
// positive semi-definite. One function per promise; the term is an argument, so that tests can give a wrong one.
#pragma once

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

// All laws of all examples of a kind; one that does not hold if there are none.
std::vector<LawResult> measure_contact(const std::string& kind);

}  // namespace livens::laws
