// The second variation of the action: its index by the signs of pivots, its lowest eigenvalues by inverse iteration,
// and the points conjugate to the start, which are where the index of the path so far grows (Morse).
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include <livens/path.hpp>

#include "action/discrete_action.hpp"
#include "math/symmetric_eigen.hpp"
#include "solve/linear_solver.hpp"

namespace livens {
namespace {

constexpr int guard_vectors = 6;         // besides those asked for: they make the iteration converge
constexpr int most_iterations = 300;     // of it
constexpr double settled = 1e-11;        // relative change of an eigenvalue
constexpr double conjugate_ends = 1e-9;  // of the size of the spectrum's low end: an eigenvalue that counts as 0

// The Hessian of the action of a path, and parts of it.
class Hessian {
 public:
  Hessian(const Model& model, const Path& path)
      : action_(model, path.ends.rule, path.ends.t_begin, path.h, path.ends.steps),
        values_(static_cast<std::size_t>(action_.pattern().nonzeros()), 0.0),
        metric_(action_.metric(path.q)) {
    action_.hessian(path.q, values_);
  }

  const SparsePattern& pattern() const { return action_.pattern(); }
  ConstVector values() const { return values_; }
  const std::vector<double>& metric() const { return metric_; }
  std::size_t coordinates() const { return action_.coordinates(); }

  // Number of negative eigenvalues of the first `size` rows and columns.
  int leading_index(int size) const {
    SparsePattern part;
    std::vector<double> values;
    part.n = size;
    part.block = pattern().block;
    part.column_start.push_back(0);
    for (int c = 0; c < size; ++c) {
      for (int k = pattern().column_start[c]; k < pattern().column_start[c + 1] && pattern().row[k] < size; ++k) {
        part.row.push_back(pattern().row[k]);
        values.push_back(values_[k]);
      }
      part.column_start.push_back(static_cast<int>(part.row.size()));
    }
    return factorised(part, values)->negative_eigenvalues();
  }

  // H - shift D, factorised.
  std::unique_ptr<LinearSolver> shifted(double shift) const {
    std::vector<double> values = values_;
    for (int i = 0; i < pattern().n; ++i) values[pattern().slot(i, i)] -= shift * metric_[i];
    return factorised(pattern(), values);
  }

 private:
  static std::unique_ptr<LinearSolver> factorised(const SparsePattern& pattern, ConstVector values) {
    auto solver = make_mumps(pattern, MatrixKind::symmetric);
    solver->factorise(values);
    return solver;
  }

  DiscreteAction action_;
  std::vector<double> values_, metric_;
};

// A shift below all eigenvalues, of the order of the lowest.
double shift_below(const Hessian& hessian, double T) {
  double shift = -std::pow(std::numbers::pi / T, 2);
  while (hessian.shifted(shift)->negative_eigenvalues() > 0) shift *= 4;
  return shift;
}

// Subspace iteration with (H - shift D)^-1 D, Rayleigh and Ritz.
class LowestModes {
 public:
  LowestModes(const Hessian& hessian, const Model& model, int count, double shift)
      : hessian_(hessian), solver_(hessian.shifted(shift)), wanted_(count) {
    const auto n = static_cast<Eigen::Index>(hessian.pattern().n);
    const auto coordinates = static_cast<Eigen::Index>(hessian.coordinates());
    const Eigen::Index free = n / coordinates * (coordinates - model.supported_count());
    X_.resize(n, std::min<Eigen::Index>(count + guard_vectors, free));
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (Eigen::Index j = 0; j < X_.cols(); ++j)
      for (Eigen::Index i = 0; i < n; ++i)
        X_(i, j) = model.supported(static_cast<int>(i % coordinates)) ? 0 : uniform(engine);
    D_ = Eigen::Map<const Eigen::VectorXd>(hessian.metric().data(), n);
  }

  void iterate() {
    for (int k = 0; k < most_iterations; ++k) {
      const Eigen::VectorXd before = lambda_;
      step();
      if (before.size() == 0) continue;
      const Eigen::Index count = std::min<Eigen::Index>(wanted_, lambda_.size());
      const double size = lambda_.head(count).cwiseAbs().maxCoeff();
      if ((lambda_ - before).head(count).cwiseAbs().maxCoeff() <= settled * size) return;
    }
  }
  const Eigen::VectorXd& eigenvalues() const { return lambda_; }
  const Eigen::MatrixXd& vectors() const { return X_; }

 private:
  void step() {
    Eigen::MatrixXd Y = D_.asDiagonal() * X_;
    for (Eigen::Index j = 0; j < Y.cols(); ++j)
      solver_->solve(Vector(Y.col(j).data(), static_cast<std::size_t>(Y.rows())));
    Eigen::MatrixXd HY(Y.rows(), Y.cols());
    for (Eigen::Index j = 0; j < Y.cols(); ++j)
      hessian_.pattern().multiply(hessian_.values(), ConstVector(Y.col(j).data(), static_cast<std::size_t>(Y.rows())),
                                  Vector(HY.col(j).data(), static_cast<std::size_t>(Y.rows())));
    const Eigen::MatrixXd A = Y.transpose() * HY, B = Y.transpose() * D_.asDiagonal() * Y;
    const SymmetricEigen ritz = symmetric_eigen(A, B);
    lambda_ = ritz.values;
    X_ = Y * ritz.vectors;
  }

  const Hessian& hessian_;
  std::unique_ptr<LinearSolver> solver_;
  int wanted_;
  Eigen::MatrixXd X_;
  Eigen::VectorXd D_, lambda_;
};

void add_modes(const Hessian& hessian, const Model& model, double T, int count, SecondVariation& result) {
  LowestModes modes(hessian, model, count, shift_below(hessian, T));
  modes.iterate();
  const std::size_t n = hessian.coordinates();
  for (Eigen::Index j = 0; j < std::min<Eigen::Index>(count, modes.eigenvalues().size()); ++j) {
    const Eigen::VectorXd x = modes.vectors().col(j);
    Eigen::Index largest = 0;
    x.cwiseAbs().maxCoeff(&largest);
    std::vector<double> mode(n, 0.0);
    for (Eigen::Index i = 0; i < x.size(); ++i) mode.push_back(x[i] / x[largest]);
    mode.resize(mode.size() + n, 0.0);
    result.eigenvalues.push_back(modes.eigenvalues()[j]);
    result.eigenvectors.push_back(std::move(mode));
  }
}

// Steps at which the index of the path so far grows, by bisection.
std::vector<ConjugatePoint> conjugate_points(const Hessian& hessian, const Path& path, int index) {
  std::vector<ConjugatePoint> found;
  const int n = static_cast<int>(hessian.coordinates()), s = path.ends.rule.degree();
  const std::function<void(int, int, int, int)> search = [&](int low, int high, int before, int after) {
    if (before == after) return;
    if (high - low == 1) {
      found.push_back(
          {path.time(static_cast<std::size_t>(low)), path.time(static_cast<std::size_t>(high)), after - before});
      return;
    }
    const int middle = (low + high) / 2, at_middle = hessian.leading_index(n * (s * middle - 1));
    search(low, middle, before, at_middle);
    search(middle, high, at_middle, after);
  };
  const int first = s > 1 ? hessian.leading_index(n * (s - 1)) : 0;
  search(1, path.ends.steps, first, index);
  return found;
}

}  // namespace

SecondVariation second_variation(const Model& model, const Path& path, int eigenvalues) {
  SecondVariation result;
  if (path.q.size() <= 2 * path.ends.from.size()) return result;  // nothing between the ends
  const Hessian hessian(model, path);
  result.index = hessian.leading_index(hessian.pattern().n);
  add_modes(hessian, model, path.ends.t_end - path.ends.t_begin, std::max(eigenvalues, 1), result);
  const double size = std::max(std::abs(result.eigenvalues.front()), std::abs(result.eigenvalues.back()));
  result.singular = std::any_of(result.eigenvalues.begin(), result.eigenvalues.end(),
                                [&](double lambda) { return std::abs(lambda) < conjugate_ends * size; });
  result.conjugate_points = conjugate_points(hessian, path, result.index);
  return result;
}

}  // namespace livens
