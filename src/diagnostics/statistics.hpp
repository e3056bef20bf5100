// What is kept of a quantity over a run, without its history: extremes, ranges over time, and the trend over the last
// half.
//
// The trend is a least-squares line over all samples of the last half, from bins of equally many samples. Whenever the
// bins are full, neighbours merge in pairs, so that they never depend on where the run will end.
#pragma once

#include <span>
#include <vector>

#include <livens/integrator.hpp>

namespace livens {

struct Trend {
  double slope = 0, slope_error = 0;  // per s; nan with fewer than 4 bins
  double duration = 0;                // of the stretch that was fitted, s
  bool steady = false;                // the means of eighths of the whole run only rise, or only fall
  double early_range = 0;             // of the means of bins in the first half
};

// An energy error against what the potential had released at that instant, which turned into motion if all went well. A
// comet near the sun may be off by more than its energy far away, and is not afterwards.
class EnergyExcess {
 public:
  static constexpr double allowed = 0.5;  // of the release at that instant

  void add(double energy_error, double potential);
  void add(std::span<const double> energy_errors, const double* potentials);  // all of them finite
  void visit_memory(MemoryVisitor& visitor);

  double largest() const { return largest_; }  // |error| beyond what is allowed
  double mean_release() const { return count_ > 0 ? release_ / static_cast<double>(count_) : 0; }

 private:
  long count_ = 0;
  double first_potential_ = 0, release_ = 0, largest_ = 0;
};

class Series {
 public:
  void add(double t, double value);
  // All samples at times t, values[s] of series s, none of them nan: with the bits of add(), a series in each lane.
  static void add_samples(std::span<Series* const> all, std::span<const double> t,
                          std::span<const double* const> values);
  void visit_memory(MemoryVisitor& visitor);

  long count() const { return count_; }
  double first() const { return first_; }
  double last() const { return last_; }
  double min() const { return min_; }
  double max() const { return max_; }
  double largest_drift() const { return largest_drift_; }  // largest |value - first|
  double largest_fall() const { return largest_fall_; }    // from the largest value before
  // Largest minus smallest value in each of `stretches` equal parts of the time, as far as bins resolve them.
  std::vector<double> ranges(std::size_t stretches) const;
  Trend late_trend() const;
  // How often the value passes its mean in the last half, as far as bins resolve it.
  int late_crossings() const;

 private:
  template <int packs>
  class Lanes;
  bool alike(const Series& other) const;  // as many samples in the same bins
  void merge_bins();
  bool is_steady() const;
  double early_range(double middle) const;

  long count_ = 0, bin_samples_ = 1;
  double first_ = 0, last_ = 0, min_ = 0, max_ = 0, largest_drift_ = 0, largest_fall_ = 0;
  double t_first_ = 0, t_last_ = 0;
  std::vector<double> bins_;  // see the members of Bin, one after the other
};

}  // namespace livens
