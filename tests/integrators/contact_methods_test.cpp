// Methods other than energy_momentum with surfaces that are kept apart: the midpoint rule with the discrete gradient of
// contact, and implicit Euler and Newmark with the barrier at the end of the step.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "contact/contact_set.hpp"
#include "integrators/impacts.hpp"

namespace livens {
namespace {

using testing::Ball, testing::Course, testing::Impact, testing::follow, testing::stepping, testing::two_blocks;

constexpr double range = 1e-3, speed = 2;

struct Rebound {
  double least = 1e9, most = 0, lowest = 1;  // speeds over that of the impact; gap
};

// 16 phases of a step of `ratio` ranges.
Rebound rebound(const std::string& keys, double ratio) {
  Rebound found;
  for (int phase = 0; phase < 16; ++phase) {
    const double h = ratio * range / speed;
    Ball ball(range, range + (0.01 + phase / 16.0) * speed * h, speed);
    auto integrator = stepping(keys, h, *ball.model);
    bool met = false;
    const auto report = integrator->advance(*ball.model, ball.state, 1e9, [&](const State& state, const StepReport&) {
      found.lowest = std::min(found.lowest, state.q[1] - 0.01);
      met = met || state.v[1] > -0.999 * speed;
      return !(met && (state.q[1] > 0.01 + 1.5 * range || std::abs(state.v[1]) < 1e-6 * speed));
    });
    EXPECT_TRUE(report.converged) << report.message;
    found.least = std::min(found.least, ball.state.v[1] / speed);
    found.most = std::max(found.most, ball.state.v[1] / speed);
  }
  return found;
}

// With one particle everything but contact is exact, so that the midpoint rule is the discrete gradient.
TEST(ContactMethods, MidpointReboundDoesNotDependOnTheStep) {
  for (const char* keys : {"kind = 'hamilton_pontryagin', alpha = 0.5", "kind = 'implicit_midpoint'"})
    for (const double ratio : {0.01, 0.5, 5.0, 100.0}) {
      const Rebound found = rebound(keys, ratio);
      EXPECT_NEAR(found.least, 1, 1e-11) << ratio;
      EXPECT_NEAR(found.most, 1, 1e-11) << ratio;
      EXPECT_GT(found.lowest, 0);
    }
}

// The barrier at the end: nothing passes, and the rebound is that of the step.
TEST(ContactMethods, BarrierAtTheEndReboundsWithTheStep) {
  const double lowest[4] = {0.88, 0.4, 0.03, -0.01}, highest[4] = {0.97, 0.75, 0.35, 0.05},
               ratios[4] = {0.01, 0.1, 1, 20};
  for (int k = 0; k < 4; ++k) {
    const Rebound found = rebound("kind = 'implicit_euler'", ratios[k]);
    EXPECT_GT(found.least, lowest[k]) << ratios[k];
    EXPECT_LT(found.most, highest[k]) << ratios[k];
    EXPECT_GT(found.lowest, 0);
  }
  const Rebound fine = rebound("kind = 'newmark'", 0.01), coarse = rebound("kind = 'newmark'", 5);
  EXPECT_NEAR(fine.least, 1, 1e-3);
  EXPECT_GT(fine.lowest, 0);
  EXPECT_GT(coarse.lowest, 0);
  EXPECT_GT(coarse.most, 2) << "what the discrete gradient is for";
}

TEST(ContactMethods, MidpointKeepsMomentaAndABandOfEnergy) {
  for (const double h : {2.5e-4, 1e-3}) {
    Impact impact = two_blocks(0.023, 1.0);
    const Course course = follow(impact, h, 0.04, "kind = 'hamilton_pontryagin', alpha = 0.5");
    ASSERT_TRUE(course.converged) << course.message;
    EXPECT_LE(course.energy, h < 5e-4 ? 5e-4 : 1e-2);
    EXPECT_GT(course.energy, 1e-9) << "elasticity has the error of the midpoint rule";
    EXPECT_LE(course.linear, 1e-12);
    EXPECT_LE(course.angular, 1e-12);
    EXPECT_EQ(course.crossings, 0);
    EXPECT_GT(course.contacts, 0);
  }
}

Claims claimed(const std::string& keys, const Model& model) {
  const Settings settings = integrator_settings(keys + ", step = 0.001");
  return integrator_records().at(settings.text("kind")).claims(settings, model.model_class());
}

// What is printed and judged by is what a method keeps of this model, not of one without contact.
TEST(ContactMethods, ClaimsAreThoseOfContact) {
  const Impact blocks = two_blocks(0.023, 1);
  for (const char* keys : {"kind = 'hamilton_pontryagin', alpha = 0.5", "kind = 'implicit_midpoint'",
                           "kind = 'generalized_midpoint'", "kind = 'energy_momentum'"}) {
    const Claims claims = claimed(keys, *blocks.model);
    EXPECT_EQ(claims.symplectic, Symplectic::no) << keys;
    EXPECT_EQ(claims.order, 2) << keys;
    EXPECT_TRUE(claims.symmetric) << keys;
    EXPECT_EQ(claims.linear_momentum, Keeps::exact) << keys;
    EXPECT_EQ(claims.angular_momentum, Keeps::exact) << keys;
  }
  EXPECT_EQ(claimed("kind = 'implicit_midpoint'", *blocks.model).energy, EnergyClaim::bounded);
  EXPECT_EQ(claimed("kind = 'energy_momentum'", *blocks.model).energy, EnergyClaim::exact);
  EXPECT_EQ(claimed("kind = 'newmark'", *blocks.model).energy, EnergyClaim::drifting);
  EXPECT_EQ(claimed("kind = 'newmark'", *blocks.model).symplectic, Symplectic::no);
  EXPECT_EQ(claimed("kind = 'newmark'", *blocks.model).angular_momentum, Keeps::no);
  EXPECT_EQ(claimed("kind = 'newmark', gamma = 0.6", *blocks.model).energy, EnergyClaim::dissipating);
  EXPECT_EQ(claimed("kind = 'implicit_euler'", *blocks.model).energy, EnergyClaim::dissipating);
  // Without contact they are what they were.
  Assembly alone = testing::with_rubber();
  Solid solid;
  solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .cells = {2, 2}});
  solid.material = "rubber";
  add(alone, solid, "block");
  const Model model = alone.model();
  EXPECT_EQ(claimed("kind = 'newmark'", model).energy, EnergyClaim::bounded);
  EXPECT_EQ(claimed("kind = 'newmark'", model).symplectic, Symplectic::named_variables);
  EXPECT_EQ(claimed("kind = 'implicit_midpoint'", model).symplectic, Symplectic::canonical);
}

// The claims from both sides: Newmark's energy drifts and its angular momentum is lost, implicit Euler only loses.
TEST(ContactMethods, EndContactDoesWhatItClaims) {
  for (const char* keys : {"kind = 'newmark'", "kind = 'implicit_euler'"}) {
    Impact impact = two_blocks(0.023, 1.0);
    auto integrator = stepping(keys, 1e-3, *impact.model);
    const double start = energy(*impact.model, impact.state).total;
    const Momenta before = momenta(*impact.model, impact.state.q, impact.state.p);
    double now = start, most_gain = 0, most_turn = 0;
    const auto report =
        integrator->advance(*impact.model, impact.state, 0.04, [&](const State& state, const StepReport&) {
          const double next = energy(*impact.model, state).total;
          most_gain = std::max(most_gain, next - now);
          now = next;
          most_turn =
              std::max(most_turn, std::abs(momenta(*impact.model, state.q, state.p).angular[2] - before.angular[2]));
          return true;
        });
    ASSERT_TRUE(report.converged) << report.message;
    const bool dissipates = claimed(keys, *impact.model).energy == EnergyClaim::dissipating;
    if (dissipates) {
      EXPECT_LE(most_gain, 1e-9 * start);
      EXPECT_LT(now, 0.9 * start);
    } else {
      EXPECT_GT(most_gain, 1e-3 * start) << "drifting is claimed, and nothing drifts";
    }
    EXPECT_GT(most_turn, 1e-6 * 0.1) << "angular momentum is not claimed, and it is kept";
  }
}

// Balls at the end of a step have the gradient there, not the discrete one of the step: r(q1) = dB(q1).
TEST(ContactMethods, BallsStandWithTheirGradient) {
  Assembly assembly;
  Particles two;
  two.layout.dimension = 2;
  two.layout.positions = {0, 0, 0.0209, 0};
  two.mass = {1.0};
  add(assembly, two, "two");
  ContactBodies contact;
  contact.barrier = BarrierRule{1e-3, 1e6, 0.01};
  add(assembly, contact, "contact");
  const testing::Impact made = testing::finished(assembly);
  ContactSet set(*made.barrier);
  const std::vector<double> way(4, 0.0), q1 = {0.0002, 0, 0.0207, 0.0001};
  set.begin(made.state.q, way, 1e-3);
  set.stand_at(q1);
  std::vector<double> stood(4, 0.0), gradient(4, 0.0);
  set.add_gradient(1, stood);
  made.barrier->add_gradient(q1, 1, gradient);
  EXPECT_GT(std::abs(gradient[0]), 1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(stood[i], gradient[i], 1e-12 * std::abs(gradient[0]));
}

TEST(ContactMethods, EndsAreFreeOfIntersections) {
  for (const char* keys : {"kind = 'implicit_euler'", "kind = 'newmark'"})
    for (const double h : {5e-4, 5e-3}) {
      Impact impact = two_blocks(0.023, 1.0);
      const Course course = follow(impact, h, 0.04, keys);
      ASSERT_TRUE(course.converged) << keys << ": " << course.message;
      EXPECT_LE(course.linear, 1e-12);
      EXPECT_EQ(course.crossings, 0);
      EXPECT_GT(course.contacts, 0);
    }
}

// Every method takes a barrier and impacts or says at its key what to take instead.
TEST(ContactMethods, EveryMethodTakesContactOrSaysWhatToTake) {
  const std::string ball =
      "body = [{ name = 'ball', kind = 'particles', mass = 1, layout = { kind = 'points', points = "
      "[[0, 0, 0.2]] } }]\ncontact = [{ name = 'floor', kind = 'plane', point = [0, 0, 0], normal = "
      "[0, 0, 1], radius = 0.05, ";
  std::vector<std::string> taken_barrier, taken_impact;
  for (const IntegratorRecord& record : integrator_records())
    for (const bool impact : {false, true}) {
      const std::string step = record.name == "asynchronous"     ? ", longest_step = 0.001"
                               : record.name == "static"         ? ""
                               : record.name == "dormand_prince" ? ""
                                                                 : ", step = 0.001";
      const std::string text = "time = { end = 0.01 }\n" + ball +
                               (impact ? "rule = 'impact' }]\n" : "rule = 'barrier', pressure = 1e4 }]\n") +
                               "[integrator]\nkind = '" + record.name + "'\n" +
                               (step.empty() ? "" : step.substr(2) + "\n");
      try {
        check_scene(parse_scene(text, "scene"));
        (impact ? taken_impact : taken_barrier).push_back(record.name);
      } catch (const SceneError& error) {
        const std::string what = error.what();
        EXPECT_EQ(what.rfind("scene:5:8:", 0), 0u) << record.name << ": " << what;
        EXPECT_NE(what.find("integrator.kind: "), std::string::npos) << what;
        EXPECT_NE(what.find("'floor'"), std::string::npos) << what;
        EXPECT_NE(what.find("se energy_momentum") == std::string::npos ? what.find("se stormer_verlet") : 0,
                  std::string::npos)
            << "what to take instead: " << what;
      }
    }
  EXPECT_EQ(taken_barrier,
            (std::vector<std::string>{"implicit_euler", "stormer_verlet", "implicit_midpoint", "generalized_midpoint",
                                      "hamilton_pontryagin", "newmark", "energy_momentum", "asynchronous", "static"}));
  EXPECT_EQ(taken_impact, (std::vector<std::string>{"stormer_verlet", "rattle"}));
}

TEST(ContactMethods, RefusalsSayWhy) {
  const auto refusal = [](const Model& model, const std::string& keys) -> std::string {
    try {
      make_integrator(keys + ", step = 0.001", model);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  const auto says = [](const std::string& text, const char* what) { return text.find(what) != std::string::npos; };
  const Impact impact = two_blocks(0.01, 1);
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'hamilton_pontryagin', alpha = 0.3"), "alpha = 0.5 only"));
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'generalized_midpoint', start = 'second_order'"), "momentum"));
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'newmark', beta = 0"), "beta > 0"));
  EXPECT_TRUE(says(refusal(*impact.model, "kind = 'stormer_verlet'"), "energy_momentum"));
  Assembly assembly = testing::with_rubber();
  Solid solid;
  solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .cells = {2, 2}});
  solid.material = "rubber";
  add(assembly, solid, "block");
  ContactPlane floor;
  floor.point = {0, -0.01, 0};
  floor.normal = {0, 1, 0};
  floor.barrier = BarrierRule{};
  floor.barrier->friction = 0.3;
  add(assembly, floor, "floor");
  const Model rubbing = assembly.model();
  EXPECT_TRUE(says(refusal(rubbing, "kind = 'implicit_euler'"), "friction"));
  EXPECT_EQ(refusal(rubbing, "kind = 'implicit_midpoint'"), "");
}

}  // namespace
}  // namespace livens
