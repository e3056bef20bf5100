// Steps of small systems that nobody has to see one by one: a run that takes them in blocks is the run that shows each
// of them to an observer.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "diagnostics/extreme_rows.hpp"
#include "diagnostics/statistics.hpp"
#include "files/memory.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// Wants every step; and how many it got.
class EveryStep final : public Observer {
 public:
  void observe(const Sample&) override { ++seen; }
  long seen = 0;
};

// The same, many at a time where they come so.
class SomeSteps final : public Observer {
 public:
  void observe(const Sample&) override { ++alone; }
  bool takes_blocks() const override { return true; }
  bool observe_block(const StepBlock& block) override {
    together += static_cast<long>(block.count());
    return true;
  }
  long alone = 0, together = 0;
};

std::string scene_text(const std::string& integrator, const std::string& system, double step) {
  return "time = { end = " + std::to_string(1000 * step) + " }\nintegrator = { kind = '" + integrator +
         "', step = " + std::to_string(step) +
         " }\noutput = [{ kind = 'history', every = " + std::to_string(61.7 * step) + " }]\n[system]\n" + system;
}

const std::string systems[] = {
    "kind = 'pendulum'\nangle = 0.7\n",
    "kind = 'kepler'\n",
    "kind = 'henon_heiles'\n",
    // Drag, and a force along which work is done.
    "kind = 'lagrangian'\ncoordinates = ['x', 'y']\nkinetic = '(x_dot^2 + 3*y_dot^2)/2'\npotential = 'x^2 + x*y^2 + "
    "2*y^2'\n"
    "dissipation = '0.02*x_dot^2 + 0.01*y_dot^2'\nforces = { y = '0.01*cos(x)' }\ninitial = { x = 0.3, y = 0.1, y_dot "
    "= 0.2 }\n",
};

// The scene in both ways, in folders "shown" and "blocks".
struct TwoRuns {
  TwoRuns(const std::string& text, const fs::path& folder) {
    const Scene scene = parse_scene(text, "scene");
    const auto go = [&](const char* name, Observer& observer) {
      RunOptions options;
      options.out = (folder / name).string();
      options.observers = {&observer};
      return run(scene, options).status;
    };
    shown = go("shown", every);
    blocks = go("blocks", some);
  }
  EveryStep every;
  SomeSteps some;
  std::string shown, blocks;  // how they ended
};

TEST(Blocks, ARunInBlocksIsTheRunThatShowsEveryStep) {
  const fs::path folder = scratch();
  for (const char* integrator : {"stormer_verlet", "implicit_midpoint", "symplectic_euler_a"})
    for (const std::string& system : systems) {
      const TwoRuns runs(scene_text(integrator, system, 0.01), folder);
      const std::string what = std::string(integrator) + " " + system;
      EXPECT_EQ(runs.shown, "done") << what;
      expect_equal_runs(folder / "shown", folder / "blocks", what);
      EXPECT_EQ(runs.every.seen, 1000) << what;
      EXPECT_EQ(runs.some.alone + runs.some.together, 1000) << what;
      // Implicit steps with forces have no way of their own.
      const bool one_by_one = std::string(integrator) == "implicit_midpoint" && &system == &systems[3];
      if (!one_by_one) {
        EXPECT_GT(runs.some.together, 900) << what << ": guard";
      }
    }
}

TEST(Blocks, ARunThatFailsInABlockFailsInTheSameStep) {
  const fs::path folder = scratch();
  // The potential is infinite long before the position is.
  const std::string system =
      "kind = 'lagrangian'\ncoordinates = ['x']\nkinetic = 'x_dot^2/2'\npotential = '-x^2/2 - 0.01*log(1000 - x)'\n"
      "initial = { x = 1 }\n";
  for (const char* integrator : {"stormer_verlet", "implicit_midpoint"}) {
    const TwoRuns runs(scene_text(integrator, system, 0.01), folder);
    EXPECT_EQ(runs.shown, "failed") << integrator;
    EXPECT_EQ(runs.blocks, "failed") << integrator;
    EXPECT_EQ(file_content(folder / "shown/history.csv"), file_content(folder / "blocks/history.csv")) << integrator;
    EXPECT_EQ(summary_without_timing(folder / "shown")["failure"], summary_without_timing(folder / "blocks")["failure"])
        << integrator;
    EXPECT_GT(runs.some.together, 300) << "guard";
  }
}

// Everything that a series knows, as the bytes of a checkpoint.
std::string memory_of(Series& series) {
  MemoryWriter writer;
  series.visit_memory(writer);
  return writer.bytes();
}

TEST(Blocks, SamplesTogetherAreSamplesOneByOne) {
  constexpr int count = 5;
  std::vector<Series> one_by_one(count), together(count);
  one_by_one[2].add(-1, 0.5);  // has bins of its own
  together[2].add(-1, 0.5);
  std::vector<double> t, values[count];
  int k = 0;
  for (const int length : {1, 3, 250, 17, 255, 256, 4, 0, 256, 1000, 77}) {
    t.clear();
    for (auto& column : values) column.clear();
    for (int j = 0; j < length; ++j, ++k) {
      t.push_back(0.1 * k);
      for (int s = 0; s < count; ++s) values[s].push_back(s == 3 ? -0.0 : std::sin(0.7 * k * s) + 1e-3 * s * k);
    }
    std::vector<Series*> all;
    std::vector<const double*> from;
    for (int s = 0; s < count; ++s) {
      for (int j = 0; j < length; ++j) one_by_one[s].add(t[j], values[s][j]);
      all.push_back(&together[s]);
      from.push_back(values[s].data());
    }
    Series::add_samples(all, t, from);
    for (int s = 0; s < count; ++s) EXPECT_EQ(memory_of(one_by_one[s]), memory_of(together[s])) << s << " after " << k;
  }
}

TEST(Blocks, RowsTogetherHaveTheExtremesOfRowsOneByOne) {
  ExtremeRows one_by_one({0, 1, 2}), together({0, 1, 2});
  std::vector<double> x, y;
  std::vector<std::vector<double>> rows;
  int k = 0;
  for (const int length : {1, 2, 255, 64, 256, 3, 5000}) {
    x.clear(), y.clear(), rows.clear();
    for (int j = 0; j < length; ++j, ++k) {
      x.push_back(std::sin(0.3 * k) * k);
      y.push_back(k % 97 == 0 ? -1e3 + k : std::cos(1.0 * k));
      rows.push_back({x.back(), y.back(), std::nan("")});
      one_by_one.add(rows.back());
    }
    const double* const values[] = {x.data(), y.data(), nullptr};
    together.add(rows.size(), values, [&](std::size_t j) { return std::span<const double>(rows[j]); });
    MemoryWriter a, b;
    one_by_one.visit_memory(a);
    together.visit_memory(b);
    EXPECT_EQ(a.bytes(), b.bytes()) << k;
  }
}

}  // namespace
}  // namespace livens
