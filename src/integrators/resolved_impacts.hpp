// Steps that are halved where an impact loses energy (contact/restitution.hpp). Between the ends of a step a contact
// may turn round, so that what it had stored is never released within a step: gaps change by no more than a small part
// of themselves in each piece then. Other steps, and those whose contacts are at rest, stay as they are.
#pragma once

#include <functional>
#include <memory>

#include <livens/stepper.hpp>

namespace livens {

// travel: the largest change of a gap in the last step, over the gap; 0 if nothing touches. Pieces of a step whose
// solve fails are halved, too.
std::unique_ptr<Stepper> make_resolved_impacts(std::unique_ptr<Stepper> stepper, std::function<double()> travel);

}  // namespace livens
