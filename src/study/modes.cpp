#include "study/modes.hpp"

#include <algorithm>
#include <cmath>

#include "math/symmetric_eigen.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr int max_unknowns = 2000;

Eigen::MatrixXd stiffness(const Model& model, double t, const std::vector<double>& q) {
  const SparsePattern& pattern = linearisation(model).pattern();
  std::vector<double> values(pattern.nonzeros(), 0.0);
  linearisation(model).add_potential(model, t, q, 1, values);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(pattern.n, pattern.n);
  for (int c = 0; c < pattern.n; ++c)
    for (auto k = static_cast<std::size_t>(pattern.column_start[c]);
         k < static_cast<std::size_t>(pattern.column_start[c + 1]); ++k)
      matrix(pattern.row[k], c) = values[k];
  return matrix;
}

bool is_candidate(const Model& model) {
  for (const auto& term : model.parts().terms)
    if (!term->no_hessian().empty()) return false;
  return model.separable() && model.diagonal_mass() && model.parts().forces.empty() && model.size() <= max_unknowns;
}

// The same second derivatives somewhere else, and nothing that changes with time.
bool is_harmonic(const Model& model, const State& start, const Eigen::MatrixXd& K) {
  std::vector<double> q = start.q;
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.1 * std::sin(1.0 + 1.7 * static_cast<double>(i));
  if (model.time_power(start.t, q, start.v) != 0 || model.time_power(start.t + 0.37, q, start.v) != 0) return false;
  return (stiffness(model, start.t, q) - K).cwiseAbs().maxCoeff() <= 1e-12 * K.cwiseAbs().maxCoeff();
}

}  // namespace

double HarmonicModes::heat() const {
  double sum = 0;
  for (const Mode& m : modes_) sum += m.w > 0 ? 0.25 * (m.a * m.a + m.b * m.b) : 0.5 * m.b * m.b;
  return sum;
}

double HarmonicModes::heat(double T) const {
  double sum = 0;
  for (const Mode& m : modes_) {
    if (m.w == 0) {
      sum += 0.5 * m.b * m.b;
      continue;
    }
    const double x = 2 * m.w * T, s = std::sin(x) / x, c = (1 - std::cos(x)) / x;
    sum += 0.25 * (m.b * m.b * (1 + s) + m.a * m.a * (1 - s) - 2 * m.a * m.b * c);
  }
  return sum;
}

std::optional<HarmonicModes> harmonic_modes(const Model& model, const State& start) {
  if (!is_candidate(model)) return std::nullopt;
  const Eigen::MatrixXd K = stiffness(model, start.t, start.q);
  if (!is_harmonic(model, start, K)) return std::nullopt;
  const int n = model.size();
  const Eigen::VectorXd root = Eigen::Map<const Eigen::VectorXd>(model.parts().mass.diagonal.data(), n).cwiseSqrt();
  const Eigen::MatrixXd scaled = root.cwiseInverse().asDiagonal() * K * root.cwiseInverse().asDiagonal();
  const SymmetricEigen solved = symmetric_eigen(scaled);
  std::vector<double> gradient(start.q.size());
  model.gradient(start.t, start.q, gradient);
  const Eigen::VectorXd g =
      solved.vectors.transpose() * Eigen::Map<Eigen::VectorXd>(gradient.data(), n).cwiseQuotient(root);
  const Eigen::VectorXd b =
      solved.vectors.transpose() * Eigen::Map<const Eigen::VectorXd>(start.v.data(), n).cwiseProduct(root);
  const double largest = solved.values.cwiseAbs().maxCoeff();
  HarmonicModes result;
  for (int k = 0; k < n; ++k) {
    const double square = solved.values[k];
    if (square < -1e-12 * largest) return std::nullopt;  // runs away
    const double w = square > 1e-12 * largest ? std::sqrt(square) : 0;
    if (w == 0 && std::abs(g[k]) > 1e-10 * n * std::sqrt(largest)) return std::nullopt;
    result.modes_.push_back({w, w > 0 ? g[k] / w : 0, b[k]});
  }
  return result;
}

}  // namespace livens
