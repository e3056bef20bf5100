// A run that was stopped and goes on is the run that was never stopped, bit for bit, for every integrator.
#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run/checkpoint.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

constexpr const char* verlet = "kind = 'stormer_verlet', step = 0.05";

std::string default_table(const IntegratorRecord& record) {
  const bool steps = std::any_of(record.parameters.begin(), record.parameters.end(),
                                 [](const Parameter& p) { return p.key == "step"; });
  return "kind = '" + record.name + "'" + (steps ? ", step = 0.05" : "");
}

bool is_refused(const std::string& text) {
  try {
    check_scene(parse_scene(text, "scene"));
    return false;
  } catch (const SceneError&) {
    return true;
  }
}

template <class Text>
void expect_resumes(const Text& text_of) {
  const fs::path folder = scratch();
  int resumed = 0;
  for (const IntegratorRecord& record : integrator_records()) {
    if (record.law_variants.empty()) continue;  // statics has load steps
    const std::string text = text_of(default_table(record), "2");
    if (is_refused(text)) continue;
    const fs::path whole = folder / (record.name + "_whole"), parts = folder / (record.name + "_parts");
    EXPECT_EQ(run_text(text, whole).exit_code, 0) << record.name;
    EXPECT_EQ(run_interrupted(text, parts, 7).exit_code, 130) << record.name;
    EXPECT_NE(file_content(whole / "state.json"), file_content(parts / "state.json")) << record.name << ": guard";
    EXPECT_EQ(run_text(text, parts, true).exit_code, 0) << record.name;
    expect_equal_runs(whole, parts, record.name);
    ++resumed;
  }
  EXPECT_GE(resumed, 12);
}

TEST(Resume, EveryIntegratorOnThePendulumWithDrag) {
  expect_resumes([](const auto& integrator, const auto& end) { return pendulum_text(integrator, end); });
}

TEST(Resume, EveryIntegratorOnTheLattice) {
  expect_resumes([](const auto& integrator, const auto& end) { return lattice_text(integrator, end); });
}

// A failed run goes on with another solver, in the same directory, and says so; what it computes may not change.
TEST(Resume, AFailedRunGoesOnWithAnotherSolver) {
  const fs::path out = scratch() / "run";
  const std::string integrator = "kind = 'implicit_midpoint', step = 0.05";
  EXPECT_EQ(run_text(pendulum_text(integrator, "2", "solver = { max_iterations = 1 }\n"), out).exit_code, 3);
  EXPECT_THROW(run_text(pendulum_text("kind = 'implicit_midpoint', step = 0.01", "2"), out, true), RunError);
  EXPECT_EQ(run_text(pendulum_text(integrator, "2"), out, true).exit_code, 0);
  const auto summary = summary_without_timing(out);
  ASSERT_EQ(summary["changes"].size(), 1u) << summary["changes"];
  EXPECT_EQ(summary["changes"][0]["key"], "solver.max_iterations");
  EXPECT_EQ(summary["changes"][0]["before"], "1");
  EXPECT_EQ(summary["changes"][0]["after"], "not given");
  // The motion of a run that had the second solver from the start, to rounding: one history without a gap.
  run_text(pendulum_text(integrator, "2"), out.parent_path() / "whole");
  EXPECT_EQ(file_content(out / "state.json"), file_content(out.parent_path() / "whole/state.json"));
  // A run that is done computes nothing that another solver could have done.
  EXPECT_THROW(run_text(pendulum_text(integrator, "3", "solver = { max_iterations = 9 }\n"), out, true), RunError);
}

TEST(Resume, AfterACrashFromTheLastCheckpoint) {
  const fs::path folder = scratch();
  const std::string text =
      lattice_text("kind = 'implicit_midpoint', step = 0.05", "2", "checkpoint = { every_steps = 8 }\n");
  run_text(text, folder / "whole");
  Crash crash(21);
  RunOptions options;
  options.out = (folder / "parts").string();
  options.observers = {&crash};
  EXPECT_THROW(run(parse_scene(text, "scene"), options), std::runtime_error);
  EXPECT_NE(file_content(folder / "parts/summary.json").find("\"running\""), std::string::npos);
  const RunResult resumed = run_text(text, folder / "parts", true);
  EXPECT_NE(resumed.lines[0].find("at step 16"), std::string::npos) << resumed.lines[0];
  expect_equal_runs(folder / "whole", folder / "parts", "crash");
}

TEST(Resume, InTwoHundredSteps) {
  const fs::path folder = scratch();
  const std::string text = pendulum_text(verlet, "10", "output = [{ kind = \"history\", every = 0.33 }]\n");
  run_text(text, folder / "whole");
  for (int stop = 0; stop < 200; stop += 61) {
    RunOptions options;
    options.out = (folder / "parts").string();
    options.resume = stop > 0;
    int left = 61;
    options.interrupted = [&left] { return --left <= 0; };
    run(parse_scene(text, "scene"), options);
  }
  run_text(text, folder / "parts", true);
  expect_equal_runs(folder / "whole", folder / "parts", "four pieces");
}

TEST(Resume, ExtendsAFinishedRun) {
  const fs::path folder = scratch();
  const std::string every = "output = [{ kind = \"history\", every = 0.07 }]\n";
  for (const char* integrator : {verlet, "kind = 'dormand_prince'"}) {
    fs::remove_all(folder / "longer");
    fs::remove_all(folder / "extended");
    run_text(lattice_text(integrator, "50", every), folder / "longer");
    run_text(lattice_text(integrator, "9.97", every), folder / "extended");
    EXPECT_EQ(run_text(lattice_text(integrator, "50", every), folder / "extended", true).exit_code, 0);
    expect_equal_runs(folder / "longer", folder / "extended", integrator);
  }
}

TEST(Resume, AFinishedRunIsLeftAsItIs) {
  const fs::path folder = scratch();
  const std::string text = pendulum_text(verlet, "1.02");
  run_text(text, folder / "a");
  run_text(text, folder / "b");
  run_text(text, folder / "b", true);
  expect_equal_runs(folder / "a", folder / "b", "nothing to do");
}

void flip_byte(const fs::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(100);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(100);
  file.put(byte);
}

class Damage : public ::testing::Test {
 protected:
  fs::path folder_ = scratch();
  std::string text_ = pendulum_text(verlet, "2", "checkpoint = { every_steps = 10, keep = 3 }\n");

  void SetUp() override {
    run_text(text_, folder_ / "whole");
    run_interrupted(text_, folder_ / "parts", 25);
    ASSERT_EQ(checkpoints_of(folder_ / "parts").size(), 3u);
  }
  void expect_taken(const std::string& step, const std::string& reason) {
    const RunResult result = run_text(text_, folder_ / "parts", true);
    EXPECT_NE(result.lines[0].find("at step " + step), std::string::npos) << result.lines[0];
    EXPECT_NE(result.lines[0].find("damaged: " + reason), std::string::npos) << result.lines[0];
    expect_equal_runs(folder_ / "whole", folder_ / "parts", reason);
  }
};

TEST_F(Damage, OfOneByteIsFound) {
  flip_byte(checkpoints_of(folder_ / "parts")[0]);
  expect_taken("20", "checksum");
}

TEST_F(Damage, ByTruncationIsFound) {
  const auto paths = checkpoints_of(folder_ / "parts");
  fs::resize_file(paths[0], 100);
  fs::resize_file(paths[1], 0);
  expect_taken("10", "checksum");
}

TEST_F(Damage, OfHistoryIsFound) {
  fs::resize_file(folder_ / "parts/history.csv", fs::file_size(folder_ / "parts/history.csv") - 400);
  expect_taken("20", "history.csv is shorter");
}

TEST_F(Damage, OfAllIsRefused) {
  for (const auto& path : checkpoints_of(folder_ / "parts")) flip_byte(path);
  EXPECT_THROW(run_text(text_, folder_ / "parts", true), RunError);
}

std::string refusal(const std::string& text, const fs::path& out) {
  try {
    run_text(text, out, true);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(Resume, RefusesAnotherScene) {
  const fs::path folder = scratch();
  run_interrupted(lattice_text(verlet, "2"), folder / "run", 5);
  const std::string history = file_content(folder / "run/history.csv");
  std::string changed = lattice_text(verlet, "2");
  changed.replace(changed.find("stiffness = 1.0"), 15, "stiffness = 2.5");
  const std::string text = refusal(changed, folder / "run");
  EXPECT_NE(text.find("force.spring.stiffness is 1.0 there, 2.5 here"), std::string::npos) << text;
  EXPECT_NE(text.find("--from"), std::string::npos) << text;
  EXPECT_NE(refusal(lattice_text("kind = 'rk4', step = 0.05", "2"), folder / "run").find("integrator.kind"),
            std::string::npos);
  EXPECT_EQ(file_content(folder / "run/history.csv"), history);
  const std::string allowed =
      "checkpoint = { keep = 5 }\noutput = [{ kind = \"history\", every = 0.1 }]\ntitle = \"x\"\n";
  EXPECT_EQ(refusal(lattice_text(verlet, "3", allowed), folder / "run"), "");
}

TEST(Resume, NeedsARun) {
  const fs::path folder = scratch();
  EXPECT_NE(refusal(pendulum_text(verlet, "1"), folder / "none").find("refused"), std::string::npos);
}

}  // namespace
}  // namespace livens
