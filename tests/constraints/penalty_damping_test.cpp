// The damping of penalties, -damping_time k (dg/dq)' dg/dt: K06 5.2 of k g^2 / 2, which is Baraff's and Witkin's.
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "constraints/dense_jacobian.hpp"

namespace livens {
namespace {

constexpr double k = 100, time = 0.02, speed = 0.3;

// A particle of 1 kg on the plane z = 1 that leaves it with 0.3 m/s, and goes along it with 0.2 m/s.
Scene on_a_plane(const std::string& integrator, double step) {
  return parse_scene("time = { end = 1 }\nintegrator = { kind = '" + integrator + "', step = " + std::to_string(step) +
                     " }\n[[body]]\nname = 'a'\nkind = 'particles'\nmass = 1\n"
                     "layout = { kind = 'points', points = [[0, 0, 1]] }\ninitial = { velocities = [[0.2, 0, 0.3]] }\n"
                     "[[constraint]]\nname = 'plane'\nkind = 'point_on_surface'\nbodies = ['ground', 'a']\n"
                     "surface = 'plane'\ncenter = [0, 0, 1]\npoint = [0, 0, 1]\naxis = [0, 0, 1]\n"
                     "enforcement = 'penalty'\npenalty_stiffness = 100\ndamping_time = 0.02\n");
}

struct Fall {
  double height = 0, along = 0, energy_error = 0, dissipated = 0;
  double given = 0;  // back, of the energy that was taken, in a step
  SolvePath::Kind kind = SolvePath::Kind::root;
};

Fall run(const std::string& integrator, double step) {
  const Scene scene = on_a_plane(integrator, step);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto stepper = make_integrator(scene, model);
  const double before = energy(model, state).total;
  Fall result;
  const StepReport report = stepper->advance(model, state, 1, [&](const State&, const StepReport&) {
    result.given = std::max(result.given, result.dissipated - stepper->ledger().energy_out[0]);
    result.dissipated = stepper->ledger().energy_out[0];
    return true;
  });
  EXPECT_TRUE(report.converged) << integrator << ": " << report.message;
  result.height = state.q[2] - 1;
  result.along = state.q[0];
  result.energy_error = energy(model, state).total + result.dissipated - before;
  result.kind = stepper->solve_path().kind;
  return result;
}

// z'' = -k z - time k z'
TEST(PenaltyDamping, OfAParticleOnAPlaneIsThatOfAnOscillator) {
  const double decay = time * k / 2, omega = std::sqrt(k - decay * decay);
  const double exact = speed / omega * std::exp(-decay) * std::sin(omega);
  for (const char* integrator : {"implicit_midpoint", "stormer_verlet", "newmark", "energy_momentum", "rk4"}) {
    const Fall coarse = run(integrator, 0.002), fine = run(integrator, 0.001);
    EXPECT_NEAR(coarse.along, 0.2, 1e-13) << integrator << ": nothing acts along the plane";
    EXPECT_LT(std::abs(fine.height - exact), 2e-2 * std::abs(exact)) << integrator;
    EXPECT_LT(std::abs(fine.height - exact), 0.6 * std::abs(coarse.height - exact)) << integrator << ": converges";
    // Explicit steps take F = -h C v of a velocity half a step ago: where that turns a little is given back.
    EXPECT_LE(fine.given, std::string(integrator) == "stormer_verlet" ? 1e-3 * fine.dissipated : 0) << integrator;
    EXPECT_GT(fine.dissipated, 0.03) << integrator << ": of 0.045 J";
    EXPECT_LT(std::abs(fine.energy_error), 1e-3 * 0.045) << integrator;
  }
}

// In the incremental potential of implicit steps, and at the end of explicit ones.
TEST(PenaltyDamping, KeepsExplicitStepsExplicitAndMinimisesImplicitOnes) {
  EXPECT_EQ(run("stormer_verlet", 0.01).kind, SolvePath::Kind::explicit_step);
  EXPECT_EQ(run("implicit_midpoint", 0.01).kind, SolvePath::Kind::minimise);
  EXPECT_EQ(run("hamilton_pontryagin", 0.01).kind, SolvePath::Kind::minimise);
  const Fall stiff = run("implicit_midpoint", 1);  // time k h = 2, omega h = 10
  EXPECT_EQ(stiff.given, 0);
  EXPECT_GT(stiff.dissipated, 0);
}

Scene three_points(const std::string& constraint) {
  return parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'implicit_midpoint', step = 0.005 }\n[[body]]\nname = 'a'\nkind = "
      "'particles'\nmass = [1, 2, 3]\nlayout = { kind = 'points', points = [[0, 0, 0], [1, 0, 0], [2, 0, 0]] }\n"
      "initial = { velocities = [[0.2, 0.5, -0.3], [0.5, -0.2, 0.7], [-0.1, 0.8, 0.2]] }\n[[constraint]]\nname = 'c'\n"
      "enforcement = 'penalty'\npenalty_stiffness = 1000\ndamping_time = 0.01\n" +
      constraint);
}

const char* const constraints[] = {
    "kind = 'distance'\nbodies = ['a', 'a']\nends = [[0, 0, 0], [1, 0, 0]]\n",
    "kind = 'alignment'\nbodies = ['a', 'a', 'a']\nends = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]\n",
    "kind = 'expression'\nbodies = ['a', 'a']\nends = [[0, 0, 0], [2, 0, 0]]\ng = ['sqrt((x2-x1)^2 + (y2-y1)^2 + "
    "(z2-z1)^2) - 2', '(x2-x1)^3 + (y2-y1)*(z2-z1) - 8']\n"};

TEST(PenaltyDamping, DerivativesAgainstDifferences) {
  for (const char* constraint : constraints) {
    const Model model = make_model(three_points(constraint));
    ASSERT_EQ(model.parts().forces.size(), 1u);
    const Force& force = *model.parts().forces.front();
    std::vector<double> q = {0.1, 0.2, -0.1, 1.1, -0.2, 0.3, 1.8, 0.1, 0.2},
                        v = {0.3, -0.4, 0.5, 0.2, 0.1, -0.6, -0.7, 0.2, 0.4};
    std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    DenseJacobian by_q(all, 9), by_v(all, 9);
    by_q.index_rows_as_columns();
    by_v.index_rows_as_columns();
    force.add_jacobian(0, q, v, 1, 0, by_q);
    force.add_jacobian(0, q, v, 0, 1, by_v);
    double largest = 0;
    for (std::size_t j = 0; j < 9; ++j)
      for (const bool of_v : {false, true}) {
        constexpr double eps = 1e-5;
        std::vector<double> above(9, 0.0), below(9, 0.0);
        double& x = of_v ? v[j] : q[j];
        const double at = x;
        x = at + eps;
        force.add_force(0, q, v, 1, above);
        x = at - eps;
        force.add_force(0, q, v, 1, below);
        x = at;
        for (std::size_t i = 0; i < 9; ++i) {
          const double expected = (of_v ? by_v : by_q).rows[i * 9 + j];
          EXPECT_NEAR((above[i] - below[i]) / (2 * eps), expected, 2e-7) << constraint << of_v << i << j;
          largest = std::max(largest, std::abs(expected));
        }
      }
    EXPECT_GT(largest, 1) << constraint;
  }
}

// Forces between bodies: momenta stay, energy goes. What turns with the bodies, as a x b, has a moment, which is
// booked.
TEST(PenaltyDamping, KeepsMomentaOrBooksThem) {
  for (const char* constraint : {constraints[0], constraints[1]})
    for (const char* kind : {"implicit_midpoint", "stormer_verlet", "energy_momentum"}) {
      Scene scene = three_points(constraint);
      scene.set("integrator.kind", kind);
      const Model model = make_model(scene);
      State state = initial_state(scene, model);
      const Momenta before = momenta(model, state.q, state.p);
      const double E0 = energy(model, state).total;
      const auto stepper = make_integrator(scene, model);
      ASSERT_TRUE(stepper->advance(model, state, 1).converged) << kind;
      const Momenta after = momenta(model, state.q, state.p);
      const bool rod = constraint == constraints[0];
      double booked = 0;
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(after.linear[c], before.linear[c], 1e-12) << kind;
        EXPECT_NEAR(after.angular[c], before.angular[c] + stepper->ledger().angular_impulse[c], 1e-11) << kind;
        booked = std::max(booked, std::abs(stepper->ledger().angular_impulse[c]));
      }
      EXPECT_EQ(booked > 1e-6, !rod) << kind << " " << booked;
      EXPECT_LT(energy(model, state).total, 0.999 * E0) << kind;
    }
}

TEST(PenaltyDamping, IsRefusedWhereThereIsNothingToDamp) {
  const auto refusal = [](const std::string& text) {
    try {
      make_model(parse_scene(text));
      return std::string("accepted");
    } catch (const SceneError& error) {
      return std::string(error.what());
    }
  };
  const std::string begin =
      "time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.005 }\n[[body]]\nname = 'a'\nkind = 'particles'\n"
      "mass = 1\nlayout = { kind = 'points', points = [[0, 0, 1]] }\n[[constraint]]\nname = 'c'\nkind = 'expression'\n"
      "bodies = ['a']\nends = [[0, 0, 1]]\ndamping_time = 0.1\n";
  EXPECT_NE(refusal(begin + "g = 'z - 1'\n").find("damping_time: is for enforcement = \"penalty\""), std::string::npos)
      << refusal(begin + "g = 'z - 1'\n");
  const std::string moves = begin + "g = 'z - 1 - 0.1*t'\nenforcement = 'penalty'\npenalty_stiffness = 100\n";
  EXPECT_NE(refusal(moves).find("damping_time: is for constraints that stay"), std::string::npos) << refusal(moves);
}

}  // namespace
}  // namespace livens
