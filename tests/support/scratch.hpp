// Small scenes, scratch directories and ways to compare runs. Compiled once, in scratch.cpp: what reads and writes JSON
// takes the compiler longer than most tests.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <livens/run.hpp>

#include "files/files.hpp"

namespace livens::testing {

// An empty directory of its own for the running test; gone when the process ends.
std::filesystem::path scratch();

std::string pendulum_text(const std::string& integrator, const std::string& end, const std::string& more = "");

std::string lattice_text(const std::string& integrator, const std::string& end, const std::string& more = "");

RunResult run_text(const std::string& text, const std::filesystem::path& out, bool resume = false);

// Ends a run after a number of steps of its own, as Ctrl-C would.
RunResult run_interrupted(const std::string& text, const std::filesystem::path& out, int steps);

// Ends a run as a crash would: nothing is written after the step.
class Crash final : public Observer {
 public:
  explicit Crash(long step) : step_(step) {}
  void observe(const Sample& sample) override {
    if (sample.integrator.counters().steps == step_) throw std::runtime_error("crash");
  }

 private:
  long step_;
};

// summary.json of a run but for its timing; whoever reads it includes nlohmann/json.hpp.
nlohmann::json summary_without_timing(const std::filesystem::path& run);

void expect_equal_runs(const std::filesystem::path& a, const std::filesystem::path& b, const std::string& what);

}  // namespace livens::testing
