// One run with its files: how it begins, what happens after every step, and what it leaves behind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <livens/run.hpp>

#include "files/files.hpp"
#include "files/output_set.hpp"
#include "run/checkpoint_clock.hpp"
#include "run/profile.hpp"
#include "run/recorder.hpp"
#include "run/run_clock.hpp"
#include "run/run_facts.hpp"

namespace livens {

class RunSession final : public Observer {
 public:
  // Nothing is written before begin().
  RunSession(Setup& setup, const RunOptions& options, Profile profile);

  // Opens the run directory. The state becomes that of a checkpoint or of another run if the options say so.
  using Observer::begin;
  void begin(State& state);
  void observe(const Sample& sample) override;
  bool takes_blocks() const override;
  bool observe_block(const StepBlock& block) override;
  bool stop() const override { return interrupted_ || !recorder_->finite(); }
  double next_time() const override;
  RunResult finish(const Sample& sample);
  // After a RunError of the above: leaves the files as they are and says so. Returns what the user should read.
  std::string abandon(const std::string& why);

 private:
  void open();
  void make_outputs(double t_begin);
  void resume(State& state);
  void accept_changes(const Scene& there, long step, double t);
  void start_from(const std::filesystem::path& run, State& state);
  void refuse_earlier_end(const Checkpoint& checkpoint) const;
  std::string scene_word() const;  // its file, or its name
  void write_checkpoint(const Sample& sample);
  RunFacts facts(const State& state) const;
  std::string status_of(const Sample& sample) const;
  Judgement judge_run(const std::string& status) const;
  Failure explained_failure(const RunFacts& facts, const StepReport& report) const;
  std::string write_files(RunFacts& facts);

  Setup& setup_;
  const RunOptions& options_;
  std::optional<RunDirectory> directory_;
  bool writes_ = false;            // whether the files in it are those of this run
  std::vector<InputFile> inputs_;  // as they were when it began
  std::optional<Recorder> recorder_;
  OutputSet outputs_;
  WriteQueue queue_;    // of the files of both; ends before they do
  std::string frames_;  // file of the first recording
  std::vector<Observer*> observers_;
  std::optional<CheckpointClock> checkpoints_;
  RunClock clock_;
  Profile profile_;
  double last_step_ = 0;  // s
  bool interrupted_ = false;
  bool looks_next_ = false;         // at the clock, after the next step
  std::vector<std::string> lines_;  // to tell the user
  std::vector<Change> changes_;     // of the solver, by this and earlier resumes
};

}  // namespace livens
