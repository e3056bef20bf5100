// Booking of impulses: what each force takes from the energy at the instant it acts, and what loads and supports do to
// the momenta [L04 4.4].
#pragma once

#include <vector>

#include <livens/integrator.hpp>

#include "integrators/stepper.hpp"
#include "solve/newton.hpp"

namespace livens {

// Adds an impulse that acts at position q to the momentum ledger.
void book_impulse(const Model& model, ConstVector q, ConstVector impulse, Ledger& ledger);

// Adds the impulse of a non-conservative force: momenta, symmetries, and the energy it took while the velocity went
// from v_before to v_after: -F . (v_before + v_after) / 2, exact for a kinetic energy that is quadratic in v.
void book_force(const Model& model, std::size_t force, ConstVector q, ConstVector impulse, ConstVector v_before,
                ConstVector v_after, Ledger& ledger);

// Books forces, external terms and explicit time at one point of a quadrature in time; weight in s. For methods whose
// forces do not act at the ends of a step. scratch is as long as q.
void book_point(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                Ledger& ledger);

// Adds the work of a solve to the counters.
void book_solve(const SolveResult& result, Counters& counters);

// The report of a solve that failed, with advice; q: the shape where it stood.
StepReport failed_solve(const Model& model, const SolveResult& result, double t, double h, ConstVector q);
StepReport failed_not_finite(const Model& model, double t, double h);

// Name of a coordinate, for messages: theta, or "x of node 12 of lattice".
std::string coordinate_name(const Model& model, int coordinate);

}  // namespace livens
