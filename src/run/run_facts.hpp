// What is known of a run when its files are written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <livens/run.hpp>
#include <livens/setup.hpp>

#include "files/failure_vtu.hpp"
#include "run/profile.hpp"
#include "run/recorder.hpp"
#include "run/verdict.hpp"
#include "scene/files.hpp"

namespace livens {

struct Warning {
  std::string code, message;
  std::optional<double> t;
  long count = 1;
};

struct Failure {
  std::string code, message, why;
  long step = 0;
  double t = 0;  // of the last good state
  StepReport report;
  std::string coordinate;         // with the largest residual
  std::optional<NodePlace> node;  // it belongs to
  std::optional<WorstElement> element;
  std::vector<std::string> advice;  // commands to paste, with the reason in brackets
};

struct Timing {
  std::string started, finished;  // UTC
  double wall_time = 0, output_time = 0;
  int threads = 1;
  long peak_memory = 0;  // bytes
  Profile profile{false};
};

// A value that a run went on with when it was resumed.
struct Change {
  long step = 0;
  double t = 0;
  std::string key, before, after;  // as TOML, or "not given"
};

struct RunFacts {
  const Scene& scene;
  const RunPlan& plan;
  const Model& model;
  const State& state;
  const Integrator& integrator;
  const Recorder& recorder;
  std::string directory;
  std::string status = "running";
  int exit_code = 0;  // of a run that has ended
  std::vector<InputFile> inputs = {};
  Judgement judgement = {};
  std::optional<Failure> failure = {};
  std::vector<Warning> warnings = {};
  std::vector<std::string> output_files = {};  // besides those of every run; folders end with a slash
  std::string frames = {};                     // the recording that pictures are made of; "" if there is none
  Timing timing = {};
  std::vector<Change> changes = {};
};

std::string summary_json(const RunFacts& facts);
std::string first_summary_json(const std::vector<std::string>& output_files);  // before anything is known
std::string failure_json(const Failure& failure);
std::string report_html(const RunFacts& facts);
// The lines `done ...`, `failed ...` or `interrupted ...` that a user reads.
std::vector<std::string> closing_lines(const RunFacts& facts);
// "1 000 steps", or "63 000 element updates" of methods without a global step.
std::string steps_text(const Integrator& integrator);
std::vector<Warning> warnings_of(const RunFacts& facts);
Failure failure_of(const RunFacts& facts, const StepReport& report);

}  // namespace livens
