// The pendulum of the course [S15]: q'' = -sin q from pi/4 at rest, and with drag.
#include "published/study_fixture.hpp"

namespace livens {
namespace {

const PublishedStudy& small_steps() {
  static const PublishedStudy study("s15_pendulum/small_steps.toml");
  return study;
}
const PublishedStudy& large_steps() {
  static const PublishedStudy study("s15_pendulum/large_steps.toml");
  return study;
}
const PublishedStudy& damping() {
  static const PublishedStudy study("s15_pendulum/damping.toml");
  return study;
}

// One step of explicit Euler changes the energy by h^2/2 (v'W''v + |dW|^2) + O(h^3), one of implicit Euler by minus
// that. Integrated along the exact motion that is h C.
double euler_constant() {
  const auto& states = small_steps().results().groups[0].reference->measured.samples.states;
  double sum = 0;
  for (std::size_t k = 1; k < states.size(); ++k) {
    const auto rate = [](const State& s) {
      return 0.5 * (s.v[0] * s.v[0] * std::cos(s.q[0]) + std::pow(std::sin(s.q[0]), 2));
    };
    sum += 0.5 * (states[k].t - states[k - 1].t) * (rate(states[k]) + rate(states[k - 1]));
  }
  return sum;
}

TEST(S15, ExplicitEulerDrivesAndImplicitEulerDampsInProportionToTheStep) {
  const double h = std::pow(2, -11), expected = h * euler_constant();
  const double gain = small_steps().at("explicit_euler", "2^-11").measured.energy_error.last();
  const double loss = small_steps().at("implicit_euler", "2^-11").measured.energy_error.last();
  // The next order is the square of the growth over the run, h t = 2 %.
  EXPECT_NEAR(gain / expected, 1, 0.03);
  EXPECT_NEAR(loss / expected, -1, 0.03);
  const double coarse = small_steps().at("explicit_euler", "2^-10").measured.energy_error.last();
  EXPECT_NEAR(coarse / gain, 2, 0.06);
}

TEST(S15, SymplecticBandsShrinkWithTheStepAndHaveNoSlope) {
  for (const auto& [method, ratio] : {std::pair{"symplectic_euler_a", 2.0},
                                      {"symplectic_euler_b", 2.0},
                                      {"stormer_verlet", 4.0},
                                      {"implicit_midpoint", 4.0}}) {
    const CaseResult &coarse = small_steps().at(method, "2^-7"), &fine = small_steps().at(method, "2^-8");
    // The band is a h^r (1 + O(h)); at 2^-7 the next term is below a per cent.
    EXPECT_NEAR(band(coarse.measured.energy_error) / band(fine.measured.energy_error), ratio, 0.02 * ratio) << method;
    for (const char* step : {"2^-6", "2^-11"}) {
      const CaseResult& r = small_steps().at(method, step);
      const Trend trend = r.measured.energy_error.late_trend();
      EXPECT_LT(std::abs(trend.slope), 3 * trend.slope_error) << method << " " << step;
    }
  }
  // A guard: the same measure sees the slopes of the other two.
  for (const char* method : {"explicit_euler", "implicit_euler"}) {
    const Trend trend = small_steps().at(method, "2^-11").measured.energy_error.late_trend();
    EXPECT_GT(std::abs(trend.slope), 10 * trend.slope_error) << method;
  }
}

TEST(S15, OrdersFromAStudy) {
  const Results& results = small_steps().results();
  for (const Family& family : families(results)) {
    const double order = fit_order(results, family, &Errors::q).order;
    const bool second = family.method == "stormer_verlet" || family.method == "implicit_midpoint" ||
                        family.method.starts_with("newmark");
    // Explicit and implicit Euler reach their order slowly: the error of a growing motion is exponential in h t.
    const bool slow = family.method == "explicit_euler" || family.method == "implicit_euler";
    EXPECT_NEAR(order, second ? 2 : 1, slow ? 0.2 : 0.05) << family.method;
  }
}

// The course calls the largest step unstable for symplectic Euler. For this pendulum the limit is h = 2.
TEST(S15, SymplecticEulerIsStableAtTheLargestStep) {
  for (const char* method : {"symplectic_euler_a", "symplectic_euler_b"}) {
    const CaseResult& r = large_steps().at(method, "2^-3");
    EXPECT_TRUE(r.measured.ok);
    EXPECT_LT(band(r.measured.energy_error), 0.06) << "of an energy of 0.29";
    EXPECT_LT(std::abs(late_change(r)), 0.1 * band(r.measured.energy_error));
  }
  EXPECT_GT(large_steps().at("explicit_euler", "2^-3").measured.energy_error.last(), 1);
  EXPECT_LT(large_steps().at("implicit_euler", "2^-3").measured.energy.last(), 0.01);
}

// Eigenvalue lambda = -zeta + i sqrt(1 - zeta^2): implicit Euler decays at -Re(lambda + h lambda^2/2), so that its rate
// is off by -h/2 Re lambda^2 = h/2 (1 - 2 zeta^2). The forced symplectic method is off in second order only.
TEST(S15, ForcedSymplecticDecayDoesNotDependOnTheStep) {
  for (const double zeta : {0.3, 0.8}) {
    const std::string problem = zeta == 0.3 ? "parameters.zeta = 0.3" : "parameters.zeta = 0.8";
    const double truth =
        damping().results().group(damping().at("implicit_euler", "2^-5", problem)).reference->measured.decrement_rate;
    EXPECT_NEAR(truth, zeta, 3e-4);  // the first swing is not linear
    const auto deviation = [&](const char* method, const char* step) {
      return damping().at(method, step, problem).measured.decrement_rate - truth;
    };
    const double h = std::pow(2, -5);
    // h^2 = 0.001 at 2^-5; 2^-5 and 2^-10 agree to that.
    EXPECT_LT(std::abs(deviation("symplectic_euler_b", "2^-5")), 0.25 * h * h);
    EXPECT_LT(std::abs(deviation("symplectic_euler_b", "2^-10")), 1e-6);
    // Implicit Euler follows its own formula: next order h, and the first swing.
    EXPECT_NEAR(deviation("implicit_euler", "2^-5") / (h / 2 * (1 - 2 * zeta * zeta)), 1, 0.05);
    EXPECT_GT(std::abs(deviation("implicit_euler", "2^-5")), 20 * std::abs(deviation("symplectic_euler_b", "2^-5")));
    EXPECT_NEAR(deviation("implicit_euler", "2^-5") / deviation("implicit_euler", "2^-10"), 32, 1.6);
  }
}

TEST(S15, AreaOfAPatch) {
  const PublishedStudy study("s15_pendulum/area.toml", {{"sweep.integrator.step.values", "['2^-4']"}});
  const double h = std::pow(2, -4), t = 12;
  for (const char* method : {"symplectic_euler_a", "symplectic_euler_b", "stormer_verlet", "implicit_midpoint"}) {
    const Patch& patch = study.at(method, "").patch;
    ASSERT_TRUE(patch.ok);
    // 256 points resolve the curve to rounding.
    for (const double area : patch.area) EXPECT_NEAR(area / patch.area[0], 1, 1e-12) << method;
    // A guard: the curve has been bent.
    EXPECT_NE(patch.outlines.front().q, patch.outlines.back().q);
  }
  // A step multiplies areas by 1 + h^2 cos q, and by its inverse; the mean of cos q over the patch is between 0.6
  // and 1.
  for (const auto& [method, sign] : {std::pair{"explicit_euler", 1.0}, {"implicit_euler", -1.0}}) {
    const Patch& patch = study.at(method, "").patch;
    const double rate = sign * std::log(patch.area.back() / patch.area.front()) / (h * t);
    EXPECT_GT(rate, 0.6) << method;
    EXPECT_LT(rate, 1.0) << method;
  }
}

}  // namespace
}  // namespace livens
