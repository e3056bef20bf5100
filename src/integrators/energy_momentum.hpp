// Steps by discrete derivatives (energy_momentum.cpp), for methods that share them.
#pragma once

#include <memory>

#include <livens/stepper.hpp>

#include "model/discrete_derivative.hpp"

namespace livens {

bool has_barrier(const Model& model);  // surfaces that are kept apart

// What the discrete gradient of contact leaves of the claims of a method: the map is not symplectic while something
// touches; friction takes the velocity at the end of a step, and restitution depends on which way surfaces go.
void add_contact_claims(const ModelClass& model, Claims& claims);

// Discrete derivatives of everything. A failed step with contact is halved: sets solver.retry_halvings.
std::unique_ptr<Stepper> make_energy_momentum(DerivativeForm form, SolverOptions& solver, const Model& model);

// The midpoint rule for everything but contact, which has its discrete gradient:
//
//   2 (M z/h - p0) + h [ dW(qm) + DB(q0, q1) - f(qm, z/h) ] = 0
//
// Both ends are free of intersections, which a barrier at qm would not do, and rebounds do not depend on the step.
// Failed steps are halved as above.
std::unique_ptr<Stepper> make_midpoint_with_contact(SolverOptions& solver, const Model& model);

}  // namespace livens
