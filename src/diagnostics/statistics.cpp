#include "diagnostics/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace livens {
namespace {

constexpr std::size_t max_bins = 256;  // even; in a long run the last half has between 64 and 128 of them
constexpr std::size_t bin_size = 7;

// Moments of the samples (t, y) of one bin, centred so that long times do not cancel, and their extremes.
struct Bin {
  double n = 0, t = 0, y = 0, tt = 0, ty = 0, low = 0, high = 0;

  static Bin at(const std::vector<double>& bins, std::size_t k) {
    const double* b = bins.data() + k * bin_size;
    return {b[0], b[1], b[2], b[3], b[4], b[5], b[6]};
  }
  void store(std::vector<double>& bins, std::size_t k) const {
    double* b = bins.data() + k * bin_size;
    b[0] = n, b[1] = t, b[2] = y, b[3] = tt, b[4] = ty, b[5] = low, b[6] = high;
  }
  // One more sample: what add() makes of it, with one division.
  void add_one(double at, double value) {
    const double share = 1 / (n + 1), dt = at - t, dy = value - y, weight = n * share * dt;
    tt += weight * dt;
    ty += weight * dy;
    t += dt * share;
    y += dy * share;
    n += 1;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // The moments of both sets of samples together [Chan, Golub, LeVeque 1983].
  void add(const Bin& other) {
    const double total = n + other.n, dt = other.t - t, dy = other.y - y, weight = n * other.n / total;
    tt += other.tt + weight * dt * dt;
    ty += other.ty + weight * dt * dy;
    t += dt * other.n / total;
    y += dy * other.n / total;
    n = total;
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// Energies oscillate, so that neighbouring samples are not independent. As many bin means count as independent as there
// are stretches on one side of the line: for a sine of N periods that is 2N, and its slope stays within three errors.
double slope_error(const std::vector<Bin>& bins, const Bin& all, double slope) {
  double sum = 0, stretches = 1;
  bool above = false;
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const double residual = bins[k].y - all.y - slope * (bins[k].t - all.t);
    sum += bins[k].n * residual * residual;
    if (k > 0 && (residual > 0) != above) ++stretches;
    above = residual > 0;
  }
  return std::sqrt(sum / (all.tt * stretches));
}

}  // namespace

void Series::add(double t, double value) {
  if (std::isnan(value)) return;  // undefined there
  if (count_++ == 0) {
    first_ = min_ = max_ = value;
    t_first_ = t;
  }
  last_ = value;
  t_last_ = t;
  largest_fall_ = std::max(largest_fall_, max_ - value);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  largest_drift_ = std::max(largest_drift_, std::abs(value - first_));
  const std::size_t bins = bins_.size() / bin_size;
  const bool open = bins > 0 && bins_[(bins - 1) * bin_size] < static_cast<double>(bin_samples_);
  if (!open && bins == max_bins) merge_bins();
  if (open) {
    Bin bin = Bin::at(bins_, bins - 1);
    bin.add_one(t, value);
    bin.store(bins_, bins - 1);
  } else {
    bins_.resize(bins_.size() + bin_size);
    const Bin sample{1, t, value, 0, 0, value, value};
    sample.store(bins_, bins_.size() / bin_size - 1);
  }
}

void Series::merge_bins() {
  const std::size_t half = bins_.size() / bin_size / 2;
  for (std::size_t k = 0; k < half; ++k) {
    Bin bin = Bin::at(bins_, 2 * k);
    bin.add(Bin::at(bins_, 2 * k + 1));
    bin.store(bins_, k);
  }
  bins_.resize(half * bin_size);
  bin_samples_ *= 2;
}

// A bounded oscillation has its eight means in one order out of 40 320 by chance.
bool Series::is_steady() const {
  constexpr std::size_t stretches = 8;
  Bin sums[stretches];
  for (std::size_t k = 0; k < bins_.size() / bin_size; ++k) {
    const Bin bin = Bin::at(bins_, k);
    const auto stretch = static_cast<std::size_t>((bin.t - t_first_) / (t_last_ - t_first_) * stretches);
    Bin& sum = sums[std::min(stretch, stretches - 1)];
    if (sum.n > 0)
      sum.add(bin);
    else
      sum = bin;
  }
  const bool rises = sums[stretches - 1].y > sums[0].y;
  for (std::size_t k = 0; k + 1 < stretches; ++k)
    if (sums[k].n == 0 || sums[k + 1].n == 0 || (sums[k + 1].y > sums[k].y) != rises) return false;
  return true;
}

std::vector<double> Series::ranges(std::size_t stretches) const {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(stretches, infinity), high(stretches, -infinity);
  for (std::size_t k = 0; k < bins_.size() / bin_size; ++k) {
    const Bin bin = Bin::at(bins_, k);
    const double part = t_last_ > t_first_ ? (bin.t - t_first_) / (t_last_ - t_first_) : 0;
    const auto s = std::min(static_cast<std::size_t>(part * static_cast<double>(stretches)), stretches - 1);
    low[s] = std::min(low[s], bin.low);
    high[s] = std::max(high[s], bin.high);
  }
  std::vector<double> result(stretches);
  for (std::size_t s = 0; s < stretches; ++s) result[s] = std::max(0.0, high[s] - low[s]);
  return result;
}

int Series::late_crossings() const {
  const std::size_t bins = bins_.size() / bin_size;
  double sum = 0, count = 0;
  for (std::size_t k = bins / 2; k < bins; ++k) {
    const Bin bin = Bin::at(bins_, k);
    sum += bin.n * bin.y;
    count += bin.n;
  }
  int crossings = 0;
  bool above = false;
  for (std::size_t k = bins / 2; k < bins; ++k) {
    const bool now = Bin::at(bins_, k).y * count > sum;
    if (k > bins / 2 && now != above) ++crossings;
    above = now;
  }
  return crossings;
}

double Series::early_range(double middle) const {
  double low = first_, high = first_;
  for (std::size_t k = 0; k < bins_.size() / bin_size; ++k) {
    const Bin bin = Bin::at(bins_, k);
    if (bin.t >= middle) break;
    low = std::min(low, bin.y);
    high = std::max(high, bin.y);
  }
  return high - low;
}

Trend Series::late_trend() const {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double middle = t_first_ + 0.5 * (t_last_ - t_first_);
  std::vector<Bin> late;
  Bin all;
  for (std::size_t k = 0; k < bins_.size() / bin_size; ++k) {
    const Bin bin = Bin::at(bins_, k);
    if (bin.t < middle) continue;
    late.push_back(bin);
    if (all.n > 0)
      all.add(bin);
    else
      all = bin;
  }
  if (late.size() < 4 || !(all.tt > 0)) return {nan, nan, 0, false, 0};
  const double slope = all.ty / all.tt;
  return {slope, slope_error(late, all, slope), t_last_ - late.front().t, is_steady(), early_range(middle)};
}

void Series::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("count", count_);
  visitor.visit("bin_samples", bin_samples_);
  visitor.visit("first", first_);
  visitor.visit("last", last_);
  visitor.visit("min", min_);
  visitor.visit("max", max_);
  visitor.visit("largest_drift", largest_drift_);
  visitor.visit("largest_fall", largest_fall_);
  visitor.visit("t_first", t_first_);
  visitor.visit("t_last", t_last_);
  visitor.visit("bins", bins_);
}

void EnergyExcess::add(double energy_error, double potential) {
  if (!std::isfinite(energy_error) || !std::isfinite(potential)) return;
  if (count_ == 0) first_potential_ = potential;
  const double release = std::max(0.0, first_potential_ - potential);
  ++count_;
  release_ += release;
  largest_ = std::max(largest_, std::abs(energy_error) - allowed * release);
}

void EnergyExcess::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("excess_count", count_);
  visitor.visit("first_potential", first_potential_);
  visitor.visit("release", release_);
  visitor.visit("excess", largest_);
}

}  // namespace livens
