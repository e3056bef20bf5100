// Figures 1 to 5 of [L04], on systems of our own where the paper gives none.
#include <limits>

#include "published/study_fixture.hpp"

namespace livens {
namespace {

double relative_error(const PublishedStudy& study, const CaseResult& r) {
  return r.measured.heat / true_heat(study.results(), r) - 1;
}

// Fewest force evaluations with which a method has the heat to a tolerance.
double cost(const PublishedStudy& study, const std::string& method, double tolerance) {
  double least = std::numeric_limits<double>::infinity();
  for (const CaseResult& r : study.results().cases)
    if (r.made->method == method && r.measured.ok && std::abs(relative_error(study, r)) <= tolerance)
      least = std::min(least, static_cast<double>(r.measured.counters.evaluations));
  return least;
}

TEST(L04Figure1, RungeKuttaLosesHeatAndVariationalMethodsDoNot) {
  const PublishedStudy study("l04_heat/figure_1.toml", {{"time.end", "1000"}});
  // RK4 damps a mode of w by (w h)^6/72 a step: w up to 2.4 and more where springs stiffen. It loses more with every
  // step.
  EXPECT_LT(relative_error(study, study.at("rk4", "0.4")), -0.6);
  EXPECT_LT(relative_error(study, study.at("rk4", "0.2")), -0.1);
  for (const char* step : {"0.4", "0.3", "0.2"}) {
    const CaseResult &rk4 = study.at("rk4", step), &vi1 = study.at("symplectic_euler_b", step),
                     &vi4 = study.at("composition, order 4", step);
    EXPECT_LT(late_change(rk4), -0.05) << step;
    // The heat of VI1 is off by O(h^2), but for all times by the same.
    EXPECT_LT(std::abs(relative_error(study, vi1)), step == std::string("0.2") ? 0.05 : 0.15) << step;
    const auto& heat = vi1.measured.samples.heat;
    EXPECT_NEAR(heat.back() / heat[heat.size() / 2], 1, 0.02) << step;
    EXPECT_LT(std::abs(relative_error(study, vi4)), 0.01) << step;
  }
  // At the largest step VI1 is eight times as cheap as RK4 at the step where both err by a few per cent.
  EXPECT_LT(cost(study, "symplectic_euler_b", 0.05), 0.5 * cost(study, "rk4", 0.05));
}

class Figure2 : public testing::Test {
 protected:
  static const PublishedStudy& study() {
    static const PublishedStudy made("l04_heat/figure_2.toml", {{"sweep.time.end.values", "[2000]"}});
    return made;
  }
};

// The modes against a run that is exact to rounding for this purpose.
TEST_F(Figure2, ModesGiveTheExactHeat) {
  const HarmonicModes& modes = *study().results().groups[0].modes;
  EXPECT_EQ(modes.modes().size(), 72u);
  const CaseResult& fine = study().at("composition, order 4", "0.05");
  // The trapezoid rule of the average errs by h^2/(12 T) times the jump of the derivative of K: 1e-7 of it.
  EXPECT_NEAR(fine.measured.heat / modes.heat(fine.measured.t_reached), 1, 1e-6);
  // The limit is reached as 1/T.
  EXPECT_NEAR(modes.heat(1e6) / modes.heat(), 1, 1e-6);
  EXPECT_GT(std::abs(modes.heat(20) / modes.heat() - 1), 1e-4);
}

TEST_F(Figure2, LowOrderVariationalBeatsRungeKuttaAtAFewPerCent) {
  for (const double tolerance : {0.05, 0.02, 0.01}) {
    const double vi1 = cost(study(), "symplectic_euler_b", tolerance), rk4 = cost(study(), "rk4", tolerance);
    EXPECT_LT(vi1, 0.5 * rk4) << tolerance;
  }
}

TEST_F(Figure2, FourthOrderVariationalIsCheapestForPrecision) {
  for (const double tolerance : {0.01, 0.003, 1e-3, 3e-4}) {
    const double vi4 = cost(study(), "composition, order 4", tolerance);
    EXPECT_LT(vi4, cost(study(), "rk4", tolerance)) << tolerance;
    EXPECT_LT(vi4, cost(study(), "symplectic_euler_b", tolerance)) << tolerance;
  }
}

// (8): the total error tends to the limit error, and stays there.
TEST_F(Figure2, ErrorEndsAtTheLimitError) {
  const HarmonicModes& modes = *study().results().groups[0].modes;
  const CaseResult& fine = study().at("composition, order 4", "0.05");
  const double limit = modes.heat(fine.measured.t_reached) / modes.heat() - 1;
  EXPECT_NEAR(relative_error(study(), fine) / limit, 1, 0.02);
}

TEST(L04Figure3, VariationalMethodFollowsTheDecay) {
  const PublishedStudy study("l04_dissipative/figure_3.toml");
  const Measured& truth = study.results().groups[0].reference->measured;
  const Measured &vi = study.at("stormer_verlet", "").measured, &rk4 = study.at("rk4", "").measured;
  EXPECT_LT(truth.energy.last(), 0.45 * truth.energy.first());
  // Verlet errs by h^2 in the energy, 0.03 of 0.5 J at the start, less later.
  EXPECT_NEAR(vi.energy_rate / truth.energy_rate, 1, 0.03);
  EXPECT_NEAR(vi.energy.last(), truth.energy.last(), 0.02);
  // RK4's own loss is of the size of the drag's.
  EXPECT_GT(rk4.energy_rate / truth.energy_rate, 1.5);
  EXPECT_LT(rk4.energy.last(), 0.6 * truth.energy.last());
}

TEST(L04Figure4, NewmarkKeepsTheEnergyAndRungeKuttaLosesIt) {
  const PublishedStudy study("l04_conservative/figure_4.toml");
  for (const char* method : {"newmark, beta 0.25, gamma 0.5", "newmark, beta 0, gamma 0.5"}) {
    const CaseResult& r = study.at(method, "");
    EXPECT_LT(band(r.measured.energy_error), 0.15 * r.measured.energy.first());
    EXPECT_LT(std::abs(late_change(r)), 0.05 * band(r.measured.energy_error)) << method;
  }
  const CaseResult& rk4 = study.at("rk4", "");
  EXPECT_LT(rk4.measured.energy.last(), 0.55 * rk4.measured.energy.first());
  EXPECT_EQ(rk4.measured.energy_error.max(), 0) << "it never gains";
}

TEST(L04Figure5, SymplecticOrbitStaysOnTheModifiedLevelSet) {
  const PublishedStudy study("l04_phase/figure_5.toml");
  for (const auto& [method, share] : {std::pair{"stormer_verlet", 0.1}, {"symplectic_euler_b", 0.05}}) {
    const CaseResult& r = study.at(method, "");
    EXPECT_LT(band(r.measured.modified_energy), share * band(r.measured.energy)) << method;
  }
  // RK4 falls towards rest.
  const CaseResult& rk4 = study.at("rk4", "");
  EXPECT_LT(rk4.measured.energy.last(), 0.25 * rk4.measured.energy.first());
}

// H~ = H + h^2 H2 for Verlet and the midpoint rule leaves h^4, H~ = H + h H1 + h^2 H2 for symplectic Euler leaves h^3.
TEST(L04Figure5, ModifiedEnergiesAreKeptToHigherOrder) {
  const PublishedStudy study("l04_phase/modified_energy.toml");
  struct Expected {
    const char* method;
    double energy, modified;
  };
  for (const Expected& e : {Expected{"stormer_verlet", 2, 4},
                            {"implicit_midpoint", 2, 4},
                            {"symplectic_euler_a", 1, 3},
                            {"symplectic_euler_b", 1, 3}}) {
    const Measured &coarse = study.at(e.method, "2^-4").measured, &fine = study.at(e.method, "2^-5").measured;
    // The next term is of relative size h^2 or h: below 5 %, so that the order is known to 0.05.
    EXPECT_NEAR(std::log2(band(coarse.energy) / band(fine.energy)), e.energy, 0.05) << e.method;
    EXPECT_NEAR(std::log2(band(coarse.modified_energy) / band(fine.modified_energy)), e.modified, 0.05) << e.method;
  }
}

}  // namespace
}  // namespace livens
