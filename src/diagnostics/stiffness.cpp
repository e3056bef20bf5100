#include "diagnostics/stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/lanczos.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr int max_unknowns = 200'000;
constexpr int max_iterations = 500;
constexpr double tolerance = 1e-6;  // of the eigenvalue
constexpr double rough = 1e-4;      // by differences of gradients, each as dear as a step

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
  Lanczos lanczos(mixed_vector(state.q.size()),
                  {[&](const Lanczos::Values& x, Lanczos::Values& kx) { stiffness.multiply(x, kx); },
                   [&](const Lanczos::Values& x, Lanczos::Values& mx) { model.multiply_mass(x, mx); },
                   [&](const Lanczos::Values& x, Lanczos::Values& y) { model.divide_mass(x, y); }},
                  stiffness.exact() ? tolerance : rough, max_iterations);
  lanczos.run();
  const double eigenvalue = lanczos.largest_size();
  if (!std::isfinite(eigenvalue) || !(eigenvalue > 0)) return std::nullopt;
  return std::sqrt(eigenvalue);
}

}  // namespace livens
