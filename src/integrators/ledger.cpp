#include <algorithm>

#include <livens/ledger.hpp>

#include "integrators/book_terms.hpp"
#include "math/scratch.hpp"

namespace livens {

void book_impulse(const Model& model, ConstVector q, ConstVector impulse, Ledger& ledger) {
  if (model.dimension() == 0) return;
  const Momenta sum = momenta(model, q, impulse);
  for (int k = 0; k < 3; ++k) {
    ledger.linear_impulse[k] += sum.linear[k];
    ledger.angular_impulse[k] += sum.angular[k];
  }
}

void book_force(const Model& model, std::size_t force, ConstVector q, ConstVector impulse, ConstVector v_before,
                ConstVector v_after, Ledger& ledger) {
  double taken = 0;
  for (std::size_t i = 0; i < impulse.size(); ++i) taken -= 0.5 * impulse[i] * (v_before[i] + v_after[i]);
  ledger.energy_out[force] += taken;
  // Supports take their share of a force that sums to zero.
  const Invariance keeps = model.parts().forces[force]->invariance();
  if (!keeps.translations || !keeps.rotations || model.supported_count() > 0) book_impulse(model, q, impulse, ledger);
  const auto& symmetries = model.parts().symmetries;
  if (symmetries.empty()) return;
  ScratchVector xi(impulse.size());
  for (std::size_t k = 0; k < symmetries.size(); ++k) {
    symmetries[k].generator(q, xi);
    for (std::size_t i = 0; i < impulse.size(); ++i) ledger.symmetry_impulse[k] += impulse[i] * xi[i];
  }
}

namespace {

// Terms that change under rigid motions.
void book_external(const Model& model, double t, ConstVector q, double weight, Vector scratch, Ledger& ledger) {
  if (!model.has_external_terms() || model.dimension() == 0) return;
  model.external_gradient(t, q, scratch);
  for (double& value : scratch) value *= -weight;
  const Placed at = model.placed(t, q);
  book_impulse(model, at, scratch, ledger);
}

}  // namespace

void book_terms(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                Ledger& ledger) {
  ledger.time_work += weight * model.time_power(t, q, v);
  book_external(model, t, q, weight, scratch, ledger);
}

void book_forces(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                 Ledger& ledger) {
  const Placed at = model.placed(t, q);
  for (std::size_t k = 0; k < model.parts().forces.size(); ++k) {
    std::fill(scratch.begin(), scratch.end(), 0.0);
    model.add_force(k, t, q, v, weight, scratch);
    book_force(model, k, at, scratch, v, v, ledger);
  }
  book_external(model, t, q, weight, scratch, ledger);
}

void book_point(const Model& model, double t, ConstVector q, ConstVector v, double weight, Vector scratch,
                Ledger& ledger) {
  ledger.time_work += weight * model.time_power(t, q, v);
  book_forces(model, t, q, v, weight, scratch, ledger);
}

}  // namespace livens
