#include "export/decay.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/finite.hpp"

namespace livens {
namespace {

constexpr std::size_t least_swings = 6;      // three periods
constexpr double least_samples_a_swing = 4;  // fewer hide the turning points
constexpr double ripple = 0.3;               // of the last swing: what turns back by less is not a turning point
constexpr double largest_unevenness = 0.15;  // standard deviation of the times between turning points, of their mean
constexpr double largest_scatter = 0.1;      // of the logarithms of swings
constexpr double certain = 3;                // standard errors
constexpr double end_of_vibration = 1e-3;    // of the largest swing: below that the last digits are measured
constexpr double largest_rest = 0.1;         // of a peak of the kinetic energy, between peaks
constexpr double least_decay = 0.01;         // of the swings, over the whole curve

struct TurningPoint {
  double t = 0, y = 0;
};

// Where the parabola through three neighbours turns.
TurningPoint vertex(const std::vector<double>& t, const std::vector<double>& y, std::size_t k) {
  if (k == 0 || k + 1 >= t.size()) return {t[k], y[k]};
  const double left = t[k] - t[k - 1], right = t[k + 1] - t[k];
  const double slope_left = (y[k] - y[k - 1]) / left, slope_right = (y[k + 1] - y[k]) / right;
  const double curvature = (slope_right - slope_left) / (left + right);
  if (curvature == 0) return {t[k], y[k]};
  const double slope = (slope_left * right + slope_right * left) / (left + right);
  const double shift = std::clamp(-slope / (2 * curvature), -left, right);
  return {t[k] + shift, y[k] + shift * (slope + curvature * shift)};
}

// Extremes between which the curve returns far enough; the first and last sample do not count.
std::vector<TurningPoint> turning_points(const std::vector<double>& t, const std::vector<double>& y) {
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  double swing = *high - *low;
  std::vector<TurningPoint> points;
  if (!(swing > 0)) return points;
  std::size_t largest = 0, smallest = 0;
  int direction = 0;  // +1: looking for a maximum
  for (std::size_t k = 1; k < y.size(); ++k) {
    if (y[k] > y[largest]) largest = k;
    if (y[k] < y[smallest]) smallest = k;
    const double needed = ripple * swing;
    const bool fell = direction >= 0 && y[largest] - y[k] > needed;
    const bool rose = direction <= 0 && y[k] - y[smallest] > needed;
    if (!fell && !rose) continue;
    const std::size_t at = fell ? largest : smallest;
    if (at > 0) {
      if (!points.empty()) swing = std::abs(y[at] - points.back().y);
      points.push_back(vertex(t, y, at));
    }
    direction = fell ? -1 : 1;
    largest = smallest = k;
  }
  return points;
}

// Least squares, with the standard error of the slope and the scatter about the line.
struct FittedLine {
  double slope = 0, slope_error = 0, scatter = 0;
};
FittedLine fitted(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, squares = 0;
  for (std::size_t k = 0; k < x.size(); ++k) mean_x += x[k] / n, mean_y += y[k] / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xx += (x[k] - mean_x) * (x[k] - mean_x);
    xy += (x[k] - mean_x) * (y[k] - mean_y);
  }
  FittedLine line;
  line.slope = xy / xx;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double off = y[k] - mean_y - line.slope * (x[k] - mean_x);
    squares += off * off;
  }
  line.scatter = std::sqrt(squares / (n - 2));
  line.slope_error = line.scatter / std::sqrt(xx);
  return line;
}

// Sizes of a vibration at times, and the times between turning points.
struct Sizes {
  std::vector<double> t, sizes, gaps;
};

Decay measured(const Sizes& curve, double samples_a_second) {
  Decay decay;
  std::vector<double> times, logarithms, gaps;
  double largest = 0;
  for (std::size_t k = 0; k < curve.sizes.size(); ++k) {
    largest = std::max(largest, curve.sizes[k]);
    if (!(curve.sizes[k] > end_of_vibration * largest)) break;
    times.push_back(curve.t[k]);
    gaps.push_back(curve.gaps[k]);
    logarithms.push_back(std::log(curve.sizes[k]));
  }
  if (times.size() < least_swings) return decay;
  const auto n = static_cast<double>(gaps.size());
  double gap = 0, variance = 0;
  for (const double each : gaps) gap += each / n;
  for (const double each : gaps) variance += (each - gap) * (each - gap) / n;
  if (gap * samples_a_second < least_samples_a_swing || std::sqrt(variance) > largest_unevenness * gap) return decay;
  const FittedLine line = fitted(times, logarithms);
  decay.scatter = line.scatter;
  if (line.scatter > largest_scatter) return decay;
  const double omega = std::numbers::pi / gap, rate = -line.slope;
  decay.clear = true;
  decay.frequency = omega / (2 * std::numbers::pi);
  decay.ratio = rate / std::hypot(rate, omega);
  decay.ratio_error = line.slope_error / omega;
  decay.decays = rate > certain * line.slope_error && rate * (times.back() - times.front()) > least_decay;
  return decay;
}

bool is_measurable(const std::vector<double>& t, const std::vector<double>& y) {
  return t.size() >= 3 && t.size() == y.size() && all_finite(y);
}

double rate_of(const std::vector<double>& t) { return static_cast<double>(t.size() - 1) / (t.back() - t.front()); }

}  // namespace

Decay measure_decay(const std::vector<double>& t, const std::vector<double>& y) {
  if (!is_measurable(t, y)) return {};
  const std::vector<TurningPoint> points = turning_points(t, y);
  Sizes curve;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    curve.t.push_back((points[k].t + points[k + 1].t) / 2);
    curve.sizes.push_back(std::abs(points[k + 1].y - points[k].y));
    curve.gaps.push_back(points[k + 1].t - points[k].t);
  }
  return measured(curve, rate_of(t));
}

Decay measure_decay_of_energy(const std::vector<double>& t, const std::vector<double>& kinetic) {
  if (!is_measurable(t, kinetic)) return {};
  const std::vector<TurningPoint> points = turning_points(t, kinetic);
  Sizes peaks;
  for (std::size_t k = 1; k + 1 < points.size(); ++k) {
    if (points[k].y < points[k + 1].y) continue;
    // Between two peaks of one mode everything stands still.
    if (points[k + 1].y > largest_rest * points[k].y) return {};
    peaks.t.push_back(points[k].t);
    peaks.sizes.push_back(std::sqrt(points[k].y));
    peaks.gaps.push_back(points[k + 1].t - points[k - 1].t);
  }
  return measured(peaks, rate_of(t));
}

}  // namespace livens
