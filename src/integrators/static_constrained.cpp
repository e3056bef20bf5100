#include "integrators/static_constrained.hpp"

#include <algorithm>
#include <cmath>

#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr double part_of_extent = 0.1;  // what the first step may move
constexpr double quicker = 0.1, slower = 10;
constexpr int most_steps = 300;
constexpr double part_of_stiffness =
    1e-9;  // mu stays that large, so that rigid motions that nothing holds or pushes stay
constexpr double rounding_of_force = 4e-16;  // of stiffness times extent: a force that counts as zero
constexpr double balanced = 1e-13;           // unbalanced force over the largest sum of forces

}  // namespace

ConstrainedEquilibrium::ConstrainedEquilibrium(const Model& model)
    : n_(model.size()),
      m_(model.constraint_count()),
      system_(model, 1),
      solver_(system_.pattern(), system_.unknowns()),
      size_(model),
      mass_(model.parts().mass.diagonal) {
  for (double& value : mass_)
    if (!(value > 0)) value = 1;
  x_.resize(n_ + m_);
  for (auto* vector : {&force_, &sizes_, &reaction_}) vector->resize(n_);
  base_.resize(linearisation(model).pattern().nonzeros());
}

double ConstrainedEquilibrium::first_mu() const {
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, sizes_[i] / mass_[i]);
  return std::max(largest / reach_, 1e-12);
}

double ConstrainedEquilibrium::least_mu() {
  const Linearisation& lin = linearisation(*model_);
  std::fill(base_.begin(), base_.end(), 0.0);
  lin.add_potential(*model_, t_, ConstVector(x_).subspan(0, n_), 1, base_);
  double largest = 0;
  stiffness_ = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const int k = static_cast<int>(i);
    if (model_->supported(k)) continue;
    const double here = std::abs(base_[lin.pattern().slot(k, k)]);
    stiffness_ = std::max(stiffness_, here);
    largest = std::max(largest, here / mass_[i]);
  }
  return part_of_stiffness * largest;
}

// Forces that are rounding of the stiffness, and constraints that hold: nothing is to be done.
bool ConstrainedEquilibrium::at_rest() {
  double scale = 0, violation = 0;
  mu_ = 0;
  if (!residual(x_, trial_, scale, violation)) return false;
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, std::abs(trial_[i]));
  return largest <= rounding_of_force * stiffness_ * reach_ / part_of_extent && violation <= balanced;
}

// mu M (q - q_before), what dW + G'lambda is at a solution.
double ConstrainedEquilibrium::unbalanced(ConstVector x) const {
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) largest = std::max(largest, mu_ * mass_[i] * std::abs(x[i] - before_[i]));
  return largest;
}

bool ConstrainedEquilibrium::residual(ConstVector x, Vector r, double& scale, double& violation) {
  const ConstVector q = x.subspan(0, n_), lambda = x.subspan(n_);
  const Placed at = model_->placed(t_, q);
  const Vector motion = r.subspan(0, n_);
  std::fill(motion.begin(), motion.end(), 0.0);
  std::fill(sizes_.begin(), sizes_.end(), 0.0);
  std::fill(reaction_.begin(), reaction_.end(), 0.0);
  for (const auto& term : model_->parts().terms) {
    term->write_gradient(t_, at, force_);
    for (std::size_t i = 0; i < n_; ++i) {
      motion[i] += force_[i];
      sizes_[i] += std::abs(force_[i]);
    }
  }
  model_->add_constraint_force(t_, q, lambda, 1, reaction_);
  scale = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double moved = q[i] - before_[i], pull = mu_ * mass_[i] * moved;
    if (model_->supported(static_cast<int>(i))) {
      motion[i] = moved;
      continue;
    }
    sizes_[i] += std::abs(reaction_[i]);
    scale = std::max(scale, sizes_[i] + std::abs(pull));
    motion[i] += reaction_[i] + pull - correction_[i];
  }
  scale_ = scale;
  model_->constraint_values(t_, q, r.subspan(n_));
  violation = size_.violation(*model_, t_, q, r.subspan(n_), reach_);
  return std::isfinite(scale) && std::isfinite(violation);
}

void ConstrainedEquilibrium::jacobian(ConstVector x, Vector values) {
  const Linearisation& lin = linearisation(*model_);
  const ConstVector q = x.subspan(0, n_);
  std::fill(base_.begin(), base_.end(), 0.0);
  lin.add_potential(*model_, t_, q, 1, base_);
  lin.add_curvature(*model_, t_, q, x.subspan(n_), 1, base_);
  for (int i = 0; i < model_->size(); ++i) {
    double& diagonal = base_[lin.pattern().slot(i, i)];
    diagonal = model_->supported(i) ? 1 : diagonal + mu_ * mass_[i];
  }
  system_.add_base(base_, values);
  system_.add_columns(*model_, t_, q, 0, 1, values);
  system_.add_rows(*model_, t_, q, 0, 1, values);
}

// The last solve, with the work of all.
void ConstrainedEquilibrium::count(const SolveResult& result) {
  const SolveResult before = result_;
  result_ = result;
  result_.iterations += before.iterations;
  result_.evaluations += before.evaluations;
  result_.factorisations += before.factorisations;
}

const SolveResult& ConstrainedEquilibrium::solve(const Model& model, double t, ConstVector correction,
                                                 const SolverOptions& options, Vector q, Vector lambda) {
  model_ = &model;
  t_ = t;
  correction_ = correction;
  std::copy(q.begin(), q.end(), x_.begin());
  std::copy(lambda.begin(), lambda.end(), x_.begin() + static_cast<std::ptrdiff_t>(n_));
  before_.assign(q.begin(), q.end());
  size_.begin(model, system_, t, q, std::vector<double>(n_, 0.0));
  reach_ = part_of_extent * extent_of(model, q);
  trial_.resize(x_.size());
  result_ = SolveResult{};
  double scale = 0, violation = 0;
  mu_ = 1;
  residual(x_, trial_, scale, violation);
  const double least = least_mu();
  if (at_rest()) {
    result_.converged = true;
    return result_;
  }
  mu_ = std::max(first_mu(), least);
  const double goal = std::max(options.tolerance, balanced);
  for (int step = 0; step < most_steps; ++step) {
    trial_ = x_;
    count(solver_.solve(*this, trial_, options));
    if (!result_.converged) {
      mu_ *= slower;
      continue;
    }
    result_.residual = unbalanced(trial_);
    x_ = trial_;
    if (result_.residual <= goal * scale_) break;
    before_.assign(x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(n_));
    mu_ = std::max(quicker * mu_, least);
  }
  result_.converged = result_.converged && result_.residual <= goal * scale_;
  std::copy_n(x_.begin(), n_, q.begin());
  std::copy(x_.begin() + static_cast<std::ptrdiff_t>(n_), x_.end(), lambda.begin());
  return result_;
}

}  // namespace livens
