#include "laws/trend.hpp"

#include <algorithm>
#include <cmath>

namespace livens::laws {
namespace {

constexpr std::size_t blocks = 16;
// A steady drift moves by half its band in the last half; an oscillation by about band / (number of its periods).
constexpr double most_of_bounded = 0.08, least_of_drifting = 0.2;

}  // namespace

bool Trend::bounded() const {
  return !drifting() && std::abs(late_drift) <= std::max(most_of_bounded * band, 2 * drift_error);
}
bool Trend::drifting() const {
  return std::abs(late_drift) >= least_of_drifting * band && std::abs(late_drift) > 3 * drift_error;
}

Trend trend_of(const std::vector<double>& values) {
  Trend trend;
  if (values.size() < 4 * blocks) return trend;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  trend.band = *high - *low;
  const std::size_t length = values.size() / 2 / blocks, first = values.size() - length * blocks;
  // Straight line through the means of the blocks; x runs from -1/2 to 1/2 over the last half.
  std::vector<double> mean(blocks, 0.0), x(blocks);
  double sum = 0, sum_xx = 0, sum_xy = 0, residual = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < length; ++i) mean[b] += values[first + b * length + i] - values[first];
    mean[b] /= static_cast<double>(length);
    x[b] = (static_cast<double>(b) + 0.5) / blocks - 0.5;
    sum += mean[b];
    sum_xx += x[b] * x[b];
    sum_xy += x[b] * mean[b];
  }
  trend.late_drift = sum_xy / sum_xx;
  for (std::size_t b = 0; b < blocks; ++b) {
    const double r = mean[b] - sum / blocks - trend.late_drift * x[b];
    residual += r * r;
  }
  trend.drift_error = std::sqrt(residual / (blocks - 2) / sum_xx);
  return trend;
}

}  // namespace livens::laws
