// The book of one run: how it begins, what happens after every step, and what it leaves behind.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <livens/run.hpp>

#include "files/files.hpp"
#include "files/output_set.hpp"
#include "files/schedule.hpp"
#include "run/checkpoint.hpp"
#include "run/recorder.hpp"
#include "run/run_facts.hpp"
#include "run/run_plan.hpp"

namespace livens {

class RunBook {
 public:
  // Opens the run directory; nothing is written before scene, model and plan are known to be sound.
  RunBook(const Scene& scene, const RunOptions& options, const Model& model);

  double t_end() const { return plan_.t_end; }
  // The state becomes that of a checkpoint or of another run if the options say so.
  void begin(State& state, Integrator& integrator);
  double next_time() const;            // when somebody wants to look next
  bool observe(const Sample& sample);  // false ends the run
  RunResult finish(const Sample& sample);

 private:
  using Clock = std::chrono::steady_clock;

  void open();
  void make_outputs(double t_begin);
  void resume(State& state, Integrator& integrator);
  void start_from(const std::filesystem::path& run, State& state);
  bool checkpoint_due(const Sample& sample, Clock::time_point now);
  void write_checkpoint(const Sample& sample);
  void tell_progress(const Sample& sample, Clock::time_point now);
  RunFacts facts(const State& state, const Integrator& integrator) const;
  std::string status_of(const Sample& sample) const;
  void write_files(const RunFacts& facts);
  double seconds_since(Clock::time_point then) const;

  const Scene& scene_;
  const RunOptions& options_;
  const Model& model_;
  RunPlan plan_;
  std::optional<RunDirectory> directory_;
  std::optional<Recorder> recorder_;
  OutputSet outputs_;
  std::string frames_;  // file of the first recording
  std::optional<CheckpointWriter> checkpoints_;
  std::vector<Observer*> observers_;
  Schedule checkpoint_schedule_;
  StepReport last_step_;
  std::vector<std::string> lines_;
  bool interrupted_ = false;
  Clock::time_point began_ = Clock::now(), last_checkpoint_ = began_, last_progress_ = began_;
  std::string started_;
  double t_begin_ = 0, output_time_ = 0;
  long steps_before_ = 0;
};

}  // namespace livens
