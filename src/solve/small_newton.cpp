#include "solve/small_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solve/newton_tuning.hpp"

namespace livens {
namespace {

using Tuning = NewtonTuning;

constexpr double least_progress = 0.1;    // of the residual, by every step: Newton's method is at home
constexpr double smallest_pivot = 1e-14;  // of the largest one

}  // namespace

std::unique_ptr<SmallNewton> SmallNewton::make(const SparsePattern& pattern) {
  return pattern.n <= most_unknowns ? std::make_unique<SmallNewton>(pattern) : nullptr;
}

SmallNewton::SmallNewton(const SparsePattern& pattern) : values_(pattern.nonzeros()) {
  row_.assign(pattern.row.begin(), pattern.row.end());
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[c + 1]; ++k) column_.push_back(c);
}

bool SmallNewton::solve(const Task& task, Vector x, SolveResult& result) {
  const std::size_t n = x.size();
  Numbers start, residual;
  std::copy_n(x.data(), n, start.data());
  const Vector r(residual.data(), n);
  double before = 0;
  bool factor = false;
  for (int iteration = 0; iteration <= task.most_iterations; ++iteration) {
    double scale = 0, norm = 0, objective = 0;
    ++result.evaluations;
    bool good =
        task.feasible != nullptr ? task.feasible->evaluate(x, r, scale, objective) : task.problem.residual(x, r, scale);
    good = good && std::isfinite(scale) && std::isfinite(objective);
    for (std::size_t i = 0; i < n; ++i) {
      good = good && std::isfinite(r[i]);
      norm = std::max(norm, std::abs(r[i]));
    }
    const bool stalled = iteration > 0 && norm > Tuning::stall * before;
    if (good && (norm <= task.goal * scale || (stalled && norm <= task.accept * scale))) {
      result.iterations = iteration;
      result.end(true, FailureCode::none, norm, scale, r);
      return true;
    }
    good = good && (iteration == 0 || norm <= least_progress * before || norm <= task.accept * scale);
    if (good && (!factor || norm > Tuning::chord_region * scale)) {
      good = factor = factorise(task.problem, x, task.definite);
      ++result.factorisations;
    }
    if (!good) break;
    step(x, r);
    before = norm;
  }
  std::copy_n(start.data(), n, x.data());
  return false;
}

bool SmallNewton::factorise(RootProblem& problem, ConstVector x, bool definite) {
  const std::size_t n = x.size();
  std::fill(values_.begin(), values_.end(), 0.0);
  problem.jacobian(x, values_);
  for (std::size_t i = 0; i < n; ++i) std::fill_n(&at(i, 0), n, 0.0);
  for (std::size_t e = 0; e < values_.size(); ++e) at(row_[e], column_[e]) = values_[e];
  for (std::size_t i = 0; i < n; ++i) order_[i] = i;
  return definite ? factorise_definite(n) : factorise_any(n);
}

// L D L' in the places of L and U = D L'.
bool SmallNewton::factorise_definite(std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = at(k, k);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = at(i, k) / pivot;
      for (std::size_t j = k + 1; j < n; ++j) at(i, j) -= factor * at(k, j);
      at(i, k) = factor;
    }
  }
  return true;
}

// Rows change places for the largest pivot.
bool SmallNewton::factorise_any(std::size_t n) {
  double largest = 0, smallest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
    if (best != k) {
      std::swap_ranges(&at(k, 0), &at(k, 0) + n, &at(best, 0));
      std::swap(order_[k], order_[best]);
    }
    const double pivot = at(k, k);
    largest = std::max(largest, std::abs(pivot));
    smallest = std::min(smallest, std::abs(pivot));
    if (!std::isfinite(pivot) || pivot == 0) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = at(i, k) / pivot;
      for (std::size_t j = k + 1; j < n; ++j) at(i, j) -= factor * at(k, j);
      at(i, k) = factor;
    }
  }
  return smallest > smallest_pivot * largest;
}

void SmallNewton::step(Vector x, ConstVector b) const {
  const std::size_t n = x.size();
  Numbers y;
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = b[order_[i]];
    for (std::size_t j = 0; j < i; ++j) y[i] -= at(i, j) * y[j];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) y[i] -= at(i, j) * y[j];
    y[i] /= at(i, i);
    x[i] -= y[i];
  }
}

}  // namespace livens
