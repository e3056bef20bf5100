// J of an edge crack by sums of configurational forces [L04 5, Fig. 20]: against the handbook, on several contours, by
// the tip alone, and what is refused.
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "diagnostics/contours.hpp"
#include "diagnostics/probes.hpp"
#include "outputs/run_plan.hpp"

namespace livens {
namespace {

// H. Tada, P. C. Paris, G. R. Irwin, The Stress Analysis of Cracks Handbook, edge crack in tension: better than 0.5 %.
double handbook_factor(double x) {
  const double half = std::numbers::pi * x / 2;
  return std::sqrt(std::tan(half) / half) * (0.752 + 2.02 * x + 0.37 * std::pow(1 - std::sin(half), 3)) /
         std::cos(half);
}

constexpr double young = 1e9, poisson = 0.3, traction = 1e6, depth = 0.5;

double handbook_j() {
  const double k = traction * std::sqrt(std::numbers::pi * depth) * handbook_factor(depth);
  return k * k * (1 - poisson * poisson) / young;
}

std::string plate(const std::string& tip_size, const std::string& more) {
  return "time = { end = 1 }\nintegrator = { kind = 'static', load_steps = 1 }\n"
         "material = [{ name = 'steel', kind = 'linear', young = 1e9, poisson = 0.3, density = 1000 }]\n"
         "body = [{ name = 'plate', kind = 'solid', material = 'steel', mesh = { kind = 'cracked_plate', size = [1, "
         "4], "
         "crack = 'edge', length = 0.5, tip_size = " +
         tip_size +
         ", edge_length = 0.2 } }]\n"
         "force = [{ name = 'up', kind = 'traction', selection = 'plate.y_max', traction = [0, 1e6] },\n"
         "  { name = 'down', kind = 'traction', selection = 'plate.y_min', traction = [0, -1e6] }]\n"
         "selection = [{ name = 'end', body = 'plate', kind = 'nearest', point = [1, 0] }]\n"
         "constraint = [{ name = 'pin', kind = 'fixed', selection = 'end' },\n"
         "  { name = 'roller', kind = 'fixed', selection = 'plate.crack_tip', components = 'y' }]\n"
         "crack = [{ name = 'tip', selection = 'plate.crack_tip', direction = [1, 0] }]\n" +
         more;
}

const char* contours =
    "contour = [{ name = 'alone', crack = 'tip', rings = 0 }, { name = 'rings', crack = 'tip', rings = 4 },\n"
    "  { name = 'small', crack = 'tip', radius = 0.1 }, { name = 'large', crack = 'tip', radius = 0.4 }]\n";

std::map<std::string, double> integrals(const std::string& text) {
  const Scene scene = parse_scene(text);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  const StepReport report = integrator->advance(model, state, 1);
  EXPECT_TRUE(report.converged) << report.message;
  RunPlan plan = make_plan(scene, model);
  std::map<std::string, double> result;
  for (Probe& probe : plan.probes) {
    const Sample sample{model, state, report, *integrator};
    probe.evaluate(sample, &result[probe.columns().front().name]);
  }
  return result;
}

TEST(L04Crack, DomainSumsAgreeWithTheHandbookAndTheTipAloneDoesNotConverge) {
  double before = 1;
  for (const char* tip_size : {"0.02", "0.01", "0.005"}) {
    const auto j = integrals(plate(tip_size, contours));
    const double small = j.at("probe.small.J"), off = std::abs(small / handbook_j() - 1);
    std::printf("tip size %s m: J off by %.2e, tip alone by %.2e, contours differ by %.1e\n", tip_size, off,
                std::abs(j.at("probe.alone.J") / handbook_j() - 1), std::abs(j.at("probe.large.J") / small - 1));
    EXPECT_LT(off, before) << "no convergence";
    EXPECT_GT(std::abs(j.at("probe.alone.J") / handbook_j() - 1), 0.1) << "the tip alone is not expected to converge";
    EXPECT_NEAR(j.at("probe.rings.J") / small, 1, 1e-4);
    EXPECT_NEAR(j.at("probe.large.J") / small, 1, 1e-4);
    before = off;
  }
  EXPECT_LT(before, 5e-3);  // the error of the handbook itself
}

// Waves reach the crack: what is inside a contour has inertia, and only with it contours agree.
TEST(L04Crack, ContoursAgreeInMotionWithTheirInertiaOnly) {
  std::string text =
      plate("0.02",
            "contour = [{ name = 'small', crack = 'tip', radius = 0.1, integrals = ['J', 'J_static'] },\n"
            "  { name = 'large', crack = 'tip', radius = 0.4, integrals = ['J', 'J_static'] }]\n");
  const std::string is_static = "kind = 'static', load_steps = 1";
  text.replace(text.find(is_static), is_static.size(), "kind = 'implicit_midpoint', step = 4e-5");
  const Scene scene = parse_scene(text);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(scene, model);
  const RunPlan plan = make_plan(scene, model);
  double with_inertia = 0, without = 0, largest = 0;
  for (const double t : {0.0028, 0.0034, 0.004, 0.0046}) {
    const StepReport report = integrator->advance(model, state, t);
    ASSERT_TRUE(report.converged) << report.message;
    double j[4] = {};
    for (std::size_t k = 0; k < 4; ++k) plan.probes[k].evaluate({model, state, report, *integrator}, &j[k]);
    largest = std::max(largest, j[0]);
    with_inertia = std::max(with_inertia, std::abs(j[2] - j[0]));
    without = std::max(without, std::abs(j[3] - j[1]));
  }
  std::printf("contours differ by %.2e of the largest J, without inertia by %.2e\n", with_inertia / largest,
              without / largest);
  EXPECT_GT(largest, 0.5 * handbook_j()) << "the waves have not arrived";
  EXPECT_LT(with_inertia, 0.02 * largest);
  EXPECT_GT(without, 0.1 * largest);
}

std::string refusal(const std::string& more) {
  const Scene scene = parse_scene(plate("0.1", more));
  try {
    make_plan(scene, make_model(scene));
  } catch (const SceneError& error) {
    return error.what();
  }
  return "";
}

TEST(L04Crack, ContoursThatAreNoneAreRefused) {
  EXPECT_NE(refusal("contour = [{ name = 'far', crack = 'tip', radius = 0.6 }]\n").find("reaches a surface"),
            std::string::npos);
  EXPECT_NE(refusal("contour = [{ name = 'none', crack = 'tip' }]\n").find("either a radius"), std::string::npos);
  EXPECT_NE(
      refusal("contour = [{ name = 'odd', crack = 'tip', rings = 2, integrals = ['Q'] }]\n").find("no integral 'Q'"),
      std::string::npos);
  EXPECT_EQ(refusal(contours), "");
}

}  // namespace
}  // namespace livens
