// The ledger of a run: what forces, loads and supports did to energy and momenta, and how an integrator books it
// [L04 4.4]. With it the balances of a run close although energy and momenta change.
#pragma once

#include <vector>

#include <livens/model.hpp>

namespace livens {

// Energy and momentum that went through forces, loads and supports since the start, per force of the model.
// A force dissipates what its impulse takes at the instant it acts, H(q, p before) - H(q, p after).
struct Ledger {
  std::vector<double> energy_out;         // per force: dissipated (+) or work taken out (-work), by its side
  double time_work = 0;                   // work through an explicit dependence of L on time
  double linear_impulse[3] = {0, 0, 0};   // of external terms and forces
  double angular_impulse[3] = {0, 0, 0};  // moment about the origin
  std::vector<double> symmetry_impulse;   // per symmetry of the model, by forces
};

// Adds an impulse that acts at position q to the momenta of the ledger.
void book_impulse(const Model& model, ConstVector q, ConstVector impulse, Ledger& ledger);

// Adds the impulse of a non-conservative force: momenta, symmetries, and the energy it took while the velocity went
// from v_before to v_after: -F . (v_before + v_after) / 2, exact for a kinetic energy that is quadratic in v.
void book_force(const Model& model, std::size_t force, ConstVector q, ConstVector impulse, ConstVector v_before,
                ConstVector v_after, Ledger& ledger);

// Books forces, external terms and explicit time at one point of a quadrature in time; weight in s. For methods whose
// forces do not act at the ends of a step. scratch is as long as q.
void book_point(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                Ledger& ledger);
// The same without explicit time, for methods that know its work better (Model::time_work).
void book_forces(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                 Ledger& ledger);

}  // namespace livens
