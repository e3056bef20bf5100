#include "integrators/held_equations.hpp"

#include <algorithm>
#include <cmath>

#include "math/parallel.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr double regularisation = 1e-12, gradual_share = 1e-2, most_regularisation = 1e-4;  // as of SaddleSolver
constexpr double least_compliance = 1e-2;  // of the largest: an equation may have no derivative in a singular place

}  // namespace

HeldEquations::HeldEquations(const Model& model, const SaddleSystem* system)
    : system_(system),
      pattern_(system == nullptr ? &linearisation(model).pattern() : &system->pattern()),
      n_(static_cast<std::size_t>(model.size())) {
  const auto& mass = model.parts().mass.diagonal;
  heaviest_ = *std::max_element(mass.begin(), mass.end());
  for (int i = 0; i < model.size(); ++i)
    if (model.supported(i)) supported_.push_back(i);
  given_.resize(supported_.size());
  scale_.resize(unknowns() - n_);
  x_.resize(unknowns());
  values_.resize(system == nullptr ? 0 : static_cast<std::size_t>(pattern_->nonzeros()));
}

void HeldEquations::begin(const Model& model, double t0, double h, ConstVector q0, ConstVector z) {
  model_ = &model;
  stiffness_ = 2 * heaviest_ / std::abs(h);
  for (std::size_t k = 0; k < supported_.size(); ++k) given_[k] = z[supported_[k]];
  if (system_ == nullptr) return;
  std::fill(values_.begin(), values_.end(), 0.0);
  system_->add_rows(model, t0, q0, 0, 1, values_);
  std::fill(scale_.begin(), scale_.end(), 0.0);
  const auto& mass = model.parts().mass.diagonal;
  for (std::size_t c = 0; c < n_; ++c)
    for (int slot = pattern_->column_start[c]; slot < pattern_->column_start[c + 1]; ++slot) {
      const auto row = static_cast<std::size_t>(pattern_->row[slot]);
      if (row >= n_) scale_[row - n_] += values_[slot] * values_[slot] * std::abs(h) / (2 * mass[c]);
    }
  const double largest = scale_.empty() ? 0 : *std::max_element(scale_.begin(), scale_.end());
  for (double& s : scale_) {
    const double compliance = std::max(s, least_compliance * largest);
    s = compliance > 0 ? std::sqrt(stiffness_ / compliance) : 1;
  }
}

void HeldEquations::hold(ContactEquation& equation, bool gradual, Vector x) {
  equation_ = &equation;
  gradual_ = gradual;
  scale(x);
}

void HeldEquations::scale(Vector x) const {
  for (std::size_t k = 0; k < scale_.size(); ++k) x[n_ + k] /= scale_[k];
}

void HeldEquations::release(Vector x) const {
  for (std::size_t k = 0; k < scale_.size(); ++k) x[n_ + k] *= scale_[k];
}

ConstVector HeldEquations::unscaled(ConstVector x) {
  if (scale_.empty()) return x;
  std::copy(x.begin(), x.end(), x_.begin());
  release(x_);
  return x_;
}

bool HeldEquations::residual(ConstVector x, Vector r, double& scale) {
  if (!equation_->residual(unscaled(x), r, scale)) return false;
  for (std::size_t k = 0; k < supported_.size(); ++k) r[supported_[k]] = stiffness_ * (x[supported_[k]] - given_[k]);
  for (std::size_t k = 0; k < scale_.size(); ++k) r[n_ + k] *= scale_[k];
  const double largest = max_over_chunks(r.size(), [&](std::size_t begin, std::size_t end) {
    double most = 0;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, std::abs(r[i]));
    return most;
  });
  merit_ = scale > 0 ? largest / scale : largest;
  return true;
}

// Rows of constraints and columns of multipliers times s; those of supports have their diagonal alone.
void HeldEquations::finish_jacobian(Vector values) const {
  for (const int i : supported_) values[pattern_->slot(i, i)] = stiffness_;
  if (scale_.empty()) return;
  const auto balance = [&](std::size_t i) { return i < n_ ? 1.0 : scale_[i - n_]; };
  for (std::size_t c = 0; c < unknowns(); ++c)
    for (int slot = pattern_->column_start[c]; slot < pattern_->column_start[c + 1]; ++slot)
      values[slot] *= balance(c) * balance(static_cast<std::size_t>(pattern_->row[slot]));
  const double share =
      gradual_ ? std::clamp(gradual_share * merit_, regularisation, most_regularisation) : regularisation;
  for (std::size_t k = n_; k < unknowns(); ++k) {
    const int i = static_cast<int>(k);
    values[pattern_->slot(i, i)] -= share * stiffness_;
  }
}

void HeldEquations::jacobian(ConstVector x, Vector values) {
  equation_->jacobian(unscaled(x), values);
  finish_jacobian(values);
}

void HeldEquations::general_jacobian(ConstVector x, Vector values) {
  equation_->general_jacobian(unscaled(x), values);
  finish_jacobian(values);
}

double HeldEquations::square(ConstVector r) const {
  const auto& mass = model_->parts().mass.diagonal;
  return sum_chunks(r.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const bool held = i >= n_ || model_->supported(static_cast<int>(i));
      sum += r[i] * r[i] / (held ? heaviest_ : mass[i]);
    }
    return sum;
  });
}

double HeldEquations::slope(ConstVector r, ConstVector d) const {
  return sum_chunks(n_, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (!model_->supported(static_cast<int>(i))) sum += r[i] * d[i];
    return sum;
  });
}

}  // namespace livens
