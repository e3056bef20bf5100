#include "math/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/symmetric_eigen.hpp"

namespace livens {
namespace {

constexpr int between_looks = 8;  // at the eigenvalues of the tridiagonal matrix

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::vector<double> mixed_vector(std::size_t n) {
  std::vector<double> x(n);
  std::uint64_t state = 1;
  for (double& value : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  }
  return x;
}

Lanczos::Lanczos(std::vector<double> start, Maps maps, double tolerance, int most_steps)
    : maps_(std::move(maps)),
      tolerance_(tolerance),
      most_steps_(most_steps),
      x_(std::move(start)),
      before_(x_.size()),
      w_(x_.size()),
      kx_(x_.size()) {
  normalise();
}

void Lanczos::run() {
  while (static_cast<int>(alpha_.size()) < most_steps_ && !settled_) advance();
}

void Lanczos::advance() {
  maps_.K(x_, kx_);
  maps_.divide_by_M(kx_, w_);
  alpha_.push_back(dot(x_, kx_));
  const double beta = beta_.empty() ? 0 : beta_.back();
  for (std::size_t i = 0; i < x_.size(); ++i) {
    w_[i] -= alpha_.back() * x_[i] + beta * before_[i];
    before_[i] = x_[i];
  }
  x_.swap(w_);
  beta_.push_back(normalise());
  const int steps = static_cast<int>(alpha_.size());
  const bool ended = !(beta_.back() > 1e-14 * std::abs(alpha_.back()));  // an invariant space, or not finite
  if (ended || steps % between_looks == 0 || steps == most_steps_) look();
  settled_ = settled_ || ended;
}

double Lanczos::normalise() {
  maps_.M(x_, kx_);
  const double length = std::sqrt(dot(x_, kx_));
  for (double& value : x_) value /= length;
  return length;
}

void Lanczos::look() {
  const auto n = static_cast<Eigen::Index>(alpha_.size());
  const Eigen::Map<const Eigen::VectorXd> diagonal(alpha_.data(), n), off_diagonal(beta_.data(), n - 1);
  if (!diagonal.allFinite() || !off_diagonal.allFinite()) {
    bound_ = largest_ = std::numeric_limits<double>::quiet_NaN();
    settled_ = true;
    return;
  }
  const SymmetricEigen tridiagonal = tridiagonal_eigen(diagonal, off_diagonal);
  bound_ = largest_ = 0;
  for (const Eigen::Index k : {Eigen::Index{0}, n - 1}) {
    const double theta = std::abs(tridiagonal.values[k]);
    largest_ = std::max(largest_, theta);
    bound_ = std::max(bound_, theta + std::abs(beta_.back() * tridiagonal.vectors(n - 1, k)));
  }
  settled_ = bound_ - largest_ <= tolerance_ * bound_;
}

}  // namespace livens
