// Runs that lose their files, or whose input changes: they end with the truth, and what is good stays.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/frames_reader.hpp"
#include "files/write_queue.hpp"
#include "run/checkpoint.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

constexpr const char* verlet = "kind = 'stormer_verlet', step = 0.05";

// Does something to the files of a run after a step of its own.
class Mischief final : public Observer {
 public:
  Mischief(long step, std::function<void()> action) : step_(step), action_(std::move(action)) {}
  void observe(const Sample& sample) override {
    if (sample.integrator.counters().steps == step_) action_();
  }

 private:
  long step_;
  std::function<void()> action_;
};

// What the user reads; "" if the run went well.
std::string failure(const std::string& text, const fs::path& out, std::vector<Observer*> observers,
                    bool resume = false) {
  RunOptions options;
  options.out = out.string();
  options.resume = resume;
  options.observers = std::move(observers);
  try {
    run(parse_scene(text, "scene"), options);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Abandoned, FilesThatVanishAreMissed) {
  const fs::path folder = scratch();
  const std::string text = lattice_text(verlet, "2", "checkpoint = { every_steps = 5 }\n");
  for (const char* name : {"history.csv", "frames.h5"}) {
    const fs::path out = folder / name;
    Mischief mischief(12, [&] { fs::remove(out / name); });
    const std::string said = failure(text, out, {&mischief});
    EXPECT_TRUE(has(said, std::string(name) + "': it was removed or replaced")) << said;
    EXPECT_TRUE(has(said, "lacks ")) << said;
    EXPECT_TRUE(has(said, "--resume --out")) << said;
    const auto summary = summary_without_timing(out);
    EXPECT_EQ(summary["status"], "failed");
    EXPECT_EQ(summary["exit_code"], 2);
    EXPECT_EQ(summary["failure"]["code"], "cannot_write");
    const auto missing = summary["missing"].get<std::vector<std::string>>();
    EXPECT_NE(std::find(missing.begin(), missing.end(), name), missing.end());
    for (const auto& file : summary["files"]) EXPECT_TRUE(fs::exists(out / file.get<std::string>())) << file;
    EXPECT_GE(checkpoints_of(out).size(), 1u);
  }
}

// Old enough to write by a thread of its own: the failure of that thread ends the run, with its reason.
TEST(Abandoned, FilesThatVanishAreMissedByTheThreadThatWrites) {
  const fs::path folder = scratch();
  const std::string text = lattice_text(verlet, "2", "checkpoint = { every_steps = 5 }\n");
  for (const char* name : {"history.csv", "frames.h5"}) {
    const fs::path out = folder / name;
    Mischief age(1, [] { std::this_thread::sleep_for(WriteQueue::young); });
    Mischief mischief(12, [&] { fs::remove(out / name); });
    const std::string said = failure(text, out, {&age, &mischief});
    EXPECT_TRUE(has(said, std::string(name) + "': it was removed or replaced")) << said;
    EXPECT_EQ(summary_without_timing(out)["failure"]["code"], "cannot_write");
    EXPECT_GE(checkpoints_of(out).size(), 1u);
  }
}

// The same bits of every file as by a run without the thread, also of one that is resumed.
TEST(Abandoned, TheThreadThatWritesChangesNoBits) {
  const fs::path folder = scratch();
  const std::string text =
      lattice_text(verlet, "2", "output = [{ kind = 'vtu' }, { kind = 'ply' }]\ncheckpoint = { every_steps = 5 }\n");
  const auto aged = [&](const fs::path& out, long stop, bool resume) {
    Mischief age(1, [] { std::this_thread::sleep_for(WriteQueue::young); });
    RunOptions options;
    options.out = out.string();
    options.resume = resume;
    options.observers = {&age};
    long steps = 0;
    options.interrupted = [&] { return ++steps == stop; };
    run(parse_scene(text, "scene"), options);
  };
  EXPECT_EQ(failure(text, folder / "at_once", {}), "");
  aged(folder / "beside", 0, false);
  aged(folder / "resumed", 17, false);
  aged(folder / "resumed", 0, true);
  int compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "at_once")) {
    const fs::path name = fs::relative(entry.path(), folder / "at_once");
    const std::string extension = name.extension().string();
    if (extension != ".csv" && extension != ".vtu" && extension != ".pvd" && name != "state.json") continue;
    for (const char* other : {"beside", "resumed"})
      EXPECT_EQ(file_content(entry.path()), file_content(folder / other / name)) << other << "/" << name;
    ++compared;
  }
  EXPECT_GE(compared, 10);
  const FramesFile plain(folder / "at_once" / "frames.h5");
  for (const char* other : {"beside", "resumed"}) {
    const FramesFile file(folder / other / "frames.h5");
    ASSERT_EQ(file.t(), plain.t());
    for (int frame = 0; frame < file.frames(); ++frame)
      EXPECT_EQ(file.positions(file.bodies()[0], frame), plain.positions(plain.bodies()[0], frame));
  }
}

TEST(Abandoned, ADirectoryThatVanishesIsNotMadeAgain) {
  const fs::path out = scratch() / "run";
  Mischief mischief(12, [&] { fs::remove_all(out); });
  const std::string said = failure(lattice_text(verlet, "2", "checkpoint = { every_steps = 5 }\n"), out, {&mischief});
  EXPECT_TRUE(has(said, "is gone")) << said;
  EXPECT_FALSE(fs::exists(out));
}

// The disk is full: no new file, but the old summary can be overwritten where it stands.
TEST(Abandoned, ASummaryThatCannotBeReplacedIsOverwritten) {
  const fs::path out = scratch() / "run";
  Mischief mischief(12, [&] {
    fs::create_directory(out / "summary.json.part");  // no file can be made there
    fs::create_directory(out / "state.json.part");
  });
  const std::string said = failure(pendulum_text(verlet, "2"), out, {&mischief});
  EXPECT_TRUE(has(said, "lacks state.json, report.html")) << said;
  const auto summary = summary_without_timing(out);
  EXPECT_EQ(summary["status"], "failed");
  EXPECT_EQ(summary["exit_code"], 2);
}

TEST(Abandoned, ARunThatIsRefusedLeavesTheFilesOfTheOther) {
  const fs::path out = scratch() / "run";
  run_text(pendulum_text(verlet, "2"), out);
  const auto before = summary_without_timing(out);
  EXPECT_TRUE(has(failure(pendulum_text("kind = 'rk4', step = 0.1", "3"), out, {}, true), "refused"));
  EXPECT_EQ(summary_without_timing(out), before);
}

// ------------------------------------------------------------------------------------------------------- failed steps

// The potential grows without bound in time, until the energy is not finite.
std::string exploding_text() {
  return "time = { end = 20 }\nintegrator = { kind = 'stormer_verlet', step = 2.1 }\n" + std::string(R"toml(
[system]
kind = "lagrangian"
coordinates = ["x"]
kinetic = "x_dot^2/2"
potential = "exp(x^2)"
initial = { x = 3, x_dot = 0 }
)toml");
}

TEST(Abandoned, AFailedRunLeavesItsLastGoodCheckpoint) {
  const fs::path out = scratch() / "run";
  const RunResult failed = run_text(exploding_text(), out);
  ASSERT_EQ(failed.exit_code, 3);
  ASSERT_TRUE(has(file_content(out / "failure.json"), "not_finite")) << file_content(out / "failure.json");
  ASSERT_EQ(checkpoints_of(out).size(), 1u);
  EXPECT_TRUE(std::isfinite(load_checkpoint(checkpoints_of(out)[0]).state().q[0]));
  const std::string history = file_content(out / "history.csv");
  EXPECT_EQ(run_text(exploding_text(), out, true).exit_code, 3);
  EXPECT_EQ(file_content(out / "history.csv"), history);
}

// ------------------------------------------------------------------------------------------------------ changed inputs

void write_mesh(const fs::path& path, double length) {
  std::ofstream file(path);
  file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 " << length
       << " 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
}

std::string mesh_scene(const std::string& end) {
  return "time = { end = " + end + R"toml( }
integrator = { kind = "stormer_verlet", step = 0.001 }
[[material]]
name = "m"
kind = "neo_hookean"
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = "b"
kind = "solid"
material = "m"
mesh = { kind = "file", file = "m.msh" }
)toml";
}

TEST(Abandoned, AChangedMeshIsNotResumed) {
  const fs::path folder = scratch();
  write_mesh(folder / "m.msh", 1);
  const auto run_for = [&](const std::string& end, bool resume) {
    std::ofstream(folder / "scene.toml") << mesh_scene(end);
    RunOptions options;
    options.out = (folder / "run").string();
    options.resume = resume;
    return run(load_scene((folder / "scene.toml").string()), options).exit_code;
  };
  EXPECT_EQ(run_for("0.01", false), 0);
  EXPECT_EQ(run_for("0.02", true), 0);  // guard: the same mesh
  write_mesh(folder / "m.msh", 2);
  const std::string before = file_content(folder / "run/history.csv");
  try {
    run_for("0.03", true);
    FAIL() << "resumed with another mesh";
  } catch (const RunError& error) {
    EXPECT_TRUE(has(error.what(), "m.msh has changed since the run began")) << error.what();
    EXPECT_TRUE(has(error.what(), "--from")) << error.what();
  }
  EXPECT_EQ(file_content(folder / "run/history.csv"), before);
  write_mesh(folder / "m.msh", 1);
  EXPECT_EQ(run_for("0.03", true), 0);
}

// ------------------------------------------------------------------------------------------------------------ messages

TEST(Abandoned, DifferencesAreAListThatCanBeRead) {
  const fs::path out = scratch() / "run";
  run_text(lattice_text(verlet, "1"), out);
  const std::string said = failure(pendulum_text("kind = 'rk4', step = 0.1", "2"), out, {}, true);
  std::istringstream lines(said);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_LT(line.size(), 240u) << line;
  EXPECT_GT(count, 3) << said;
  EXPECT_TRUE(has(said, "places:\n")) << said;
}

TEST(Abandoned, AnEarlierEndIsRefused) {
  const fs::path out = scratch() / "run";
  const std::string longer = pendulum_text(verlet, "2"), shorter = pendulum_text(verlet, "1");
  run_text(longer, out);
  const std::string history = file_content(out / "history.csv");
  const std::string said = failure(shorter, out, {}, true);
  EXPECT_TRUE(has(said, "is already at t = 2 s, beyond time.end = 1 s")) << said;
  EXPECT_EQ(file_content(out / "history.csv"), history);
  // One that it has not reached yet is allowed.
  run_interrupted(longer, out, 10);
  EXPECT_EQ(failure(shorter, out, {}, true), "");
  EXPECT_NEAR(summary_without_timing(out)["t_reached"].get<double>(), 1, 1e-9);
}

}  // namespace
}  // namespace livens
