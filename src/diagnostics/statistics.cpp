#include "diagnostics/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "math/pack.hpp"

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

// Series that have as many samples, and hence the same bins, side by side: four in each of `packs`.
template <int packs>
class Series::Lanes {
 public:
  static constexpr std::size_t width = packs * pack_lanes;

  // Samples that all go into the bin that is open, which has room for them. Of n and the moments in time the series
  // have the same.
  static void add(std::span<Series* const> all, std::span<const double> t, const double* const* values) {
    const std::size_t count = t.size(), bin = all.front()->bins_.size() / bin_size - 1;
    Bin shared = Bin::at(all.front()->bins_, bin);
    Lanes lanes;
    const double* from[width];
    for (std::size_t s = 0; s < width; ++s) {
      const Series& series = *all[std::min(s, all.size() - 1)];
      const Bin own = Bin::at(series.bins_, bin);
      const std::size_t p = s / pack_lanes, lane = s % pack_lanes;
      lanes.y_[p][lane] = own.y, lanes.ty_[p][lane] = own.ty;
      lanes.low_[p][lane] = own.low, lanes.high_[p][lane] = own.high;
      lanes.highest_[p][lane] = series.max_, lanes.fall_[p][lane] = series.largest_fall_;
      from[s] = values[std::min(s, all.size() - 1)];
    }
    std::size_t k = 0;
    for (; k + pack_lanes <= count; k += pack_lanes) {
      Pack rows[packs][pack_lanes];
      LIVENS_FOR (int p = 0; p < packs; ++p) {
        LIVENS_FOR (int s = 0; s < pack_lanes; ++s) rows[p][s] = unaligned(from[p * pack_lanes + s] + k);
        transpose(rows[p][0], rows[p][1], rows[p][2], rows[p][3]);
      }
      LIVENS_FOR (int s = 0; s < pack_lanes; ++s) {
        Pack sample[packs];
        LIVENS_FOR (int p = 0; p < packs; ++p) sample[p] = rows[p][s];
        lanes.add_one(t[k + s], sample, shared);
      }
    }
    for (; k < count; ++k) {
      Pack sample[packs];
      for (std::size_t s = 0; s < width; ++s) sample[s / pack_lanes][s % pack_lanes] = from[s][k];
      lanes.add_one(t[k], sample, shared);
    }
    for (std::size_t s = 0; s < all.size(); ++s) {
      Series& series = *all[s];
      const std::size_t p = s / pack_lanes, lane = s % pack_lanes;
      Bin{shared.n,
          shared.t,
          lanes.y_[p][lane],
          shared.tt,
          lanes.ty_[p][lane],
          lanes.low_[p][lane],
          lanes.high_[p][lane]}
          .store(series.bins_, bin);
      series.count_ += static_cast<long>(count);
      series.last_ = values[s][count - 1];
      series.t_last_ = t.back();
      series.min_ = std::min(series.min_, lanes.low_[p][lane]);
      series.max_ = lanes.highest_[p][lane];
      series.largest_fall_ = lanes.fall_[p][lane];
      series.largest_drift_ = std::max(
          {series.largest_drift_, std::abs(series.max_ - series.first_), std::abs(series.min_ - series.first_)});
    }
  }

 private:
  static Pack unaligned(const double* x) {
    Pack pack;
    std::memcpy(&pack, x, sizeof pack);
    return pack;
  }

  [[gnu::always_inline]] void add_one(double at, const Pack* sample, Bin& shared) {
    const double share = 1 / (shared.n + 1), dt = at - shared.t, weight = shared.n * share * dt;
    shared.tt += weight * dt;
    shared.t += dt * share;
    shared.n += 1;
    LIVENS_FOR (int p = 0; p < packs; ++p) {
      const Pack value = sample[p], dy = value - y_[p];
      ty_[p] += weight * dy;
      y_[p] += dy * share;
      low_[p] = value < low_[p] ? value : low_[p];
      high_[p] = value > high_[p] ? value : high_[p];
      highest_[p] = value > highest_[p] ? value : highest_[p];
      const Pack fall = highest_[p] - value;
      fall_[p] = fall > fall_[p] ? fall : fall_[p];
    }
  }

  Pack y_[packs], ty_[packs], low_[packs], high_[packs], highest_[packs], fall_[packs];
};

bool Series::alike(const Series& other) const {
  return count_ == other.count_ && bin_samples_ == other.bin_samples_ && bins_.size() == other.bins_.size() &&
         t_first_ == other.t_first_;
}

void Series::add_samples(std::span<Series* const> all, std::span<const double> t,
                         std::span<const double* const> values) {
  std::vector<bool> added(all.size(), false);
  for (std::size_t first = 0; first < all.size(); ++first) {
    if (added[first]) continue;
    std::array<Series*, Lanes<2>::width> some{};
    std::array<const double*, Lanes<2>::width> from{};
    std::size_t width = 0;
    for (std::size_t s = first; s < all.size() && width < some.size(); ++s) {
      if (added[s] || !all[s]->alike(*all[first])) continue;
      added[s] = true;
      some[width] = all[s];
      from[width++] = values[s];
    }
    const Series& one = *all[first];
    for (std::size_t k = 0; k < t.size();) {
      const double filled = one.bins_.empty() ? 0 : one.bins_[one.bins_.size() - bin_size];
      const auto room = static_cast<std::size_t>(static_cast<double>(one.bin_samples_) - filled);
      if (one.bins_.empty() || room == 0) {  // a bin begins
        for (std::size_t s = 0; s < width; ++s) some[s]->add(t[k], *from[s]++);
        ++k;
        continue;
      }
      const std::size_t count = std::min(room, t.size() - k);
      if (width <= Lanes<1>::width)
        Lanes<1>::add({some.data(), width}, t.subspan(k, count), from.data());
      else
        Lanes<2>::add({some.data(), width}, t.subspan(k, count), from.data());
      for (std::size_t s = 0; s < width; ++s) from[s] += count;
      k += count;
    }
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
  if (std::isfinite(energy_error) && std::isfinite(potential)) add({&energy_error, 1}, &potential);
}

void EnergyExcess::add(std::span<const double> energy_errors, const double* potentials) {
  if (energy_errors.empty()) return;
  if (count_ == 0) first_potential_ = potentials[0];
  count_ += static_cast<long>(energy_errors.size());
  double sum = release_, largest = largest_;
  for (const double error : energy_errors) {
    const double release = std::max(0.0, first_potential_ - *potentials++);
    sum += release;
    largest = std::max(largest, std::abs(error) - allowed * release);
  }
  release_ = sum;
  largest_ = largest;
}

void EnergyExcess::visit_memory(MemoryVisitor& visitor) {
  visitor.visit("excess_count", count_);
  visitor.visit("first_potential", first_potential_);
  visitor.visit("release", release_);
  visitor.visit("excess", largest_);
}

}  // namespace livens
