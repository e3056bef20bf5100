// Every claim of every record holds, and every detector has a case in which it fires.
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include <livens/laws.hpp>
#include <livens/registry.hpp>

#include "laws/measure.hpp"
#include "laws/trend.hpp"

namespace livens::laws {
namespace {

// ---- the records
// ------------------------------------------------------------------------------------------------------

class Laws : public testing::TestWithParam<std::string> {};

TEST_P(Laws, hold) {
  const std::vector<LawResult> results = measure_laws({GetParam()});
  EXPECT_GE(results.size(), 19u) << "a record must be measured on every claim";
  for (const LawResult& r : results)
    EXPECT_TRUE(r.holds) << r.record << " (" << r.variant << "), " << r.claim << " on " << r.problem << ": claimed "
                         << r.claimed << ", measured " << r.measured << "; " << r.detail;
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const IntegratorRecord& record : integrator_records())
    if (!record.law_variants.empty()) list.push_back(record.name);  // statics is no motion
  return list;
}

INSTANTIATE_TEST_SUITE_P(Records, Laws, testing::ValuesIn(names()), [](const auto& record) { return record.param; });

// ---- the detectors
// ----------------------------------------------------------------------------------------------------

Method method(const std::string& name, const std::string& variant = "") {
  return {integrator_records().at(name), variant};
}

TEST(Detectors, order_fires_on_both_sides) {
  const Problem& p = problem("henon_heiles");
  EXPECT_FALSE(order_law(method("symplectic_euler_a"), p, 2).holds);
  EXPECT_FALSE(order_law(method("stormer_verlet"), p, 1).holds);
  EXPECT_FALSE(order_law(method("rk4"), p, 3).holds);
  EXPECT_FALSE(order_law(method("rk4"), p, 5).holds);
  EXPECT_FALSE(order_law(method("dormand_prince"), p, 6).holds);
  EXPECT_FALSE(order_law(method("galerkin", "degree = 5"), problem("orbit"), 12).holds);
  EXPECT_FALSE(order_law(method("galerkin", "degree = 6"), problem("orbit"), 11).holds);
}

// Forces in time are of order 2 if symmetric; a lag costs an order.
TEST(Detectors, order_fires_where_a_lagged_force_lowers_it) {
  EXPECT_FALSE(order_law(method("stormer_verlet"), problem("damped_cluster"), 2).holds);
  EXPECT_TRUE(order_law(method("stormer_verlet"), problem("damped_pendulum"), 2).holds);
}

TEST(Detectors, symplectic_fires_on_both_sides) {
  for (const char* p : {"henon_heiles", "double_pendulum", "charge"})
    for (const char* name : {"explicit_euler", "implicit_euler", "rk4", "dormand_prince"}) {
      EXPECT_FALSE(symplectic_law(method(name), problem(p), Symplectic::canonical).holds) << name << " on " << p;
      EXPECT_FALSE(symplectic_law(method(name), problem(p), Symplectic::named_variables).holds) << name << " on " << p;
    }
  const Problem& p = problem("henon_heiles");
  EXPECT_FALSE(symplectic_law(method("stormer_verlet"), p, Symplectic::no).holds);
  EXPECT_FALSE(symplectic_law(method("newmark", "beta = 0.25"), p, Symplectic::canonical).holds);
  EXPECT_FALSE(symplectic_law(method("newmark", "beta = 0.25"), p, Symplectic::no).holds);
  EXPECT_FALSE(symplectic_law(method("newmark", "beta = 0.25, gamma = 0.6"), p, Symplectic::named_variables).holds);
  EXPECT_FALSE(symplectic_law(method("stormer_verlet"), problem("damped_pendulum"), Symplectic::canonical).holds);
}

TEST(Detectors, symmetric_fires_on_both_sides) {
  for (const char* p : {"henon_heiles", "cluster", "charge"})
    for (const char* name : {"explicit_euler", "symplectic_euler_b", "rk4"})
      EXPECT_FALSE(symmetric_law(method(name), problem(p), true).holds) << name << " on " << p;
  EXPECT_FALSE(symmetric_law(method("implicit_midpoint"), problem("charge"), false).holds);
}

TEST(Detectors, angular_momentum_fires_on_both_sides) {
  const Problem& p = problem("cluster");
  for (const char* name : {"explicit_euler", "rk4"})
    for (const Keeps pretended : {Keeps::exact, Keeps::bounded})
      EXPECT_FALSE(momentum_law(method(name), p, Map::angular, Steps::equal, pretended).holds) << name;
  EXPECT_FALSE(momentum_law(method("newmark", "beta = 0.25"), p, Map::angular, Steps::equal, Keeps::exact).holds);
  EXPECT_FALSE(momentum_law(method("newmark", "beta = 0.25"), p, Map::angular, Steps::equal, Keeps::no).holds);
  EXPECT_FALSE(momentum_law(method("stormer_verlet"), p, Map::angular, Steps::equal, Keeps::bounded).holds);
  EXPECT_FALSE(momentum_law(method("rk4"), problem("vortex"), Map::symmetries, Steps::equal, Keeps::exact).holds);
}

// Every Runge-Kutta method keeps the linear momentum; gravity does not.
TEST(Detectors, linear_momentum_fires_on_an_external_force) {
  const Problem& p = problem("anchored_cluster");
  for (const Steps steps : {Steps::equal, Steps::varying})
    EXPECT_FALSE(momentum_law(method("stormer_verlet"), p, Map::linear, steps, Keeps::exact).holds);
  EXPECT_TRUE(momentum_law(method("stormer_verlet"), p, Map::linear, Steps::equal, Keeps::no).holds);
  EXPECT_FALSE(momentum_law(method("stormer_verlet"), problem("cluster"), Map::linear, Steps::equal, Keeps::no).holds);
}

TEST(Detectors, energy_fires_on_both_sides) {
  const std::vector<const Problem*> problems{&problem("henon_heiles"), &problem("rotor")};
  for (const char* name : {"explicit_euler", "rk4", "implicit_euler", "dormand_prince"})
    for (const EnergyClaim pretended : {EnergyClaim::exact, EnergyClaim::bounded})
      EXPECT_FALSE(energy_law(method(name), problems, pretended).holds) << name;
  EXPECT_FALSE(energy_law(method("explicit_euler"), problems, EnergyClaim::dissipating).holds);
  for (const EnergyClaim pretended : {EnergyClaim::exact, EnergyClaim::dissipating, EnergyClaim::drifting})
    EXPECT_FALSE(energy_law(method("stormer_verlet"), problems, pretended).holds);
}

TEST(Detectors, explicit_steps_fires_on_both_sides) {
  const Problem& p = problem("henon_heiles");
  EXPECT_FALSE(explicit_law(method("implicit_midpoint"), p, true).holds);
  EXPECT_FALSE(explicit_law(method("stormer_verlet"), p, false).holds);
}

// The internal motion does not know how far the body has drifted, nor may the solver.
TEST(Detectors, implicit_steps_converge_far_from_the_origin) {
  Problem far = problem("cluster");
  for (double& q : far.start.q) q += 500;
  for (const char* variant : {"beta = 0.25", "beta = 0.1"}) {
    const LawResult r = momentum_law(method("newmark", variant), far, Map::linear, Steps::equal, Keeps::exact);
    EXPECT_NE(r.detail.find("10000 equal steps of about 0.1 s"), std::string::npos) << r.detail;
  }
}

TEST(Trend, tells_a_band_from_a_drift) {
  std::vector<double> wave(4000), line(4000), both(4000);
  for (std::size_t i = 0; i < wave.size(); ++i) {
    const double x = static_cast<double>(i);
    wave[i] = std::sin(2 * std::numbers::pi * x / 37.3);
    line[i] = 1e-3 * x;
    both[i] = wave[i] + line[i];
  }
  EXPECT_TRUE(trend_of(wave).bounded());
  EXPECT_FALSE(trend_of(wave).drifting());
  for (const auto* series : {&line, &both}) {
    EXPECT_FALSE(trend_of(*series).bounded());
    EXPECT_TRUE(trend_of(*series).drifting());
  }
  EXPECT_NEAR(trend_of(line).late_drift, 2, 0.01);
}

// ---- the interface
// ----------------------------------------------------------------------------------------------------

TEST(LawsInterface, unknown_names_get_a_suggestion) {
  try {
    measure_laws({"stormer_verlett"});
    FAIL() << "accepted an unknown name";
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("'stormer_verlet'"), std::string::npos) << error.what();
  }
}

TEST(LawsInterface, failures_show_in_both_tables) {
  LawResult failed{"rk4", "", "henon_heiles", "order", "5", "4.00 (q), 4.00 (p)", 4, false, "5 steps"};
  const std::vector<LawResult> results{failed};
  EXPECT_FALSE(all_hold(results));
  EXPECT_NE(laws_table(results).find("FAILED  rk4, order on henon_heiles: claimed 5, measured 4.00"),
            std::string::npos);
  EXPECT_NE(laws_markdown(results).find("1 FAILED"), std::string::npos);
}

}  // namespace
}  // namespace livens::laws
