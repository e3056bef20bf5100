// A whole run: from its start, a checkpoint or another run's last state, to its end, with all files.
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <livens/observer.hpp>
#include <livens/setup.hpp>

namespace livens {

struct Progress {
  double t_begin = 0, t = 0, t_end = 0;  // simulated time, s; t_begin: start of this call of run()
  long steps = 0;                        // since t_begin
  double wall_time = 0;                  // s
};

struct RunOptions {
  std::string out;                   // run directory; "": runs/NAME, then runs/NAME-2, ...
  bool resume = false;               // continue the run in `out`, or the newest of this scene
  std::string from;                  // run whose last state is the start
  int threads = 0;                   // 0: all cores
  bool profile = false;              // measure where the time goes, for `timing.profile` in summary.json
  std::vector<Observer*> observers;  // in addition to those that write the files
  // Called a few times per second, between steps.
  std::function<void(const Progress&)> progress;
  // Asked after every step; true ends the run with complete, resumable output.
  std::function<bool()> interrupted;
};

struct RunResult {
  int exit_code = 0;   // 0 done, 3 numerical failure, 130 interrupted
  std::string status;  // done, failed, interrupted
  std::string directory;
  std::vector<std::string> lines;  // messages for the user
  std::string summary;             // the text of summary.json
};

// A run that cannot begin, resume or write; what() is ready to be shown to a user.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The loop: advances the state to t_end, and shows it to the observers after every step, in their order. Methods that
// can be read at any time are read when an observer wants to look. The observers' begin and end are the caller's to
// call. Returns the report of the last step; it ends early if a step failed or an observer stops it.
StepReport advance_observed(const Model& model, State& state, Integrator& integrator, double t_end,
                            std::span<Observer* const> observers);

// An observer that is one function of the sample; it stops the run by returning false.
class StepFunction final : public Observer {
 public:
  explicit StepFunction(std::function<bool(const Sample&)> function) : function_(std::move(function)) {}
  void observe(const Sample& sample) override { stop_ = !function_(sample); }
  bool stop() const override { return stop_; }

 private:
  std::function<bool(const Sample&)> function_;
  bool stop_ = false;
};

// All files of a run: history, outputs, checkpoints, verdict, report, summary. Throws SceneError for faults of the
// scene and RunError for faults of files. A failed step is a result.
RunResult run(const Scene& scene, const RunOptions& options = {});
RunResult run(Setup& setup, const RunOptions& options = {});

}  // namespace livens
