// Times origin + k * interval, and which of them have come. An output takes the end of the first step at or after each.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <livens/observer.hpp>

namespace livens {

class Schedule {
 public:
  Schedule() = default;  // never due
  Schedule(double origin, double interval) : origin_(origin), interval_(interval), next_(1) {}

  double origin() const { return origin_; }
  double interval() const { return interval_; }

  // Methods without a global step are sampled at exactly next_time(): a sample for another observer just before it is
  // another one.
  bool due(const Sample& sample) {
    return sample.integrator.continuous() ? reached(sample.state.t) : due(sample.state.t, sample.report.h);
  }

  // Whether a time has come with this step; it is then crossed off, with all earlier ones.
  bool due(double t, double h) {
    if (!comes_by(t, h)) return false;
    next_ = static_cast<long>(std::floor((t - origin_ + round_off * h) / interval_)) + 1;
    return true;
  }

  // Whether a time will have come by t, which steps of h reach.
  bool comes_by(double t, double h) const {
    return interval_ > 0 && (t - origin_ + round_off * h) / interval_ >= static_cast<double>(next_);
  }

  double next_time() const {
    return interval_ > 0 ? origin_ + static_cast<double>(next_) * interval_ : std::numeric_limits<double>::infinity();
  }

  // Goes on from t with another interval.
  void change_interval(double interval, double t) {
    interval_ = interval;
    next_ = static_cast<long>(std::floor((t - origin_) / interval * (1 + round_off))) + 1;
  }

  void visit_memory(MemoryVisitor& visitor) {
    visitor.visit("schedule_origin", origin_);
    visitor.visit("schedule_interval", interval_);
    visitor.visit("schedule_next", next_);
  }

 private:
  static constexpr double round_off = 1e-9;

  bool reached(double t) {
    if (t < next_time()) return false;
    next_ = std::max(next_ + 1, static_cast<long>(std::floor((t - origin_) / interval_)));
    while (next_time() <= t) ++next_;
    return true;
  }

  double origin_ = 0, interval_ = 0;
  long next_ = 1;
};

}  // namespace livens
