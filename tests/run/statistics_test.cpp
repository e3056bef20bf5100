// Trends over the last half, schedules, and the verdict with its negative control.
#include "diagnostics/statistics.hpp"

#include <cmath>

#include "files/memory.hpp"
#include "files/schedule.hpp"
#include "run/scratch.hpp"
#include "run/verdict.hpp"

namespace livens {
namespace {

using namespace testing;

Series sampled(int n, double slope, double periods) {
  Series series;
  for (int k = 0; k <= n; ++k) {
    const double t = 10.0 * k / n;
    series.add(t, slope * t + std::sin(2 * 3.14159265358979 * periods * t / 10.0 + 0.7));
  }
  return series;
}

TEST(Trend, OfALineIsItsSlope) {
  Series series;
  for (int k = 0; k < 5000; ++k) series.add(1e6 + k, 3 + 2e-3 * k);
  const Trend trend = series.late_trend();
  EXPECT_NEAR(trend.slope, 2e-3, 1e-12);
  EXPECT_LT(trend.slope_error, 1e-9);
  EXPECT_NEAR(trend.duration, 2500, 60);
}

TEST(Trend, OfOscillationsStaysWithinThreeErrors) {
  for (const int n : {100, 1000, 30000})
    for (const double periods : {3.3, 7.0, 20.5, 400.0}) {
      if (periods * 4 > n) continue;
      const Trend trend = sampled(n, 0, periods).late_trend();
      EXPECT_LT(std::abs(trend.slope), 3 * trend.slope_error) << n << " samples, " << periods << " periods";
    }
}

TEST(Trend, BelowOscillationsIsFound) {
  const Trend trend = sampled(30000, 0.5, 40).late_trend();
  EXPECT_NEAR(trend.slope, 0.5, 0.05);
  EXPECT_GT(trend.slope, 3 * trend.slope_error);
}

TEST(Trend, IsUndefinedOfFewSamples) { EXPECT_TRUE(std::isnan(sampled(4, 1, 1).late_trend().slope)); }

TEST(Series, GoesOnFromItsMemory) {
  Series whole = sampled(3000, 0.1, 11), part;
  for (int k = 0; k <= 3000; ++k) {
    const double t = 10.0 * k / 3000;
    part.add(t, 0.1 * t + std::sin(2 * 3.14159265358979 * 11 * t / 10.0 + 0.7));
    if (k != 1234) continue;
    MemoryWriter writer;
    part.visit_memory(writer);
    part = Series();
    MemoryReader reader(writer.bytes());
    part.visit_memory(reader);
  }
  EXPECT_EQ(part.late_trend().slope, whole.late_trend().slope);
  EXPECT_EQ(part.late_trend().slope_error, whole.late_trend().slope_error);
  EXPECT_EQ(part.min(), whole.min());
  EXPECT_EQ(part.largest_drift(), whole.largest_drift());
}

TEST(Memory, RefusesWhatWasNotAskedFor) {
  MemoryWriter writer;
  double value = 1;
  writer.visit("a", value);
  MemoryReader other(writer.bytes());
  EXPECT_THROW(other.visit("b", value), RunError);
  MemoryReader cut(std::string_view(writer.bytes()).substr(0, 5));
  EXPECT_THROW(cut.visit("a", value), RunError);
}

TEST(Schedule, TakesTheFirstStepAtOrAfterEachTime) {
  Schedule schedule(0, 0.1);
  EXPECT_FALSE(schedule.due(0.06, 0.06));
  EXPECT_TRUE(schedule.due(0.12, 0.06));
  EXPECT_FALSE(schedule.due(0.18, 0.06));
  EXPECT_TRUE(schedule.due(0.24, 0.06));
  EXPECT_TRUE(schedule.due(0.55, 0.31));
  EXPECT_FALSE(schedule.due(0.59, 0.04));
  EXPECT_TRUE(schedule.due(0.1 * 6 - 1e-16, 0.01));
  EXPECT_FALSE(Schedule().due(1e9, 1));
}

Judgement judged(const std::string& integrator, EnergyClaim claim, const std::string& end, int seed = 1) {
  Scene scene = parse_scene(lattice_text(integrator, end), "scene");
  scene.set("body.lattice.initial.seed", std::to_string(seed));
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto method = make_integrator(scene, model);
  RunPlan plan = make_plan(scene, model);
  plan.claims.energy = claim;
  plan.claims.angular_momentum = Keeps::exact;
  Recorder recorder(model, {}, scratch() / "history.csv", 1, std::nullopt);
  recorder.begin({model, state, StepReport{}, *method});
  method->advance(model, state, plan.t_end, [&](const State& now, const StepReport& report) {
    recorder.observe({model, now, report, *method});
    return true;
  });
  return judge(plan, model, recorder, method->counters());
}

TEST(Verdict, OfASymplecticMethodIsKept) {
  const Judgement judgement = judged("kind = 'stormer_verlet', step = 0.05", EnergyClaim::bounded, "100");
  EXPECT_EQ(judgement.verdict, "kept") << ::testing::PrintToString(judgement.findings);
}

TEST(Verdict, OfFalseClaimsIsBroken) {
  const Judgement judgement = judged("kind = 'explicit_euler', step = 0.02", EnergyClaim::bounded, "20");
  EXPECT_EQ(judgement.verdict, "broken");
  ASSERT_EQ(judgement.findings.size(), 3u);
  EXPECT_NE(judgement.findings[0].find("broken"), std::string::npos) << judgement.findings[0];  // energy
  EXPECT_NE(judgement.findings[1].find("kept"), std::string::npos) << judgement.findings[1];    // linear momentum
  EXPECT_NE(judgement.findings[2].find("broken"), std::string::npos) << judgement.findings[2];  // angular momentum
}

// Most of the loss lies in the first half, so that the late slope is small against the band of the whole run.
TEST(Verdict, OfALossThatSlowsDownIsBroken) {
  const Judgement judgement = judged("kind = 'rk4', step = 0.5", EnergyClaim::bounded, "1000");
  EXPECT_NE(judgement.findings[0].find("broken"), std::string::npos) << judgement.findings[0];
  const Judgement damped = judged("kind = 'implicit_euler', step = 0.05", EnergyClaim::bounded, "100");
  EXPECT_NE(damped.findings[0].find("broken"), std::string::npos) << damped.findings[0];
}

// An instability that begins in the second half.
TEST(Trend, ThatBeginsLateMovesBeyondTheEarlyRange) {
  Series series;
  for (int k = 0; k < 4000; ++k) series.add(k, std::sin(0.1 * k) + (k > 2500 ? 0.01 * (k - 2500) : 0.0));
  const Trend trend = series.late_trend();
  EXPECT_FALSE(trend.steady);
  EXPECT_GT(trend.slope, 3 * trend.slope_error);
  EXPECT_GT(trend.slope * trend.duration, 2 * trend.early_range);
}

// Chaotic lattices exchange energy between their modes slowly; that must not look like a drift.
TEST(Verdict, OfSymplecticMethodsIsKeptForManyStarts) {
  int runs = 0;
  for (const char* method : {"stormer_verlet", "symplectic_euler_b", "implicit_midpoint"})
    for (int seed = 1; seed <= 12; ++seed, ++runs) {
      const Judgement judgement =
          judged("kind = '" + std::string(method) + "', step = 0.1", EnergyClaim::bounded, "150", seed);
      EXPECT_EQ(judgement.verdict, "kept") << method << " " << seed << ": " << judgement.findings[0];
    }
  EXPECT_EQ(runs, 36);
}

TEST(Verdict, OfAnExactEnergyThatIsNotIsBroken) {
  EXPECT_EQ(judged("kind = 'stormer_verlet', step = 0.05", EnergyClaim::exact, "10").verdict, "broken");
}

}  // namespace
}  // namespace livens
