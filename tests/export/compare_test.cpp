// Comparisons: keys, numbers at the common time, and damping that is known.
#include "export/compare.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "export/decay.hpp"
#include "files/history.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// x'' + 2 zeta w x' + w^2 x = 0
std::string oscillator(double zeta, double w, const std::string& end = "10", const std::string& more = "") {
  return fmt::format(
      "time = {{ end = {} }}\nintegrator = {{ kind = \"implicit_midpoint\", step = 0.001 }}\n"
      "output = [{{ kind = \"history\", every = 0.01 }}]\n{}"
      "[system]\nkind = \"lagrangian\"\ncoordinates = [\"x\"]\nkinetic = \"x_dot^2/2\"\n"
      "potential = \"{}*x^2/2\"\ndissipation = \"{}*x_dot^2\"\ninitial = {{ x = 1, x_dot = 0 }}\n",
      end, more, w * w, zeta * w);
}

const ComparedRow& row(const Comparison& comparison, const std::string& name) {
  for (const ComparedRow& each : comparison.rows)
    if (each.name.rfind(name, 0) == 0) return each;
  throw std::out_of_range(name);
}
bool has_row(const Comparison& comparison, const std::string& name) {
  for (const ComparedRow& each : comparison.rows)
    if (each.name.rfind(name, 0) == 0) return true;
  return false;
}

TEST(Decay, OfAFormulaIsFound) {
  constexpr double w = 2 * std::numbers::pi;
  for (const double zeta : {0.002, 0.02, 0.1}) {
    std::vector<double> t, y, energy;
    const double damped = w * std::sqrt(1 - zeta * zeta);
    for (int k = 0; k <= 2000; ++k) {
      t.push_back(0.005 * k);
      y.push_back(3 + std::exp(-zeta * w * t.back()) * std::cos(damped * t.back()));
      const double v = std::exp(-zeta * w * t.back()) * std::sin(damped * t.back());
      energy.push_back(v * v);
    }
    for (const Decay& decay : {measure_decay(t, y), measure_decay_of_energy(t, energy)}) {
      ASSERT_TRUE(decay.decays) << zeta;
      EXPECT_NEAR(decay.ratio, zeta, 1e-3 * zeta);
      EXPECT_NEAR(decay.frequency, damped / (2 * std::numbers::pi), 1e-3);
    }
  }
}

TEST(Decay, IsNotSeenWhereThereIsNone) {
  std::vector<double> t, steady, two, line, coarse;
  for (int k = 0; k <= 2000; ++k) {
    t.push_back(0.005 * k);
    steady.push_back(std::cos(6 * t.back()));
    two.push_back(std::exp(-0.1 * t.back()) * (std::cos(6 * t.back()) + std::cos(9.7 * t.back())));
    line.push_back(t.back());
    coarse.push_back(std::exp(-0.1 * t.back()) * std::cos(std::numbers::pi / 0.01 * t.back()));
  }
  EXPECT_TRUE(measure_decay(t, steady).clear);
  EXPECT_FALSE(measure_decay(t, steady).decays);
  EXPECT_FALSE(measure_decay(t, two).clear);
  EXPECT_FALSE(measure_decay(t, line).clear);
  EXPECT_FALSE(measure_decay(t, coarse).clear);
  EXPECT_FALSE(measure_decay({}, {}).clear);
}

TEST(Compare, FindsTheKeyAndTheDampingRatio) {
  const fs::path folder = scratch();
  constexpr double w = 2 * std::numbers::pi;
  run_text(oscillator(0.01, w), folder / "a");
  run_text(oscillator(0.03, w), folder / "b");
  const Comparison comparison = compare_runs({(folder / "a").string(), (folder / "b").string()});
  ASSERT_EQ(comparison.keys.size(), 1u);
  EXPECT_EQ(comparison.keys[0].path, "system.dissipation");
  const ComparedRow& ratio = row(comparison, "damping ratio");
  EXPECT_NEAR(ratio.values[0], 0.01, 2e-5);
  EXPECT_NEAR(ratio.values[1], 0.03, 6e-5);
  EXPECT_NEAR(row(comparison, "frequency").values[0], 1, 1e-3);
  EXPECT_NE(comparison.sentence.find("Damping ratio at 1 Hz 0.01 | 0.03."), std::string::npos) << comparison.sentence;
  // Numbers are those of the last row.
  for (std::size_t k = 0; k < 2; ++k) {
    const History history = read_history(folder / (k == 0 ? "a" : "b") / "history.csv", 100000);
    EXPECT_EQ(row(comparison, "dissipated").values[k], history.find("dissipated")->back());
    EXPECT_EQ(row(comparison, "x").values[k], history.find("x")->back());
  }
  const auto json = nlohmann::json::parse(comparison.json());
  EXPECT_EQ(json["keys"][0]["key"], "system.dissipation");
  EXPECT_EQ(json["runs"].size(), 2u);
}

TEST(Compare, RunsOfDifferentLengthUpToTheCommonEnd) {
  const fs::path folder = scratch();
  run_text(oscillator(0.01, 6, "3"), folder / "a");
  run_text(oscillator(0.01, 6, "2"), folder / "b");
  run_text(oscillator(0.01, 6, "1"), folder / "c");
  const Comparison comparison =
      compare_runs({(folder / "a").string(), (folder / "b").string(), (folder / "c").string()});
  EXPECT_NEAR(comparison.end, 1, 1e-9);
  EXPECT_TRUE(comparison.keys.empty());
  EXPECT_NE(comparison.sentence.find("No key differs."), std::string::npos);
  const ComparedRow& x = row(comparison, "x");
  EXPECT_LT(x.difference, 1e-12);
  EXPECT_EQ(x.values[0], x.values[2]);
  ASSERT_EQ(comparison.notes.size(), 1u);
  EXPECT_NE(comparison.notes[0].find("3 s | 2 s | 1 s"), std::string::npos);
  // Five swings in one second are too few for a decay.
  EXPECT_FALSE(has_row(comparison, "damping ratio"));
}

TEST(Compare, UnitsOfKeysAndDifferencesOfCurves) {
  const fs::path folder = scratch();
  const std::string text = oscillator(0.01, 6, "1");
  run_text(text, folder / "a");
  Scene scene = parse_scene(text, "scene");
  scene.set("integrator.step", "0.01");
  RunOptions options;
  options.out = (folder / "b").string();
  run(scene, options);
  const Comparison comparison = compare_runs({(folder / "a").string(), (folder / "b").string()});
  ASSERT_EQ(comparison.keys.size(), 1u);
  EXPECT_EQ(comparison.keys[0].unit, "s");
  EXPECT_NE(comparison.sentence.find("integrator.step 0.001 s | 0.01 s, all else equal."), std::string::npos)
      << comparison.sentence;
  const History a = read_history(folder / "a/history.csv", 10000), b = read_history(folder / "b/history.csv", 10000);
  double largest = 0;
  ASSERT_EQ(a.find("x")->size(), b.find("x")->size());
  for (std::size_t k = 0; k < a.find("x")->size(); ++k)
    largest = std::max(largest, std::abs(a.find("x")->at(k) - b.find("x")->at(k)));
  EXPECT_GT(largest, 1e-4);
  EXPECT_NEAR(row(comparison, "x").difference, largest, 1e-9);
}

TEST(Compare, DifferentScenesAreSaidToBeSo) {
  const fs::path folder = scratch();
  run_text(oscillator(0.01, 6, "1"), folder / "a");
  run_text(lattice_text("kind = 'stormer_verlet', step = 0.05", "1"), folder / "b");
  const Comparison comparison = compare_runs({(folder / "a").string(), (folder / "b").string()});
  ASSERT_FALSE(comparison.notes.empty());
  EXPECT_NE(comparison.notes[0].find("different scenes"), std::string::npos);
  EXPECT_TRUE(std::isnan(row(comparison, "x").values[1]));
  EXPECT_FALSE(std::isnan(row(comparison, "energy").values[1]));
}

TEST(Compare, RefusesWhatIsNoRun) {
  const fs::path folder = scratch();
  run_text(oscillator(0.01, 6, "0.1"), folder / "a");
  EXPECT_THROW(compare_runs({(folder / "a").string()}), RunError);
  EXPECT_THROW(compare_runs({(folder / "a").string(), folder.string()}), RunError);
  EXPECT_THROW(compare_runs({(folder / "a").string(), (folder / "none").string()}), RunError);
}

}  // namespace
}  // namespace livens
