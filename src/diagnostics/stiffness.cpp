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

}  // namespace

std::optional<double> omega_max(const Model& model, const State& state) {
  if (!model.separable() || model.size() > max_unknowns || model.parts().terms.empty()) return std::nullopt;
  const Linearisation& lin = linearisation(model);
  std::vector<double> values(lin.pattern().nonzeros(), 0.0);
  lin.add_potential(model, state.t, state.q, 1, values);
  std::vector<double> x = mixed_vector(state.q.size()), kx(x.size()), mx(x.size());
  double eigenvalue = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    model.multiply_mass(x, mx);
    const double length = std::sqrt(dot(x, mx));
    for (double& value : x) value /= length;
    lin.pattern().multiply(values, x, kx);
    model.divide_mass(kx, mx);
    // The size of M^-1 K x in the norm of M: right also where eigenvalues of both signs are equally large.
    const double next = std::sqrt(std::abs(dot(kx, mx)));
    const bool settled = std::abs(next - eigenvalue) <= tolerance * next;
    eigenvalue = next;
    if (settled || !std::isfinite(eigenvalue) || eigenvalue == 0) break;
    x.swap(mx);
  }
  if (!std::isfinite(eigenvalue) || !(eigenvalue > 0)) return std::nullopt;
  return std::sqrt(eigenvalue);
}

}  // namespace livens
