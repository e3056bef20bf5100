#include "model/discrete_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace livens {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
// Of A: how far the ratio may be from 1 anyway, and the cosine of way and gradient above which it may be anything.
constexpr double largest_share = 10, least_cosine = 1e-3;

double dot(ConstVector a, ConstVector x, ConstVector y) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * (y[i] - x[i]);
  return sum;
}

double square_of(ConstVector a) {
  double sum = 0;
  for (const double value : a) sum += value * value;
  return sum;
}

void interpolate(ConstVector x, ConstVector y, double c, Vector point) {
  for (std::size_t i = 0; i < x.size(); ++i) point[i] = x[i] + c * (y[i] - x[i]);
}

// Which coordinates blocks are added to.
class TouchedSink final : public MatrixSink {
 public:
  explicit TouchedSink(std::size_t n) : touched(n, false) {}
  void add_block(std::span<const int> rows, std::span<const int>, const double*) override {
    for (const int i : rows) touched[i] = true;
  }
  BlockAccess blocks(std::span<const int> first, int, int dimension) override {
    for (const int i : first)
      for (int c = 0; c < dimension; ++c) touched[i + c] = true;
    return {};
  }
  std::vector<bool> touched;
};

}  // namespace

std::vector<int> curved_coordinates(const EnergyTerm& term, std::size_t n) {
  TouchedSink sink(n);
  const std::vector<double> anywhere(n, 0.0);
  term.add_hessian(0, anywhere, 1, sink);
  std::vector<int> own;
  for (std::size_t i = 0; i < n; ++i)
    if (sink.touched[i]) own.push_back(static_cast<int>(i));
  return own;
}

double DiscreteDerivative::square(ConstVector x, ConstVector y) const {
  double sum = 0;
  for (const int i : own_) sum += (y[i] - x[i]) * (y[i] - x[i]);
  for (std::size_t i = 0; i < x.size() && own_.empty(); ++i) sum += (y[i] - x[i]) * (y[i] - x[i]);
  return sum;
}

void DiscreteDerivative::add_difference(ConstVector x, ConstVector y, double scale, Vector z) const {
  for (const int i : own_) z[i] += scale * (y[i] - x[i]);
  for (std::size_t i = 0; i < x.size() && own_.empty(); ++i) z[i] += scale * (y[i] - x[i]);
}

DerivativeForm derivative_form(const std::string& name) {
  if (name == "equivariant") return DerivativeForm::equivariant;
  if (name == "scaled_midpoint") return DerivativeForm::scaled_midpoint;
  if (name == "collocation") return DerivativeForm::collocation;
  if (name == "corrected_midpoint") return DerivativeForm::corrected_midpoint;
  if (name == "partitioned") return DerivativeForm::partitioned;
  throw std::invalid_argument("unknown discrete derivative '" + name + "'");
}

// f(y) - f(x) - f'(m).d as it stands where that is much more than its rounding. Otherwise by three Gauss points,
// 5/18 [(f'(x + c1 d) - f'(m)).d + (f'(x + c3 d) - f'(m)).d], whose error is of order d^7 while R is of order d^3:
// there R is below 1e-11 of f, so that d is small.
double DiscreteDerivative::remainder(ScalarFunction& f, ConstVector x, ConstVector y) {
  const double f0 = f.value(x), f1 = f.value(y);
  double along = 0, size = std::abs(f0) + std::abs(f1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double part = gradient_[i] * (y[i] - x[i]);
    along += part;
    size += std::abs(part);
  }
  const double direct = (f1 - f0) - along;
  if (!(std::abs(direct) < 1e5 * epsilon * size)) return direct;  // also if it is not a number
  point_.resize(x.size());
  other_.resize(x.size());
  const double c = std::sqrt(0.15);
  double sum = 0;
  for (const double shift : {0.5 - c, 0.5 + c}) {
    interpolate(x, y, shift, point_);
    f.gradient(point_, other_);
    for (std::size_t i = 0; i < x.size(); ++i) sum += (other_[i] - gradient_[i]) * (y[i] - x[i]);
  }
  return 5.0 / 18 * sum;
}

// beta with (f'(x + beta d) - f'(m)).d = R. The mean value theorem has one in (0, 1); of several the one nearest to the
// middle is looked for, on both sides of it in steps, and found by bisection and secants (Illinois).
bool DiscreteDerivative::collocate(ScalarFunction& f, ConstVector x, ConstVector y, double R, Vector d) {
  constexpr int steps = 16;
  point_.resize(x.size());
  other_ = gradient_;
  const auto defect = [&](double beta) {
    interpolate(x, y, beta, point_);
    f.gradient(point_, d);
    double sum = -R;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (d[i] - other_[i]) * (y[i] - x[i]);
    return sum;
  };
  double size = std::abs(R);
  for (std::size_t i = 0; i < x.size(); ++i) size += std::abs(other_[i] * (y[i] - x[i]));
  double near[2] = {0.5, 0.5}, at_near[2] = {-R, -R};
  for (int k = 1; k <= steps; ++k)
    for (const int side : {0, 1}) {
      const double far = 0.5 + (side == 0 ? -0.5 : 0.5) * k / steps, at_far = defect(far);
      if (at_near[side] * at_far > 0) {
        near[side] = far;
        at_near[side] = at_far;
        continue;
      }
      double a = near[side], fa = at_near[side], b = far, fb = at_far;
      for (int n = 0; n < 100; ++n) {
        place_ = fb == fa ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa);
        const double value = defect(place_);
        if (std::abs(value) <= 2 * epsilon * size || std::abs(b - a) <= epsilon) return true;
        if (value * fb < 0) {
          a = b;
          fa = fb;
        } else {
          fa *= 0.5;
        }
        b = place_;
        fb = value;
      }
      return std::abs(fb) <= 1e-12 * size;
    }
  return false;
}

bool DiscreteDerivative::evaluate(ScalarFunction& f, ConstVector x, ConstVector y, Vector d, std::span<const int> own) {
  own_ = own;
  place_ = 0.5;
  solved_ = apply(f, x, y, d);
  if (!solved_) place_ = 0.5;
  return solved_;
}

DiscreteDerivative::Tangent DiscreteDerivative::tangent(ScalarFunction& f, ConstVector x, ConstVector y, ConstVector e,
                                                        Vector u, Vector c) {
  Tangent result;
  const std::size_t n = x.size();
  if (form_ == DerivativeForm::partitioned || !solved_ || remainder_ == 0) return result;
  const double along = dot(gradient_, x, y);
  const double length = square(x, y), curvature = dot(e, x, y);
  f.gradient(y, c);  // f'(y)
  if (form_ == DerivativeForm::scaled_midpoint) {
    // ratio f'(m) with ratio = 1 + R / f'(m).d, d ratio/dy = [f'(y) - ratio (f'(m) + H d / 2)] / f'(m).d
    const double ratio = 1 + remainder_ / along;
    result.factor = 0.5 * (1 + share_ * (ratio - 1));
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = gradient_[i];
      c[i] = share_ * (c[i] - ratio * (gradient_[i] + 0.5 * e[i])) / along;
    }
    result.rank_one = true;
  } else if (form_ == DerivativeForm::collocation) {
    // f'(z), z = x + beta d, d beta/dy = [f'(y) - f'(z) - beta H d] / d.H d
    if (curvature == 0) return result;
    point_.resize(n);
    other_.resize(n);
    interpolate(x, y, place_, point_);
    f.gradient(point_, other_);
    result.factor = place_;
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = e[i];
      c[i] = (c[i] - other_[i] - place_ * e[i]) / curvature;
    }
    result.rank_one = true;
  } else if (length > 0) {
    // f'(m) + s d, s = R / |d|^2, ds/dy = [f'(y) - f'(m) - H d / 2 - 2 s d] / |d|^2
    result.shift = remainder_ / length;
    std::fill(u.begin(), u.end(), 0.0);
    add_difference(x, y, 1, u);
    for (std::size_t i = 0; i < n; ++i) c[i] = (c[i] - gradient_[i] - 0.5 * e[i] - 2 * result.shift * u[i]) / length;
    result.rank_one = true;
  }
  return result;
}

bool DiscreteDerivative::apply(ScalarFunction& f, ConstVector x, ConstVector y, Vector d) {
  const std::size_t n = x.size();
  if (form_ == DerivativeForm::partitioned) {
    partition_.evaluate(f, x, y, own_, d);
    return true;
  }
  middle_.resize(n);
  gradient_.resize(n);
  for (std::size_t i = 0; i < n; ++i) middle_[i] = 0.5 * (x[i] + y[i]);
  f.gradient(middle_, gradient_);
  const double R = remainder_ = remainder(f, x, y);
  std::copy(gradient_.begin(), gradient_.end(), d.begin());
  if (R == 0) return true;
  if (share_ == 0) return false;
  switch (form_) {
    case DerivativeForm::scaled_midpoint: {
      const double along = dot(gradient_, x, y);
      // f'(m) (1 + R / f'(m).d): the second part has the length R / (|d| cos), which is small wherever R is, also where
      // f'(m) vanishes. Nearly tangent to the level set, with cos = 0, it grows without bound.
      const double across = least_cosine * std::sqrt(square(x, y) * square_of(gradient_));
      if (!(std::abs(R) <= largest_share * std::abs(along)) && !(std::abs(along) > across)) return false;
      for (double& value : d) value *= 1 + share_ * R / along;
      return true;
    }
    case DerivativeForm::collocation:
      if (collocate(f, x, y, R, d)) return true;
      std::copy(gradient_.begin(), gradient_.end(), d.begin());
      return false;
    default:
      if (const double length = square(x, y); length > 0) add_difference(x, y, R / length, d);
      return true;
  }
}

}  // namespace livens
