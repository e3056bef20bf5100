// Long curves as the few points that a screen can show.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "report/plot_parts.hpp"

namespace livens {

using namespace plot_parts;

namespace {

constexpr std::size_t most_points_along_x = 4000;
constexpr std::size_t most_points_of_portrait = 20000;

Curve selected(const Curve& curve, const std::vector<std::size_t>& indices) {
  Curve result{curve.label, {}, {}, curve.style};
  result.x.reserve(indices.size());
  result.y.reserve(indices.size());
  for (const std::size_t i : indices) {
    result.x.push_back(curve.x[i]);
    result.y.push_back(curve.y[i]);
  }
  return result;
}

// Evenly by index; a gap between two chosen points takes the place of the second.
std::vector<std::size_t> even_indices(const std::vector<double>& w, std::size_t wanted) {
  const std::size_t n = w.size();
  std::vector<std::size_t> indices{0};
  for (std::size_t k = 1, from = 1; k < wanted; ++k) {
    const std::size_t chosen = k * (n - 1) / (wanted - 1);
    std::size_t gap = from;
    while (gap < chosen && !std::isnan(w[gap])) ++gap;
    indices.push_back(k + 1 < wanted ? gap : chosen);
    from = chosen + 1;
  }
  return indices;
}

// One stretch of an envelope: where y is smallest and largest, and where the curve is interrupted.
class Stretch {
 public:
  void add(std::size_t i, double w) {
    if (std::isnan(w)) {
      if (gap_ == none) gap_ = i;
      return;
    }
    if (smallest_ == none || w < low_) smallest_ = i, low_ = w;
    if (largest_ == none || w > high_) largest_ = i, high_ = w;
  }
  void append_to(std::vector<std::size_t>& indices) const {
    std::array<std::size_t, 3> chosen{smallest_, largest_, gap_};
    std::sort(chosen.begin(), chosen.end());
    for (const std::size_t i : chosen)
      if (i != none && indices.back() != i) indices.push_back(i);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t smallest_ = none, largest_ = none, gap_ = none;
  double low_ = 0, high_ = 0;
};

// Stretches of equal numbers of points; on a logarithmic x, of equal length on the axis.
std::vector<std::size_t> envelope_indices(const std::vector<double>& u, const std::vector<double>& w, Scale x_scale) {
  const std::size_t n = w.size();
  const bool gaps = std::any_of(w.begin(), w.end(), [](double value) { return std::isnan(value); });
  const std::size_t stretches = (most_points_along_x - 2) / (gaps ? 3 : 2);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : u)
    if (!std::isnan(value)) low = std::min(low, value), high = std::max(high, value);
  const bool by_length = x_scale == Scale::log && low < high;

  std::vector<std::size_t> indices{0};
  Stretch stretch;
  std::size_t current = 0;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    std::size_t owner = (i - 1) * stretches / (n - 2);
    if (by_length) {
      const double share = (u[i] - low) / (high - low) * static_cast<double>(stretches);
      owner = std::isnan(u[i]) ? current : std::min(static_cast<std::size_t>(share), stretches - 1);
    }
    if (owner != current) {
      stretch.append_to(indices);
      stretch = {};
      current = owner;
    }
    stretch.add(i, w[i]);
  }
  stretch.append_to(indices);
  indices.push_back(n - 1);
  return indices;
}

double range(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0 : *high - *low;
}

}  // namespace

bool is_sparse(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> jumps;
  const double size = std::max(range(x), range(y));
  for (std::size_t k = 1; k < x.size(); ++k) jumps.push_back(std::hypot(x[k] - x[k - 1], y[k] - y[k - 1]));
  if (jumps.empty()) return true;
  const auto middle = jumps.begin() + static_cast<std::ptrdiff_t>(jumps.size() / 2);
  std::nth_element(jumps.begin(), middle, jumps.end());
  return *middle > 0.15 * size;
}

Curve thinned(const Curve& curve, Scale x_scale, Scale y_scale) {
  const std::size_t n = size(curve);
  const bool monotonic = is_monotonic(curve.x, n);
  if (n <= (monotonic ? most_points_along_x : most_points_of_portrait)) {
    Curve result = curve;
    result.x.resize(n);
    result.y.resize(n);
    return result;
  }
  std::vector<double> u(n), w(n);
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = scaled(curve.x[i], x_scale);
    w[i] = std::isnan(u[i]) ? not_a_number : scaled(curve.y[i], y_scale);
  }
  return selected(curve, monotonic ? envelope_indices(u, w, x_scale) : even_indices(w, most_points_of_portrait));
}

}  // namespace livens
