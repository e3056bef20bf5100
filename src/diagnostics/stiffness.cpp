#include "diagnostics/stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <Eigen/Eigenvalues>

#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr int max_unknowns = 200'000;
constexpr int max_iterations = 500;
constexpr double tolerance = 1e-6;  // of the eigenvalue
constexpr double rough = 1e-4;      // by differences of gradients, each of which costs as much as a step
constexpr int between_looks = 8;    // at the eigenvalues of the tridiagonal matrix

// The same on every machine, and in practice with a component along every mode.
std::vector<double> mixed_vector(std::size_t n) {
  std::vector<double> x(n);
  std::uint64_t state = 1;
  for (double& value : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  }
  return x;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Lanczos' method for M^-1 K in the scalar product of M: tridiagonal matrices whose outermost eigenvalues theta
// approach those of M^-1 K. With s the last component of an eigenvector of unit length and beta the next off-diagonal,
// some eigenvalue lies within |beta s| of theta. Vectors lose their orthogonality in the long run, which repeats outer
// eigenvalues but does not move them, so that none need to be kept.
class Lanczos {
 public:
  Lanczos(std::vector<double> start, const Model& model, double share)
      : model_(model), tolerance_(share), x_(std::move(start)), before_(x_.size()), w_(x_.size()), kx_(x_.size()) {
    normalise();
  }

  int steps() const { return static_cast<int>(alpha_.size()); }
  bool settled() const { return settled_; }
  double largest_size() const { return bound_; }  // of the eigenvalues, from above

  template <class Multiply>
  void advance(const Multiply& multiply) {
    multiply(x_, kx_);
    model_.divide_mass(kx_, w_);
    alpha_.push_back(dot(x_, kx_));
    const double beta = beta_.empty() ? 0 : beta_.back();
    for (std::size_t i = 0; i < x_.size(); ++i) {
      w_[i] -= alpha_.back() * x_[i] + beta * before_[i];
      before_[i] = x_[i];
    }
    x_.swap(w_);
    beta_.push_back(normalise());
    const bool ended = !(beta_.back() > 1e-14 * std::abs(alpha_.back()));  // an invariant space, or not finite
    if (ended || steps() % between_looks == 0 || steps() == max_iterations) look();
    settled_ = settled_ || ended;
  }

 private:
  double normalise() {  // returns the length
    model_.multiply_mass(x_, kx_);
    const double length = std::sqrt(dot(x_, kx_));
    for (double& value : x_) value /= length;
    return length;
  }

  void look() {
    const Eigen::Index n = steps();
    const Eigen::Map<const Eigen::VectorXd> diagonal(alpha_.data(), n), off_diagonal(beta_.data(), n - 1);
    if (!diagonal.allFinite() || !off_diagonal.allFinite()) {
      bound_ = std::numeric_limits<double>::quiet_NaN();
      settled_ = true;
      return;
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> tridiagonal;
    tridiagonal.computeFromTridiagonal(diagonal, off_diagonal);
    double largest = 0;
    bound_ = 0;
    for (const Eigen::Index k : {Eigen::Index{0}, n - 1}) {
      const double theta = std::abs(tridiagonal.eigenvalues()[k]);
      largest = std::max(largest, theta);
      bound_ = std::max(bound_, theta + std::abs(beta_.back() * tridiagonal.eigenvectors()(n - 1, k)));
    }
    settled_ = bound_ - largest <= tolerance_ * bound_;
  }

  const Model& model_;
  double tolerance_;
  std::vector<double> x_, before_, w_, kx_;
  std::vector<double> alpha_, beta_;  // beta_[k] couples k and k + 1
  double bound_ = 0;
  bool settled_ = false;
};

// K x for K = d2W/dq2 at a state: by the matrix, or where a term has none, by a difference of gradients.
class Stiffness {
 public:
  Stiffness(const Model& model, const State& state) : model_(model), state_(state) {
    for (const auto& term : model.parts().terms) differences_ = differences_ || !term->no_hessian().empty();
    if (differences_) {
      for (auto* vector : {&moved_, &above_}) vector->resize(state.q.size());
      const auto [least, most] = std::minmax_element(state.q.begin(), state.q.end());
      size_ = *most - *least;
      return;
    }
    const Linearisation& lin = linearisation(model);
    values_.assign(static_cast<std::size_t>(lin.pattern().nonzeros()), 0.0);
    lin.add_potential(model, state.t, state.q, 1, values_);
  }

  bool exact() const { return !differences_; }
  void multiply(const std::vector<double>& x, std::vector<double>& kx) {
    if (!differences_) return linearisation(model_).pattern().multiply(values_, x, kx);
    double largest = 0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    const double step = 1e-7 * size_ / largest;
    const auto gradient = [&](double scale, std::vector<double>& g) {
      for (std::size_t i = 0; i < x.size(); ++i) moved_[i] = state_.q[i] + scale * x[i];
      model_.gradient(state_.t, moved_, g);
    };
    gradient(step, above_);
    gradient(-step, kx);
    for (std::size_t i = 0; i < x.size(); ++i) kx[i] = (above_[i] - kx[i]) / (2 * step);
  }

 private:
  const Model& model_;
  const State& state_;
  bool differences_ = false;
  double size_ = 0;  // of what the bodies take up
  std::vector<double> values_, moved_, above_;
};

}  // namespace

std::optional<double> omega_max(const Model& model, const State& state) {
  if (!model.separable() || model.size() > max_unknowns || model.parts().terms.empty()) return std::nullopt;
  Stiffness stiffness(model, state);
  Lanczos lanczos(mixed_vector(state.q.size()), model, stiffness.exact() ? tolerance : rough);
  const auto multiply = [&](const std::vector<double>& x, std::vector<double>& kx) { stiffness.multiply(x, kx); };
  while (lanczos.steps() < max_iterations && !lanczos.settled()) lanczos.advance(multiply);
  const double eigenvalue = lanczos.largest_size();
  if (!std::isfinite(eigenvalue) || !(eigenvalue > 0)) return std::nullopt;
  return std::sqrt(eigenvalue);
}

}  // namespace livens
