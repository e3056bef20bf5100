// Runs as a whole: their files, their failures, and what must not change them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "files/history.hpp"
#include "files/state_json.hpp"
#include "run/checkpoint.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

constexpr const char* verlet = "kind = 'stormer_verlet', step = 0.05";

std::vector<std::string> lines_of(const fs::path& path) {
  std::istringstream stream(file_content(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Run, WritesItsFiles) {
  const fs::path out = scratch() / "run";
  const RunResult result = run_text(pendulum_text(verlet, "2"), out);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.status, "done");
  for (const char* name : {"summary.json", "history.csv", "state.json", "report.html", "scene.toml"})
    EXPECT_TRUE(fs::exists(out / name)) << name;
  EXPECT_FALSE(fs::exists(out / "failure.json"));
  EXPECT_EQ(result.summary, file_content(out / "summary.json"));
  EXPECT_EQ(parse_scene(file_content(out / "scene.toml")).sha256(), parse_scene(pendulum_text(verlet, "2")).sha256());
}

TEST(Run, HistoryHasItsColumnsAndWholeRows) {
  const fs::path out = scratch() / "run";
  run_text(lattice_text(verlet, "2", "output = [{ kind = \"history\", every = 0.5 }]\n"), out);
  const auto lines = lines_of(out / "history.csv");
  ASSERT_EQ(lines.size(), 6u);  // header, start and four rows
  EXPECT_EQ(lines[0].rfind(
                "step,t,h,energy,kinetic,potential,discrete_energy,dissipated,work,energy_error,linear_momentum_x", 0),
            0u);
  EXPECT_NE(lines[0].find(",potential.spring,lattice.kinetic,lattice.linear_momentum_x"), std::string::npos)
      << lines[0];
  EXPECT_NE(lines[0].find(",probe.all.heat"), std::string::npos);
  EXPECT_EQ(lines[1].rfind("0,0,,", 0), 0u) << lines[1];
  for (const auto& line : lines)
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(lines[0].begin(), lines[0].end(), ','));
  const auto columns = summary_without_timing(out)["columns"];
  EXPECT_EQ(static_cast<long>(columns.size()), std::count(lines[0].begin(), lines[0].end(), ',') + 1);
}

TEST(Run, ProfileSaysWhereTheTimeWent) {
  const fs::path out = scratch() / "run";
  const Scene scene = parse_scene(lattice_text(verlet, "20"));
  RunOptions options;
  options.out = out.string();
  EXPECT_FALSE(nlohmann::json::parse(run(scene, options).summary)["timing"].contains("profile"));
  options.profile = true;
  const RunResult result = run(scene, options);
  EXPECT_EQ(result.lines.back().rfind("profile   ", 0), 0u) << result.lines.back();
  const auto timing = nlohmann::json::parse(result.summary)["timing"];
  EXPECT_EQ(result.summary, file_content(out / "summary.json"));
  double sum = 0;
  for (const auto& [phase, seconds] : timing["profile"].items()) {
    EXPECT_GE(seconds.get<double>(), 0) << phase;
    sum += seconds.get<double>();
  }
  for (const char* phase : {"model", "start", "integrator", "history", "outputs", "report"})
    EXPECT_GT(timing["profile"][phase].get<double>(), 0) << phase;
  // All of the time is somewhere: what the run's own clock has seen begins after the model was made.
  EXPECT_GE(sum, timing["wall_time"].get<double>());
}

// What the summary says of every step is what the curves of report and viewer show, however few rows there are.
TEST(Run, CurvesHaveTheExtremesOfEveryStep) {
  const fs::path out = scratch() / "run";
  run_text(pendulum_text(verlet, "20", "output = [{ kind = \"history\", every = 0.73 }]\n"), out);
  const auto summary = summary_without_timing(out);
  const History rows = read_history(out / "history.csv", 1000), all = read_run_history(out, 1000);
  bool seen_less = false;
  for (const char* name : {"energy", "kinetic", "energy_error"}) {
    const auto largest = [&](const History& history) {
      return *std::max_element(history.find(name)->begin(), history.find(name)->end());
    };
    const auto smallest = [&](const History& history) {
      return *std::min_element(history.find(name)->begin(), history.find(name)->end());
    };
    EXPECT_EQ(largest(all), summary[name]["max"].get<double>()) << name;
    EXPECT_EQ(smallest(all), summary[name]["min"].get<double>()) << name;
    seen_less = seen_less || largest(rows) < largest(all) || smallest(rows) > smallest(all);
  }
  EXPECT_TRUE(seen_less) << "guard: the rows alone have all extremes";
  EXPECT_TRUE(std::is_sorted(all.find("t")->begin(), all.find("t")->end()));
  EXPECT_EQ(std::adjacent_find(all.find("t")->begin(), all.find("t")->end()), all.find("t")->end());
}

// Phase portraits are drawn from the rows: systems of few coordinates write every step.
TEST(Run, SmallSystemsWriteEveryStep) {
  const fs::path out = scratch() / "run";
  run_text(pendulum_text("kind = 'stormer_verlet', step = 0.01", "50"), out);
  EXPECT_EQ(lines_of(out / "history.csv").size(), 5002u);  // header and start
  EXPECT_FALSE(fs::exists(out / "extremes.csv"));
}

TEST(Run, TheLastStateHasARowOfItsOwn) {
  const fs::path out = scratch() / "run";
  run_text(pendulum_text(verlet, "1.12", "output = [{ kind = \"history\", every = 0.5 }]\n"), out);
  const auto lines = lines_of(out / "history.csv");
  EXPECT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines.back().rfind("23,1.15", 0), 0u) << lines.back();
  EXPECT_EQ(summary_without_timing(out)["warnings"][0]["code"], "end_between_steps");
}

TEST(Run, StateReadsBackToTheSameBits) {
  const fs::path folder = scratch();
  const Scene scene = parse_scene(lattice_text(verlet, "1"));
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  make_integrator(scene, model)->advance(model, state, 1);
  write_state(folder / "state.json", model, state);
  const State read = read_state(folder / "state.json");
  EXPECT_EQ(read.t, state.t);
  EXPECT_EQ(read.q, state.q);
  EXPECT_EQ(read.v, state.v);
  EXPECT_EQ(read.p, state.p);
}

TEST(Run, EqualRunsDifferInTimingOnly) {
  const fs::path folder = scratch();
  for (const char* name : {"a", "b"}) run_text(lattice_text(verlet, "2"), folder / name);
  expect_equal_runs(folder / "a", folder / "b", "equal runs");
  EXPECT_EQ(file_content(checkpoints_of(folder / "a")[0]), file_content(checkpoints_of(folder / "b")[0]));
}

TEST(Run, LookingMoreOftenChangesNothing) {
  const fs::path folder = scratch();
  for (const IntegratorRecord& record : integrator_records()) {
    if (record.name == "dormand_prince" || record.name == "static") continue;  // have no step
    const bool has_step = record.name != "asynchronous";
    const std::string table = "kind = '" + record.name + "'" + (has_step ? ", step = 0.05" : "");
    run_text(lattice_text(table, "2"), folder / "a");
    run_text(
        lattice_text(table, "2", "output = [{ kind = \"history\", every = 0.01 }]\ncheckpoint = { every_steps = 1 }\n"),
        folder / "b");
    EXPECT_EQ(file_content(folder / "a/state.json"), file_content(folder / "b/state.json")) << record.name;
  }
}

TEST(Run, OneAndTwoThreadsGiveTheSameBits) {
  const fs::path folder = scratch();
  std::string text = lattice_text(verlet, "0.2");
  text.replace(text.find("[3, 3]"), 6, "[95, 95]");
  for (const int threads : {1, 2}) {
    RunOptions options;
    options.threads = threads;
    options.out = (folder / std::to_string(threads)).string();
    run(parse_scene(text, "scene"), options);
  }
  expect_equal_runs(folder / "1", folder / "2", "threads");
}

TEST(Run, LargeModelsAreSampledAtRows) {
  const fs::path folder = scratch();
  std::string text = lattice_text(verlet, "0.3", "output = [{ kind = \"history\", every = 0.1 }]\n");
  text.replace(text.find("[3, 3]"), 6, "[101, 100]");
  run_text(text, folder / "whole");
  EXPECT_EQ(summary_without_timing(folder / "whole")["sampled_every"], "row of history.csv");
  run_interrupted(text, folder / "parts", 3);
  run_text(text, folder / "parts", true);
  expect_equal_runs(folder / "whole", folder / "parts", "sampled");
}

// By each of the solvers: the request is heard between their iterations, and the run goes on from the last whole step.
TEST(Run, AStepThatTakesLongEndsWhenItIsAskedTo) {
  const std::string held = R"toml(time = { end = 0.05 }
integrator = { kind = "energy_momentum", step = 0.005 }
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
body = [{ name = "rod", kind = "rigid", mass = 2, inertia = [0.1, 0.1, 0.05], center = [0.5, 0, 0] }]
constraint = [{ kind = "spherical", bodies = ["ground", "rod"], point = [0, 0, 0] }]
)toml";
  const std::string touching = R"toml(time = { end = 0.05 }
integrator = { kind = "energy_momentum", step = 0.005 }
material = [{ name = "rubber", kind = "neo_hookean", young = 1e5, poisson = 0.3, density = 1000 }]
[[body]]
name = "block"
kind = "solid"
material = "rubber"
mesh = { kind = "rectangle", size = [0.2, 0.1], cells = [4, 2], corner = [0, 0.004] }
initial = { velocity = [0.1, -1] }
[[contact]]
name = "floor"
kind = "plane"
rule = "barrier"
point = [0, 0]
normal = [0, 1]
)toml";
  const fs::path folder = scratch();
  for (const std::string& text : {held, touching, lattice_text("kind = 'implicit_midpoint', step = 0.1", "1")}) {
    fs::remove_all(folder);
    fs::create_directory(folder);
    run_text(text, folder / "whole");
    constexpr int last = 11;
    int asked = 0;
    RunOptions options;
    options.out = (folder / "parts").string();
    options.interrupted = [&] { return ++asked > last; };
    const RunResult result = run(parse_scene(text, "scene"), options);
    EXPECT_EQ(result.status, "interrupted");
    EXPECT_EQ(result.exit_code, 130);
    EXPECT_LT(summary_without_timing(folder / "parts")["steps"].get<int>(), last / 2) << "asked between steps only";
    EXPECT_FALSE(fs::exists(folder / "parts/failure.json"));
    EXPECT_EQ(run_text(text, folder / "parts", true).exit_code, 0);
    for (const char* file : {"state.json", "history.csv"})
      EXPECT_EQ(file_content(folder / "whole" / file), file_content(folder / "parts" / file)) << file;
  }
}

TEST(Run, AFailedStepIsAResultWithAdvice) {
  const fs::path out = scratch() / "run";
  // Far beyond the explicit limit of a stiff anharmonic lattice.
  const RunResult result = run_text(lattice_text("kind = 'stormer_verlet', step = 3", "300"), out);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.status, "failed");
  const auto failure = nlohmann::json::parse(file_content(out / "failure.json"));
  EXPECT_EQ(failure["code"], "not_finite");
  EXPECT_FALSE(failure["advice"].empty());
  EXPECT_EQ(result.lines[0].rfind("failed    step ", 0), 0u) << result.lines[0];
  EXPECT_EQ(result.lines[1].rfind("  why     ", 0), 0u);
  EXPECT_NE(result.lines[2].find("--set integrator.step="), std::string::npos) << result.lines[2];
  const State state = read_state(out / "state.json");
  for (const double q : state.q) EXPECT_TRUE(std::isfinite(q));
  for (const char* name : {"history.csv", "state.json"}) {
    EXPECT_EQ(file_content(out / name).find("nan"), std::string::npos);
    EXPECT_EQ(file_content(out / name).find("inf"), std::string::npos);
  }
}

// What it claims is broken long before the numbers are too large.
TEST(Run, AFailedRunThatLostItsEnergyIsBroken) {
  const fs::path out = scratch() / "run";
  const RunResult result = run_text(lattice_text("kind = 'stormer_verlet', step = 3", "300"), out);
  ASSERT_EQ(result.status, "failed");
  const auto summary = summary_without_timing(out);
  EXPECT_EQ(summary["verdict"], "broken");
  ASSERT_FALSE(summary["findings"].empty());
  EXPECT_NE(summary["findings"][0].get<std::string>().find(": broken."), std::string::npos) << summary["findings"];
  EXPECT_EQ(std::count_if(result.lines.begin(), result.lines.end(),
                          [](const std::string& line) { return line.rfind("  broken  ", 0) == 0; }),
            static_cast<long>(summary["findings"].size()));
  EXPECT_NE(file_content(out / "report.html").find("Verdict: broken."), std::string::npos);
}

// One that failed for another reason has kept nothing either: it has not reached its end.
TEST(Run, AFailedRunIsNeverKept) {
  const fs::path out = scratch() / "run";
  const std::string text =
      pendulum_text("kind = 'implicit_midpoint', step = 0.05", "20") + "\n[solver]\nmax_iterations = 1\n";
  ASSERT_EQ(run_text(text, out).status, "failed");
  EXPECT_EQ(summary_without_timing(out)["verdict"], "not_judged");
}

TEST(Run, AdviceIsNotWhatTheSceneHasAlready) {
  const fs::path folder = scratch();
  const std::string text =
      pendulum_text("kind = 'implicit_midpoint', step = 0.05", "20") + "\n[solver]\nmax_iterations = 1\n";
  const auto advises_halving = [&](const std::string& scene) {
    run_text(scene, folder / "run");
    const auto failure = nlohmann::json::parse(file_content(folder / "run" / "failure.json"));
    return failure["advice"].dump().find("retry_halvings") != std::string::npos;
  };
  EXPECT_TRUE(advises_halving(text));
  EXPECT_FALSE(advises_halving(text + "retry_halvings = 3\n"));
}

TEST(Run, FromBeginsAtAnothersLastState) {
  const fs::path folder = scratch();
  run_text(pendulum_text(verlet, "1"), folder / "first");
  RunOptions options;
  options.from = (folder / "first").string();
  options.out = (folder / "second").string();
  const RunResult result = run(parse_scene(pendulum_text("kind = 'rk4', step = 0.01", "2"), "scene"), options);
  EXPECT_EQ(result.exit_code, 0);
  const auto summary = summary_without_timing(folder / "second");
  EXPECT_EQ(summary["t_begin"], 1.0);
  EXPECT_EQ(summary["steps"], 100);
  EXPECT_EQ(summary["energy"]["first"], summary_without_timing(folder / "first")["energy"]["last"]);
  EXPECT_THROW(run(parse_scene(lattice_text(verlet, "2"), "scene"), options), RunError);     // other coordinates
  EXPECT_THROW(run(parse_scene(pendulum_text(verlet, "0.5"), "scene"), options), RunError);  // past its end
  // Both were refused before the directory was touched.
  EXPECT_EQ(summary_without_timing(folder / "second"), summary);
  fs::remove_all(folder / "first/checkpoints");
  EXPECT_EQ(run(parse_scene(pendulum_text(verlet, "2"), "scene"), options).exit_code, 0);
}

TEST(Run, FromKeepsVelocitiesWhereMassesChange) {
  const fs::path folder = scratch();
  run_text(lattice_text(verlet, "1"), folder / "first");
  std::string heavier = lattice_text(verlet, "1.05");
  heavier.replace(heavier.find("mass = 1.0"), 10, "mass = 2.0");
  RunOptions options;
  options.from = (folder / "first").string();
  options.out = (folder / "second").string();
  run(parse_scene(heavier, "scene"), options);
  const double before = summary_without_timing(folder / "first")["kinetic"]["last"];
  const double after = summary_without_timing(folder / "second")["kinetic"]["first"];
  EXPECT_NEAR(after, 2 * before, 1e-12);
}

TEST(RunDirectory, IsNeverOverwrittenUnlessItHoldsARun) {
  const fs::path folder = scratch();
  write_file(folder / "mine.txt", "precious");
  EXPECT_THROW(run_text(pendulum_text(verlet, "1"), folder), RunError);
  EXPECT_THROW(run_text(pendulum_text(verlet, "1"), folder / "mine.txt"), RunError);
  EXPECT_EQ(file_content(folder / "mine.txt"), "precious");
  run_text(pendulum_text(verlet, "1"), folder / "run");
  write_file(folder / "run/notes.txt", "mine");
  const RunResult again = run_text(pendulum_text(verlet, "2"), folder / "run");
  EXPECT_EQ(again.lines[0].rfind("replaced", 0), 0u) << again.lines[0];
  EXPECT_EQ(file_content(folder / "run/notes.txt"), "mine");
}

TEST(RunDirectory, IsLockedWhileARunWrites) {
  const fs::path folder = scratch();
  const RunDirectory first = RunDirectory::create_at(folder / "run");
  EXPECT_THROW(RunDirectory::create_at(folder / "run"), RunError);
}

TEST(Files, SayWhatIsWrong) {
  File full("/dev/full", File::Mode::create);
  try {
    full.write("x");
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::strstr(error.what(), "No space left"), nullptr) << error.what();
  }
  EXPECT_THROW(write_file("/nowhere/file", "x"), RunError);
}

TEST(Run, RefusesProbesAndPortraitsThatAreNotThere) {
  const fs::path out = scratch() / "run";
  const auto faults_of_run = [&](const std::string& more) {
    try {
      run_text(pendulum_text(verlet, "1", more), out);
    } catch (const SceneError& error) {
      return error.faults().size();
    }
    return std::size_t{0};
  };
  EXPECT_EQ(faults_of_run("probe = [{ name = \"a\", record = [\"positon\", \"heta\"] }]\n"), 2u);
  EXPECT_EQ(faults_of_run("report = { portraits = [[\"theta\", \"nothing\"], [\"theta\"]] }\n"), 2u);
  EXPECT_FALSE(fs::exists(out));
  EXPECT_EQ(faults_of_run("report = { portraits = [[\"theta\", \"theta_dot\"]] }\n"
                          "probe = [{ name = \"a\", record = [\"position\", \"momentum\", \"modified_energy\"] }]\n"),
            0u);
}

}  // namespace
}  // namespace livens
