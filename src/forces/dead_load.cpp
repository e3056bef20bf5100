#include "forces/dead_load.hpp"

#include <livens/jet.hpp>

namespace livens {
namespace {

double value_of(const LoadMode& mode, double t) {
  const double x[4] = {mode.X[0], mode.X[1], mode.X[2], t};
  return mode.f->constant() ? mode.f->value() : mode.f->evaluate(std::span<const double>(x, 4));
}

double rate_of(const LoadMode& mode, double t) {
  if (!mode.f->uses(3)) return 0;
  const Dual x[4] = {mode.X[0], mode.X[1], mode.X[2], Dual::variable(t)};
  return mode.f->evaluate<Dual>(std::span<const Dual>(x, 4)).derivative;
}

// Modes that do not change become one: a face of a thousand quadrature points costs one pass over its nodes.
std::vector<LoadMode> merged(std::vector<LoadMode> modes, std::size_t coordinates) {
  std::vector<LoadMode> result;
  std::vector<double> steady(coordinates, 0.0);
  for (LoadMode& mode : modes) {
    if (mode.f->uses(3)) {
      result.push_back(std::move(mode));
      continue;
    }
    const double f = value_of(mode, 0);
    for (const auto& [i, share] : mode.shares) steady[i] += f * share;
  }
  LoadMode one;
  one.f = std::make_shared<const Expression>(1.0);
  for (std::size_t i = 0; i < coordinates; ++i)
    if (steady[i] != 0) one.shares.emplace_back(static_cast<int>(i), steady[i]);
  if (!one.shares.empty()) result.push_back(std::move(one));
  return result;
}

}  // namespace

DeadLoad::DeadLoad(std::string name, std::vector<LoadMode> modes, std::vector<double> reference)
    : EnergyTerm(std::move(name)),
      modes_(merged(std::move(modes), reference.size())),
      reference_(std::move(reference)) {}

double DeadLoad::work_of(const LoadMode& mode, ConstVector q) const {
  double sum = 0;
  for (const auto& [i, share] : mode.shares) {
    const auto k = static_cast<std::size_t>(i);
    sum += share * (q[k] - reference_[k]);
  }
  return sum;
}

double DeadLoad::energy(double t, ConstVector q) const {
  double sum = 0;
  for (const LoadMode& mode : modes_) sum -= value_of(mode, t) * work_of(mode, q);
  return sum;
}

void DeadLoad::add_gradient(double t, ConstVector, double scale, Vector gradient) const {
  for (const LoadMode& mode : modes_) {
    const double f = scale * value_of(mode, t);
    for (const auto& [i, share] : mode.shares) gradient[i] -= f * share;
  }
}

bool DeadLoad::add_constant_load(Vector f) const {
  for (const LoadMode& mode : modes_)
    if (mode.f->uses(3)) return false;
  for (const LoadMode& mode : modes_)
    for (const auto& [i, share] : mode.shares) f[i] += value_of(mode, 0) * share;
  return true;
}

double DeadLoad::time_derivative(double t, ConstVector q) const {
  double sum = 0;
  for (const LoadMode& mode : modes_) {
    const double rate = rate_of(mode, t);
    if (rate != 0) sum -= rate * work_of(mode, q);
  }
  return sum;
}

}  // namespace livens
