#include "model/constraint_size.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/linearisation.hpp"

namespace livens {

void constraint_summands(const Model& model, double t, ConstVector q, Vector size) {
  const Placed x = model.placed(t, q);
  std::size_t first = 0;
  for (const auto& constraint : model.parts().constraints) {
    const auto count = static_cast<std::size_t>(constraint->count());
    constraint->magnitude(t, x, size.subspan(first, count));
    first += count;
  }
}

ConstraintSize::ConstraintSize(const Model& model)
    : row_sums_(model.constraint_count()), summands_(model.constraint_count()), mass_(model.parts().mass.diagonal) {}

void ConstraintSize::begin(const Model& model, const SaddleSystem& system, double t, ConstVector q, ConstVector v) {
  system.row_sums(model, t, q, row_sums_);
  if (model.separable()) return;
  const Linearisation& lin = linearisation(model);
  kinetic_.assign(lin.pattern().nonzeros(), 0.0);
  lin.add_lagrangian(model, t, q, v, {0, 0, 0, 1}, kinetic_);
  for (int i = 0; i < model.size(); ++i) mass_[i] = std::abs(kinetic_[lin.pattern().slot(i, i)]);
}

double ConstraintSize::travel(double h, ConstVector impulse) const {
  double largest = 0;
  for (std::size_t i = 0; i < impulse.size(); ++i)
    if (mass_[i] > 0) largest = std::max(largest, std::abs(h * impulse[i]) / mass_[i]);
  return largest;
}

double ConstraintSize::violation(const Model& model, double t, ConstVector q, ConstVector g, double travel) {
  constraint_summands(model, t, q, summands_);
  double worst = 0;
  for (std::size_t k = 0; k < g.size(); ++k) {
    const double size = std::max(summands_[k], travel * row_sums_[k]), off = std::abs(g[k]);
    if (!std::isfinite(off)) return off;
    if (off > 0) worst = std::max(worst, size > 0 ? off / size : off);
  }
  return worst;
}

double extent_of(const Model& model, ConstVector q) {
  double least[3], most[3], extent = 1e-3;
  std::fill_n(least, 3, std::numeric_limits<double>::infinity());
  std::fill_n(most, 3, -std::numeric_limits<double>::infinity());
  for (const Body& body : model.bodies())
    for (int i = 0; i < body.size() && body.dimension > 0; ++i) {
      const int c = i % body.dimension;
      least[c] = std::min(least[c], q[body.first + i]);
      most[c] = std::max(most[c], q[body.first + i]);
    }
  for (int c = 0; c < 3; ++c) extent = std::max(extent, most[c] - least[c]);
  return extent;
}

}  // namespace livens
