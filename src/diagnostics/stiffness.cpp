#include "diagnostics/stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr int max_unknowns = 200'000;
constexpr int max_iterations = 500;
constexpr double tolerance = 1e-6;  // change of the eigenvalue in one iteration
constexpr double rough = 1e-4;      // by differences of gradients, each as dear as a step

// Equal on every machine, and with a part along every mode for all practical purposes.
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

// K x for K = d2W/dq2 at a state: of a matrix, or where terms have none by a difference of the gradient.
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
  std::vector<double> x = mixed_vector(state.q.size()), kx(x.size()), mx(x.size());
  double eigenvalue = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    model.multiply_mass(x, mx);
    const double length = std::sqrt(dot(x, mx));
    for (double& value : x) value /= length;
    stiffness.multiply(x, kx);
    model.divide_mass(kx, mx);
    // The size of M^-1 K x in the norm of M: right also where eigenvalues of both signs are equally large.
    const double next = std::sqrt(std::abs(dot(kx, mx)));
    const bool settled = std::abs(next - eigenvalue) <= (stiffness.exact() ? tolerance : rough) * next;
    eigenvalue = next;
    if (settled || !std::isfinite(eigenvalue) || eigenvalue == 0) break;
    x.swap(mx);
  }
  if (!std::isfinite(eigenvalue) || !(eigenvalue > 0)) return std::nullopt;
  return std::sqrt(eigenvalue);
}

}  // namespace livens
