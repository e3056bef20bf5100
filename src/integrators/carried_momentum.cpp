#include "integrators/carried_momentum.hpp"

#include <algorithm>
#include <array>

namespace livens {

CarriedMomentum::CarriedMomentum(const Model& model) {
  if (!model.has_moving_supports() || model.dimension() == 0) return;
  std::vector<bool> moves(model.size(), false);
  for (const Support& support : model.parts().supports)
    for (const int i : support.coordinates) moves[i] = static_cast<bool>(support.motion);
  for (const Body& body : model.bodies())
    for (int a = 0; a < body.nodes && !body.periodic; ++a) {
      const int first = body.first + a * body.dimension;
      bool moved = false, free = false;
      for (int c = 0; c < body.dimension; ++c) {
        moved = moved || moves[first + c];
        free = free || !model.supported(first + c);
      }
      any_ = any_ || (moved && free);
    }
  if (any_) moved_.assign(model.size(), 0.0);
}

// moved_ += position x_s(t) + velocity dx_s/dt(t)
void CarriedMomentum::add(const Model& model, double t, double position, double velocity) {
  for (const Support& support : model.parts().supports) {
    if (!support.motion) continue;
    x_.resize(support.coordinates.size());
    v_.resize(support.coordinates.size());
    support.motion(t, x_, v_);
    for (std::size_t k = 0; k < x_.size(); ++k) moved_[support.coordinates[k]] += position * x_[k] + velocity * v_[k];
  }
}

void CarriedMomentum::book_moved(const Model& model, ConstVector p, Ledger& ledger) {
  const Momenta carried = momenta(model, moved_, p);
  for (int k = 0; k < 3; ++k) ledger.angular_impulse[k] += carried.angular[k];
  std::fill(moved_.begin(), moved_.end(), 0.0);
}

void CarriedMomentum::book(const Model& model, double t0, double t1, ConstVector p, Ledger& ledger) {
  book(model, std::array{t0, t1}, std::array{-1.0, 1.0}, p, ledger);
}

void CarriedMomentum::book(const Model& model, ConstVector times, ConstVector weights, ConstVector p, Ledger& ledger) {
  if (!any_) return;
  for (std::size_t j = 0; j < times.size(); ++j) add(model, times[j], weights[j], 0);
  book_moved(model, p, ledger);
}

void CarriedMomentum::book_rate(const Model& model, double t, double weight, ConstVector p, Ledger& ledger) {
  if (!any_) return;
  add(model, t, 0, weight);
  book_moved(model, p, ledger);
}

}  // namespace livens
