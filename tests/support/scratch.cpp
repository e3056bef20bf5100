#include "support/scratch.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace livens::testing {

namespace {

// The directories of this process; gone when it ends. In memory if possible, since runs wait for the disk at each file.
class ScratchRoot {
 public:
  ScratchRoot() {
    const bool memory = ::access("/dev/shm", W_OK) == 0;
    path = (memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
           ("livens-test-" + std::to_string(::getpid()));
  }
  ~ScratchRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path path;
};

}  // namespace

std::filesystem::path scratch() {
  static const ScratchRoot root;
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const auto path = root.path / (std::string(test->test_suite_name()) + "-" + test->name());
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

std::string pendulum_text(const std::string& integrator, const std::string& end, const std::string& more) {
  return "time = { end = " + end + " }\nintegrator = { " + integrator + " }\n" + more +
         R"toml(
[system]
kind = "lagrangian"
coordinates = ["theta"]
kinetic = "theta_dot^2/4"
potential = "4.9*(1 - cos(theta))"
dissipation = "0.025*theta_dot^2"
initial = { theta = 0.8, theta_dot = 0 }
)toml";
}

std::string lattice_text(const std::string& integrator, const std::string& end, const std::string& more) {
  return "time = { end = " + end + " }\nintegrator = { " + integrator + " }\n" +
         "probe = [{ name = \"all\", record = [\"heat\"] }]\n" + more +
         R"toml(
[[body]]
name = "lattice"
kind = "particles"
mass = 1.0
layout = { kind = "triangular_lattice", count = [3, 3], spacing = 1.0 }
initial = { random_velocity = 0.2, seed = 1 }

[[force]]
kind = "spring"
body = "lattice"
pairs = "neighbours"
stiffness = 1.0
quartic = 1.0
)toml";
}

RunResult run_text(const std::string& text, const std::filesystem::path& out, bool resume) {
  RunOptions options;
  options.out = out.string();
  options.resume = resume;
  return run(parse_scene(text, "scene"), options);
}

// Long steps ask, too: what counts are those that are done.
class StepCount final : public Observer {
 public:
  void observe(const Sample&) override { ++steps; }
  int steps = 0;
};

RunResult run_interrupted(const std::string& text, const std::filesystem::path& out, int steps) {
  StepCount count;
  RunOptions options;
  options.out = out.string();
  options.observers = {&count};
  options.interrupted = [&] { return count.steps >= steps; };
  return run(parse_scene(text, "scene"), options);
}

nlohmann::json summary_without_timing(const std::filesystem::path& run) {
  auto summary = nlohmann::json::parse(file_content(run / "summary.json"));
  summary.erase("timing");
  return summary;
}

void expect_equal_runs(const std::filesystem::path& a, const std::filesystem::path& b, const std::string& what) {
  EXPECT_EQ(file_content(a / "history.csv"), file_content(b / "history.csv")) << what;
  EXPECT_EQ(file_content(a / "state.json"), file_content(b / "state.json")) << what;
  const bool extremes = std::filesystem::exists(a / "extremes.csv");
  EXPECT_EQ(extremes, std::filesystem::exists(b / "extremes.csv")) << what;
  if (extremes) {
    EXPECT_EQ(file_content(a / "extremes.csv"), file_content(b / "extremes.csv")) << what;
  }
  EXPECT_EQ(summary_without_timing(a), summary_without_timing(b)) << what;
}

}  // namespace livens::testing
