#include "modes/shifted_system.hpp"

#include <algorithm>
#include <cmath>

#include "model/linearisation.hpp"
#include "model/saddle_system.hpp"

namespace livens {
namespace {

// e over the constraints' own compliance: keeps the matrix regular where constraints are redundant, as in SaddleSolver.
// The pivots of redundant constraints are then negative like those of the others, and the count of signs holds.
constexpr double regularisation = 1e-12;

}  // namespace

ShiftedSystem::ShiftedSystem(const Model& model, double t, ConstVector q)
    : model_(model), t_(t), q_(q), multipliers_(model.constraint_count()) {
  if (multipliers_ > 0) {
    saddle_ = std::make_unique<SaddleSystem>(model, 1);
    rows_.assign(static_cast<std::size_t>(pattern().nonzeros()), 0.0);
    row_sums_.resize(static_cast<std::size_t>(multipliers_));
    saddle_->add_rows(model_, t_, q_, 0, 1, rows_);
    saddle_->row_sums(model_, t_, q_, row_sums_);
  }
  values_.resize(static_cast<std::size_t>(pattern().nonzeros()));
  solver_ = make_mumps(pattern(), MatrixKind::symmetric);
}
ShiftedSystem::~ShiftedSystem() = default;

const SparsePattern& ShiftedSystem::pattern() const {
  return saddle_ ? saddle_->pattern() : linearisation(model_).pattern();
}

bool ShiftedSystem::factorise(const std::vector<double>& K, const std::vector<double>& M, double shift) {
  base_.resize(K.size());
  double stiffest = 0;
  for (std::size_t k = 0; k < K.size(); ++k) {
    base_[k] = K[k] - shift * M[k];
    stiffest = std::max(stiffest, std::abs(base_[k]));
  }
  if (!saddle_) return solver_->factorise(base_);
  values_ = rows_;
  saddle_->add_base(base_, values_);
  saddle_->add_columns(model_, t_, q_, 0, 1, values_);
  for (int k = 0; k < multipliers_; ++k) {
    const double sum = row_sums_[k];
    saddle_->add_diagonal(k, 0, -regularisation * (sum > 0 ? sum * sum : 1) / stiffest, values_);
  }
  return solver_->factorise(values_);
}

double ShiftedSystem::violation(const Eigen::VectorXd& x) const {
  if (!saddle_) return 0;
  const auto n = static_cast<std::size_t>(x.size()) - row_sums_.size();
  std::vector<double> motion(x.data(), x.data() + x.size()), rate(motion.size());
  std::fill(motion.begin() + static_cast<std::ptrdiff_t>(n), motion.end(), 0.0);
  pattern().multiply(rows_, motion, rate);
  double size = 0, largest = 0;
  for (std::size_t i = 0; i < n; ++i) size = std::max(size, std::abs(motion[i]));
  for (std::size_t k = 0; k < row_sums_.size(); ++k)
    if (row_sums_[k] > 0) largest = std::max(largest, std::abs(rate[n + k]) / row_sums_[k]);
  return size > 0 ? largest / size : 0;
}

void ShiftedSystem::solve(Eigen::MatrixXd& b) const {
  solver_->solve_all(Vector(b.data(), static_cast<std::size_t>(b.size())), static_cast<int>(b.cols()));
}

}  // namespace livens
