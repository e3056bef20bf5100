#include "files/output.hpp"

#include <algorithm>
#include <cmath>

#include "diagnostics/quantities.hpp"
#include "math/finite.hpp"

namespace livens {

void Output::begin(const Sample& sample) {
  schedule_ = Schedule(sample.state.t, given_.value_or(default_));
  t_.clear();
  steps_.clear();
  start();
  take(sample);
}

void Output::observe(const Sample& sample) {
  if (schedule_.due(sample)) take(sample);
}

void Output::end(const Sample& sample) {
  take(sample);
  finish();
}

void Output::take(const Sample& sample) {
  const long step = steps_done(sample.integrator);
  if (!steps_.empty() && steps_.back() == step && t_.back() == sample.state.t) return;
  // The run is about to end with a failure; no reader should meet such numbers.
  if (!all_finite(sample.state.q) || !all_finite(sample.state.v)) return;
  t_.push_back(sample.state.t);
  steps_.push_back(step);
  write(sample);
}

void Output::resume(const Sample& sample) {
  if (!reopen(frames())) return begin(sample);
  if (given_ && *given_ != schedule_.interval()) schedule_.change_interval(*given_, sample.state.t);
}

void Output::visit_memory(MemoryVisitor& visitor) {
  schedule_.visit_memory(visitor);
  visitor.visit("frame_times", t_);
  std::vector<double> steps(steps_.begin(), steps_.end());
  visitor.visit("frame_steps", steps);
  steps_.clear();
  for (const double step : steps) steps_.push_back(static_cast<long>(step));
  visit_own_memory(visitor);
}

}  // namespace livens
