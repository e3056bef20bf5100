// Where the time of a run goes: what runs enters its phase, and the time since the last entry belongs to the phase
// before.
#pragma once

#include <array>
#include <chrono>
#include <string>

namespace livens {

class Profile {
 public:
  enum class Phase { model, start, integrator, history, outputs, observers, checkpoints, report, count };
  static constexpr std::size_t phases = static_cast<std::size_t>(Phase::count);

  // Without a wish nothing is measured: small systems have steps that take less than a look at the clock.
  explicit Profile(bool wanted) : wanted_(wanted) {}

  void enter(Phase phase) {
    if (!wanted_) return;
    const Clock::time_point now = Clock::now();
    seconds_[place(current_)] += std::chrono::duration<double>(now - since_).count();
    since_ = now;
    current_ = phase;
  }

  bool wanted() const { return wanted_; }
  double seconds(Phase phase) const { return seconds_[place(phase)]; }
  static const char* name(Phase phase) {
    static constexpr std::array<const char*, phases> names = {"model",   "start",     "integrator",  "history",
                                                              "outputs", "observers", "checkpoints", "report"};
    return names[place(phase)];
  }

 private:
  static std::size_t place(Phase phase) { return static_cast<std::size_t>(phase); }

  using Clock = std::chrono::steady_clock;

  bool wanted_;
  Phase current_ = Phase::model;
  Clock::time_point since_ = Clock::now();
  std::array<double, phases> seconds_ = {};
};

}  // namespace livens
