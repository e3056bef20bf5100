#include "model/partition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace livens {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
constexpr int most_nodes = 16;  // of a stencil

}  // namespace

// f(end) - f(begin) as it stands where what the middle leaves of it, R, is much more than its rounding. Otherwise R by
// three Gauss points, whose error is of order 7 in y - x while R is of order 3.
double Partition::quotient(ScalarFunction& f, std::size_t i, double x, double y, double& value) {
  point_ = begin_;
  point_[i] = 0.5 * (x + y);
  f.gradient(point_, gradient_);
  const double middle = gradient_[i], way = y - x, before = value;
  begin_[i] = y;
  value = f.value(begin_);
  if (way == 0) return middle;
  const double rest = (value - before) - middle * way;
  const double size = std::abs(value) + std::abs(before) + std::abs(middle * way);
  if (!(std::abs(rest) < 1e5 * unit_roundoff * size)) return middle + rest / way;  // also if it is not a number
  double sum = 0;
  for (const double place : {0.5 - std::sqrt(0.15), 0.5 + std::sqrt(0.15)}) {
    point_[i] = x + place * way;
    f.gradient(point_, gradient_);
    sum += gradient_[i] - middle;
  }
  return middle + 5.0 / 18 * sum;
}

void Partition::evaluate(ScalarFunction& f, ConstVector x, ConstVector y, std::span<const int> own, Vector d) {
  const std::size_t n = x.size(), count = own.empty() ? n : own.size();
  point_.resize(n);
  gradient_.resize(n);
  if (own.empty()) {
    std::fill(d.begin(), d.end(), 0.0);
  } else {
    for (std::size_t i = 0; i < n; ++i) point_[i] = 0.5 * (x[i] + y[i]);
    f.gradient(point_, d);
    for (const int i : own) d[i] = 0;
  }
  for (const bool backward : {false, true}) {
    begin_.assign(x.begin(), x.end());
    double value = f.value(begin_);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t place = backward ? count - 1 - k : k;
      const auto i = own.empty() ? place : static_cast<std::size_t>(own[place]);
      d[i] += 0.5 * quotient(f, i, x[i], y[i], value);
    }
  }
}

// The quotient of coordinate i depends on y_i and, through both ends of its way, on the y of those that went before it.
void Partition::add_row(ScalarFunction& f, std::size_t i, double x, double y, double length, std::span<const char> done,
                        double* row) {
  const double way = y - x, half = std::max(0.5 * std::abs(way), near * length), middle = 0.5 * (x + y);
  const bool across = half > 0.5 * std::abs(way);
  const double sign = way < 0 ? -1 : 1;
  double value = f.value(begin_), q = 0;
  if (!across) {
    q = quotient(f, i, x, y, value);
    begin_[i] = x;
  }
  point_ = begin_;
  point_[i] = middle - sign * half;
  f.gradient(point_, gradient_);
  point_[i] = middle + sign * half;
  f.gradient(point_, other_);
  for (std::size_t j = 0; j < done.size(); ++j)
    if (done[j] != 0) row[j] += 0.5 * (other_[j] - gradient_[j]) / (2 * sign * half);
  row[i] += across ? 0.25 * (other_[i] - gradient_[i]) / (2 * sign * half) : 0.5 * (other_[i] - q) / way;
}

void Partition::add_jacobian(ScalarFunction& f, ConstVector x, ConstVector y, double length, double* jacobian) {
  const std::size_t n = x.size();
  for (auto* vector : {&point_, &gradient_, &other_}) vector->resize(n);
  for (const bool backward : {false, true}) {
    begin_.assign(x.begin(), x.end());
    done_.assign(n, 0);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = backward ? n - 1 - k : k;
      add_row(f, i, x[i], y[i], length, done_, jacobian + i * n);
      done_[i] = 1;
      begin_[i] = y[i];
    }
  }
}

// Stencil k as a function of its coordinates in their order.
class PartitionedStencils::One final : public ScalarFunction {
 public:
  One(const Stencils& stencils, int k, int dimension, std::span<const int> order)
      : stencils_(stencils), k_(k), dimension_(dimension), order_(order) {}
  double value(ConstVector x) override { return evaluate(x); }
  void gradient(ConstVector x, Vector g) override {
    evaluate(x);
    for (std::size_t i = 0; i < g.size(); ++i) g[i] = gradient_[place(i)];
  }

 private:
  std::size_t place(std::size_t i) const {
    const auto d = static_cast<std::size_t>(dimension_);
    return 4 * static_cast<std::size_t>(order_[i / d]) + i % d;
  }
  double evaluate(ConstVector x) {
    x_.fill(0);
    for (std::size_t i = 0; i < x.size(); ++i) x_[place(i)] = x[i];
    return stencils_.evaluate(k_, x_.data(), gradient_.data());
  }

  const Stencils& stencils_;
  int k_, dimension_;
  std::span<const int> order_;  // nodes of the stencil by their coordinates
  alignas(32) std::array<double, 4 * most_nodes> x_{}, gradient_{};
};

PartitionedStencils::PartitionedStencils(std::shared_ptr<const Stencils> stencils, int dimension)
    : stencils_(std::move(stencils)), dimension_(dimension) {}

template <class Use>
void PartitionedStencils::each(ConstVector x, ConstVector y, const Use& use) {
  const int per = stencils_->per_stencil();
  std::array<int, most_nodes> order;
  const auto n = static_cast<std::size_t>(per * dimension_);
  coordinates_.resize(n);
  for (auto* vector : {&x_, &y_, &d_}) vector->resize(n);
  for (int k = 0; k < stencils_->count(); ++k) {
    const std::span<const int> nodes = stencils_->nodes(k);
    std::iota(order.begin(), order.begin() + per, 0);
    std::sort(order.begin(), order.begin() + per, [&](int a, int b) { return nodes[a] < nodes[b]; });
    for (std::size_t i = 0; i < n; ++i) {
      const auto d = static_cast<std::size_t>(dimension_);
      coordinates_[i] = nodes[order[i / d]] + static_cast<int>(i % d);
      x_[i] = x[coordinates_[i]];
      y_[i] = y[coordinates_[i]];
    }
    One one(*stencils_, k, dimension_, std::span<const int>(order.data(), static_cast<std::size_t>(per)));
    use(one);
  }
}

void PartitionedStencils::add_gradient(ConstVector x, ConstVector y, Vector sum) {
  each(x, y, [&](ScalarFunction& one) {
    partition_.evaluate(one, x_, y_, {}, d_);
    for (std::size_t i = 0; i < d_.size(); ++i) sum[coordinates_[i]] += d_[i];
  });
}

void PartitionedStencils::add_tangent(ConstVector x, ConstVector y, double scale, const Linearisation& linearisation,
                                      Vector values) {
  const auto d = static_cast<std::size_t>(dimension_);
  linearisation.add_blocks(values, [&](const Linearisation::BlockUse& add) {
    each(x, y, [&](ScalarFunction& one) {
      double length = 0;
      for (std::size_t i = 0; i < x_.size(); ++i)
        length = std::max({length, std::abs(x_[i] - x_[i % d]), std::abs(y_[i] - x_[i])});
      if (length == 0) length = std::max(1.0, *std::max_element(x_.begin(), x_.end()));
      block_.assign(x_.size() * x_.size(), 0.0);
      partition_.add_jacobian(one, x_, y_, length, block_.data());
      for (double& value : block_) value *= scale;
      add(coordinates_, block_);
    });
  });
}

}  // namespace livens
