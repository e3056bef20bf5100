// livens modes from outside: what it writes, and that its swings are runs like others.
#include "modes/modes_scene.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <livens/run.hpp>

#include "files/files.hpp"
#include "run/finished_run.hpp"
#include "run/recording.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

const std::string springs = R"toml(
time = { end = 1 }
integrator = { kind = "stormer_verlet", step = 0.01 }
modes = { count = 3 }
[system]
kind = "lagrangian"
coordinates = ["a", "b"]
kinetic = "(a_dot^2 + b_dot^2)/2"
potential = "2*a^2 + b^2/2 + (a - b)^2/2"
initial = { a = 0, b = 0 }
)toml";

ModesSceneResult modes_in(const std::string& text, const std::filesystem::path& out) {
  ModesSceneOptions options;
  options.out = out.string();
  return modes_scene(parse_scene(text, "scene"), options);
}

TEST(ModesScene, WritesNumbersAndReplacesThem) {
  const auto out = testing::scratch() / "out";
  for (int twice = 0; twice < 2; ++twice) EXPECT_EQ(modes_in(springs, out).exit_code, 0);
  const auto summary = nlohmann::json::parse(file_content(out / "summary.json"));
  EXPECT_EQ(summary["schema"], "livens.modes/1");
  ASSERT_EQ(summary["modes"].size(), 2u);  // there are no more than two
  // [[5, -1], [-1, 2]]: w^2 = (7 -+ sqrt(13)) / 2
  EXPECT_NEAR(summary["modes"][0]["eigenvalue"].get<double>(), (7 - std::sqrt(13.0)) / 2, 1e-13);
  EXPECT_NEAR(summary["modes"][1]["eigenvalue"].get<double>(), (7 + std::sqrt(13.0)) / 2, 1e-13);
  EXPECT_EQ(summary["complete"], true);
  EXPECT_NE(file_content(out / "report.html").find("Frequencies"), std::string::npos);
  EXPECT_TRUE(file_content(out / "modes.csv").starts_with("mode,kind,frequency_Hz,"));
}

TEST(ModesScene, SwingsAreRunsThatCanBeViewed) {
  const auto out = testing::scratch() / "out";
  const ModesSceneResult result = modes_in(R"toml(
time = { end = 1 }
integrator = { kind = "static" }
modes = { count = 8, amplitude = 0.2 }
[[material]]
name = "soft"
kind = "linear"
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = "box"
kind = "solid"
material = "soft"
mesh = { kind = "box", size = [1, 0.5, 0.5], cells = [2, 1, 1] }
)toml",
                                           out);
  EXPECT_EQ(result.exit_code, 0);
  const auto runs = runs_of_study(out);
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 2u);  // six of eight are zero
  Recording recording(runs->front());
  const auto motion = recording.motion();
  EXPECT_EQ(motion->frames(), 25);
  const std::vector<double> first = motion->coordinates(0), half = motion->coordinates(12),
                            last = motion->coordinates(24);
  double swing = 0, back = 0;
  for (std::size_t i = 0; i < first.size(); i += 3) {
    swing = std::max(swing, std::hypot(first[i] - half[i], first[i + 1] - half[i + 1], first[i + 2] - half[i + 2]));
    back = std::max(back, std::abs(first[i] - last[i]));
  }
  EXPECT_NEAR(swing, 0.4, 1e-6);  // to one side and to the other
  EXPECT_LT(back, 1e-12);
  EXPECT_GT(file_content(out / "box.vtu").size(), 1000u);
}

TEST(ModesScene, RefusesWhatHasNoModes) {
  const auto out = testing::scratch() / "out";
  std::string magnetic = springs;
  magnetic.replace(magnetic.find("(a_dot^2"), 0, "a*b_dot - b*a_dot + ");
  EXPECT_THROW(modes_in(magnetic, out), RunError);
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace livens
