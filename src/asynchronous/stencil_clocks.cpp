#include "asynchronous/stencil_clocks.hpp"

#include <algorithm>
#include <cmath>

#include "asynchronous/memory_lists.hpp"

namespace livens {

void StencilClocks::start(double t, const std::vector<double>& steps, double unbounded) {
  origin_ = t;
  double longest = 0;
  for (const double step : steps)
    if (std::isfinite(step)) longest = std::max(longest, step);
  if (longest == 0) longest = unbounded;
  for (int k = 0; k < size(); ++k) clocks_[k] = {t, t, std::isfinite(steps[k]) ? steps[k] : longest, 0};
}

double StencilClocks::longest_step() const {
  double longest = 0;
  for (const StencilClock& clock : clocks_) longest = std::max(longest, clock.step);
  return longest;
}

std::vector<double> StencilClocks::times() const {
  std::vector<double> times;
  times.reserve(clocks_.size());
  for (const StencilClock& clock : clocks_) times.push_back(clock.time);
  return times;
}

long StencilClocks::total_updates() const {
  long sum = 0;
  for (const StencilClock& clock : clocks_) sum += clock.count;
  return sum;
}

void visit_clocks(MemoryVisitor& visitor, const char* name, const char* counts, std::vector<StencilClock>& clocks) {
  visit_list(visitor, name, clocks);
  std::vector<double> numbers;  // exact up to 2^53
  for (const StencilClock& clock : clocks) numbers.push_back(static_cast<double>(clock.count));
  visitor.visit(counts, numbers);
  for (std::size_t k = 0; k < clocks.size(); ++k) clocks[k].count = static_cast<long>(numbers[k]);
}

void StencilClocks::visit_memory(MemoryVisitor& visitor) {
  visit_clocks(visitor, "event_clocks", "event_counts", clocks_);
}

}  // namespace livens
