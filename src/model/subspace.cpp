#include "model/subspace.hpp"

#include <cmath>
#include <numeric>

namespace livens {
namespace {

constexpr double negligible = 1e-7;  // of a: what rounding and repeated equations leave

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

Subspace::Subspace(std::size_t size) : size_(size), basis_(size, std::vector<double>(size, 0.0)) {
  for (std::size_t k = 0; k < size; ++k) basis_[k][k] = 1;
}

// With c = B'a, the reflection that takes c to its first component turns the basis; its first vector goes.
void Subspace::require_zero(std::span<const double> a, double noise) {
  const double size = std::sqrt(dot(a, a));
  if (size <= noise || basis_.empty()) return;
  std::vector<double> c;
  for (const auto& b : basis_) c.push_back(dot(a, b));
  const double length = std::sqrt(dot(c, c));
  if (length <= negligible * size) return;
  std::vector<double> u = c;  // H = 1 - 2 u u' / u'u
  u[0] += c[0] < 0 ? -length : length;
  const double uu = dot(u, u);
  std::vector<double> w(size_, 0.0);  // B u
  for (std::size_t k = 0; k < basis_.size(); ++k)
    for (std::size_t i = 0; i < size_; ++i) w[i] += basis_[k][i] * u[k];
  for (std::size_t k = 1; k < basis_.size(); ++k)
    for (std::size_t i = 0; i < size_; ++i) basis_[k][i] -= 2 * u[k] / uu * w[i];
  basis_.erase(basis_.begin());
}

void Subspace::require_zero(std::size_t component) {
  std::vector<double> a(size_, 0.0);
  a[component] = 1;
  require_zero(a, 0);
}

double Subspace::norm_along(std::span<const double> a) const {
  double sum = 0;
  for (const auto& b : basis_) sum += dot(a, b) * dot(a, b);
  return std::sqrt(sum);
}

}  // namespace livens
