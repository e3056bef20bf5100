// A torque follows a rigid body: omega = tau t / J about a fixed axis, its work and its impulse are in the ledgers.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

#include "support/derivatives.hpp"

namespace livens {
namespace {

using Numbers = std::vector<double>;

constexpr double J = 0.2, tau = 0.2;

std::string rotor(const std::string& load, const std::string& constraint) {
  return "time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n[[body]]\nname = 'rotor'\nkind = "
         "'rigid'\nmass = 1\ninertia = [0.1, 0.15, 0.2]\ncenter = [0, 0, 0]\n" +
         constraint + "[[force]]\nname = 'motor'\nkind = 'load'\nbody = 'rotor'\n" + load + "\n";
}
const std::string axle =
    "[[constraint]]\nname = 'axle'\nkind = 'revolute'\nbodies = ['ground', 'rotor']\npoint = [0, 0, 0]\naxis = [0, 0, "
    "1]\n";

const char* const methods[] = {
    "kind = 'rattle'",
    "kind = 'shake'",
    "kind = 'implicit_midpoint'",
    "kind = 'symplectic_euler_a'",
    "kind = 'symplectic_euler_b'",
    "kind = 'hamilton_pontryagin', alpha = 0.3",
    "kind = 'generalized_trapezoid', alpha = 0.3",
    "kind = 'galerkin', degree = 2, quadrature = 'lobatto'",
    "kind = 'energy_momentum'",
};

struct Books {
  double angular = 0;   // angular momentum about z
  double momentum = 0;  // what the ledger leaves of it, largest over the run
  double energy = 0;    // what it leaves of the kinetic energy, largest over the run
  double kinetic = 0;   // at the end
  double work = 0;
};

Books run(const std::string& text, const std::string& method, double end) {
  const Scene scene = parse_scene(text);
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(method, model);
  Books books;
  const double start = energy(model, state).total;
  const StepReport report = integrator->advance(model, state, end, [&](const State& now, const StepReport&) {
    const Ledger& ledger = integrator->ledger();
    books.angular = momenta(model, now.q, now.p).angular[2];
    books.momentum = std::max(books.momentum, std::abs(books.angular - ledger.angular_impulse[2]));
    books.work = -ledger.energy_out.at(0);
    books.kinetic = energy(model, now).total;
    books.energy = std::max(books.energy, std::abs(books.kinetic - start - books.work));
    return true;
  });
  EXPECT_TRUE(report.converged) << method << ": " << report.message;
  return books;
}

TEST(Torque, AboutAFixedAxisOmegaIsTauTimesTimeOverJ) {
  const std::string text = rotor("torque = [0, 0, 0.2]", axle);
  for (const char* method : methods) {
    const Books books = run(text, std::string(method) + ", step = 0.001", 4);
    // omega = tau t / J = 4 rad/s, T = 1/2 J omega^2 = 1.6 J; 4000 steps, each to rounding.
    EXPECT_NEAR(books.angular, tau * 4, 1e-11) << method;
    EXPECT_LT(books.momentum, 1e-11) << method;
    EXPECT_NEAR(books.kinetic, 1.6, 1e-4) << method;
    std::printf("%-60s L %.12f, ledgers: momentum %.1e, energy %.1e of %.3f J\n", method, books.angular, books.momentum,
                books.energy, books.kinetic);
  }
}

// 10^4 steps, in the last of which the rotor turns by 0.1 rad.
TEST(Torque, LedgersCloseOverTenThousandSteps) {
  for (const char* method : {"kind = 'rattle'", "kind = 'hamilton_pontryagin', alpha = 0.5", "kind = 'energy_momentum'",
                             "kind = 'galerkin', degree = 2, quadrature = 'lobatto'"}) {
    const Books books = run(rotor("torque = [0, 0, 0.2]", axle), std::string(method) + ", step = 0.01", 100);
    std::printf("%-60s 10^4 steps: momentum %.1e of %.3f, energy %.1e of %.3f J\n", method, books.momentum,
                books.angular, books.energy, books.work);
    EXPECT_LT(books.momentum, 1e-11 * books.angular) << method;
    EXPECT_LT(books.energy, (std::string(method).find("galerkin") != std::string::npos ? 1e-6 : 1e-10) * books.work)
        << method;
  }
}

// Free in space, about an axis that is none of the body's: the angular momentum is the integral of the torque.
TEST(Torque, OnAFreeBodyIsTheRateOfAngularMomentum) {
  const std::string text = rotor("torque = [0.1, '0.2*cos(t)', 0.3]", "");
  for (const char* method : methods) {
    const Scene scene = parse_scene(text);
    const Model model = make_model(scene);
    State state = initial_state(scene, model);
    const auto integrator = make_integrator(std::string(method) + ", step = 0.002", model);
    ASSERT_TRUE(integrator->advance(model, state, 3).converged) << method;
    const Momenta m = momenta(model, state.q, state.p);
    const double expected[3] = {0.1 * state.t, 0.2 * std::sin(state.t), 0.3 * state.t};
    const double first_order =
        std::string(method).find("euler") != std::string::npos || std::string(method).find("0.3") != std::string::npos
            ? 2e-3
            : 1e-6;
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(m.angular[c], expected[c], first_order) << method << " " << c;
      EXPECT_NEAR(m.angular[c], integrator->ledger().angular_impulse[c], 1e-12) << method;
      EXPECT_NEAR(m.linear[c], 0, 1e-12) << method;
    }
  }
}

// The dead couple swings about where its forces pull, as a pendulum does, and has a potential.
TEST(Torque, TheDeadCoupleIsAnother) {
  const Books books = run(rotor("dead_couple = [0, 0, 0.2]", axle), "kind = 'rattle', step = 0.001", 0.001);
  EXPECT_NEAR(books.angular, tau * 0.001, 1e-9);
  const Scene scene = parse_scene(rotor("dead_couple = [0, 0, 0.2]", axle));
  const Model model = make_model(scene);
  EXPECT_TRUE(model.parts().forces.empty());
  State state = initial_state(scene, model);
  ASSERT_TRUE(make_integrator("kind = 'rattle', step = 0.001", model)->advance(model, state, 4).converged);
  EXPECT_LT(momenta(model, state.q, state.p).angular[2], 0.5 * tau * 4) << "it turns back";
}

TEST(Torque, JacobianIsTheDerivative) {
  for (const std::string load : {"torque = [0.3, -0.2, 0.5]", "torque = ['t', 2, '-t^2']"}) {
    const Scene scene = parse_scene(rotor(load, ""));
    const Model model = make_model(scene);
    const Force& force = *model.parts().forces.at(0);
    Numbers q = initial_state(scene, model).q;
    const Numbers noise = testing::random_vector(q.size(), 0.1, 3), rest(q.size(), 0.0);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += noise[i];
    testing::DenseSink jacobian(q.size());
    force.add_jacobian(0.7, q, rest, 1, 0, jacobian);
    for (std::size_t j = 0; j < q.size(); ++j) {
      Numbers above(q.size(), 0.0), below(q.size(), 0.0);
      const double x = q[j];
      q[j] = x + testing::difference_step;
      force.add_force(0.7, q, rest, 1, above);
      q[j] = x - testing::difference_step;
      force.add_force(0.7, q, rest, 1, below);
      q[j] = x;
      for (std::size_t i = 0; i < q.size(); ++i)
        EXPECT_NEAR(jacobian(i, j), (above[i] - below[i]) / (2 * testing::difference_step),
                    20 * testing::difference_tolerance)
            << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace livens
