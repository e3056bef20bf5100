// livens path from outside: what it writes, and what it refuses.
#include "path/path_scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <livens/run.hpp>

#include "files/files.hpp"
#include "support/scratch.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

std::string ball(const std::string& more, const std::string& integrator = "stormer_verlet") {
  return "time = { end = 2 }\nintegrator = { kind = '" + integrator + "', step = 0.1 }\n" + more + R"toml(
[system]
kind = "lagrangian"
coordinates = ["x", "y"]
kinetic = "(x_dot^2 + y_dot^2)/4"
potential = "9.81*y/2"
initial = { x = 0, y = 1 }
)toml";
}

PathSceneResult solved(const std::string& text, const std::filesystem::path& out) {
  PathSceneOptions options;
  options.out = out.string();
  return path_scene(parse_scene(text, "ball"), options);
}

void expect_fault(const std::string& text, const std::string& words) {
  try {
    solved(text, testing::scratch() / "out");
    ADD_FAILURE() << "accepted: " << words;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(PathScene, WritesThePathAndItsNumbers) {
  const auto out = testing::scratch() / "out";
  for (int twice = 0; twice < 2; ++twice) {  // the second replaces the first
    const PathSceneResult result = solved(ball("path = { from = { x = 1, y = 2 }, to = { x = 5, y = 0 } }\n"), out);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.lines.front().find("a minimum"), std::string::npos) << result.lines.front();
  }
  const auto summary = nlohmann::json::parse(file_content(out / "summary.json"));
  EXPECT_EQ(summary["schema"], "livens.path/1");
  EXPECT_EQ(summary["steps"], 20);
  EXPECT_EQ(summary["index"], 0);
  EXPECT_NEAR(summary["begin"]["v"][0].get<double>(), 2, 1e-12);
  EXPECT_NEAR(summary["begin"]["v"][1].get<double>(), -1 + 9.81, 1e-12);
  EXPECT_LT(summary["retraced"]["over_extent"].get<double>(), 1e-12);
  const std::string csv = file_content(out / "path.csv");
  EXPECT_TRUE(csv.starts_with("t,x,y\n0,1,2\n"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 22);
  EXPECT_NE(file_content(out / "report.html").find("second variation"), std::string::npos);
  EXPECT_TRUE(file_content(out / "path.svg").starts_with("<svg"));
}

TEST(PathScene, GuessesAndStepsOfTheScene) {
  const auto out = testing::scratch() / "out";
  for (const char* guess : {"'line'", "'motion'", "{ y = '10*t' }"}) {
    const std::string keys = "path = { to = { x = 5, y = 0 }, steps = 7, guess = " + std::string(guess) + " }\n";
    EXPECT_EQ(solved(ball(keys), out).exit_code, 0) << guess;
    EXPECT_EQ(nlohmann::json::parse(file_content(out / "summary.json"))["steps"], 7);
  }
  // Beyond the conjugate point of an oscillator nothing is downhill for ever.
  const std::string oscillator = R"toml(
time = { end = 4 }
integrator = { kind = "implicit_midpoint", step = 0.1 }
path = { to = { x = 1 }, find = "minimum" }
[system]
kind = "lagrangian"
coordinates = ["x"]
kinetic = "x_dot^2/2"
potential = "x^2/2"
initial = { x = 0 }
)toml";
  EXPECT_EQ(solved(oscillator, out).exit_code, 3);
  EXPECT_EQ(nlohmann::json::parse(file_content(out / "summary.json"))["status"], "not_found");
}

TEST(PathScene, FaultsNameTheKey) {
  const std::string path = "path = { to = { x = 5, y = 0 } }\n";
  expect_fault(ball(""), "[path]");
  expect_fault(ball("path = { steps = 5 }\n"), "path.to");
  expect_fault(ball("path = { to = { x = 5 } }\n"), "path.to.y");
  expect_fault(ball("path = { to = { x = 5, z = 0 } }\n"), "path.to.z");
  expect_fault(ball("path = { to = { x = 5, y = 0 }, guess = 'circle' }\n"), "motion");
  expect_fault(ball("path = { to = { x = 5, y = '1/0' } }\n"), "path.to.y");
  expect_fault(ball(path, "rk4"), "discrete Lagrangian");
  expect_fault(ball(path) + "dissipation = 'x_dot^2'\n", "dissipation");
  expect_fault(ball(path) + "constraints = ['x']\n", "multipliers");
}

TEST(PathScene, ShippedScenes) {
  for (const char* name : {"path_throw", "path_pendulum"}) {
    PathSceneOptions options;
    options.out = (testing::scratch() / name).string();
    const PathSceneResult result = path_scene(load_scene(source_dir() + "/scenes/" + name + ".toml"), options);
    EXPECT_EQ(result.exit_code, 0) << result.lines.front();
    const auto summary = nlohmann::json::parse(file_content(std::filesystem::path(options.out) / "summary.json"));
    EXPECT_EQ(summary["index"], std::string(name) == "path_throw" ? 0 : 1);
    EXPECT_LT(summary["retraced"]["over_extent"].get<double>(), 1e-11);
  }
}

}  // namespace
}  // namespace livens
