// Sparse second derivatives of whole models against differences, and the Legendre transform both ways.
#include "model/linearisation.hpp"

#include <livens/livens.hpp>

#include "support/derivatives.hpp"

namespace livens {
namespace {

Model double_pendulum() {
  return lagrangian_model<2>({"a", "b"}, [](auto t, const auto& q, const auto& v) {
    using std::cos, std::sin;
    return v[0] * v[0] + 0.5 * v[1] * v[1] + v[0] * v[1] * cos(q[0] - q[1]) + 2.0 * cos(q[0]) + cos(q[1]) +
           0.1 * sin(t) * q[0];
  });
}

TEST(Linearisation, BlocksOfAGeneralLagrangianMatchDifferences) {
  const Model model = double_pendulum();
  const Linearisation& lin = linearisation(model);
  std::vector<double> q = {0.4, -0.3}, v = {0.7, 0.2}, by_q(2), by_v(2), plus_q(2), plus_v(2), minus_q(2), minus_v(2);
  const auto block = [&](const LagrangianScales& scales) {
    std::vector<double> values(lin.pattern().nonzeros(), 0.0);
    lin.add_lagrangian(model, 0.2, q, v, scales, values);
    return values;
  };
  const auto qq = block({1, 0, 0, 0}), qv = block({0, 1, 0, 0}), vq = block({0, 0, 1, 0}), vv = block({0, 0, 0, 1});
  const double h = testing::difference_step;
  for (std::size_t side = 0; side < 2; ++side)
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<double>& x = side == 0 ? q : v;
      const double middle = x[i];
      x[i] = middle + h;
      model.lagrangian(0.2, q, v, plus_q, plus_v);
      x[i] = middle - h;
      model.lagrangian(0.2, q, v, minus_q, minus_v);
      x[i] = middle;
      for (std::size_t j = 0; j < 2; ++j) {
        const auto slot = static_cast<std::size_t>(lin.pattern().slot(static_cast<int>(j), static_cast<int>(i)));
        EXPECT_NEAR((side == 0 ? qq : qv)[slot], (plus_q[j] - minus_q[j]) / (2 * h), testing::difference_tolerance);
        EXPECT_NEAR((side == 0 ? vq : vv)[slot], (plus_v[j] - minus_v[j]) / (2 * h), testing::difference_tolerance);
      }
    }
}

TEST(Model, VelocityInvertsMomentum) {
  const Model model = double_pendulum();
  const std::vector<double> q = {0.4, -0.3}, v = {0.7, 0.2};
  std::vector<double> p(2), back = {0, 0};
  model.momentum(0, q, v, p);
  ASSERT_TRUE(model.velocity(0, q, p, back));
  EXPECT_NEAR(back[0], v[0], 1e-14);
  EXPECT_NEAR(back[1], v[1], 1e-14);
}

TEST(Model, EnergyIsLegendresAndTimePowerItsRate) {
  const Model model = double_pendulum();
  const State state = make_state(model, 0.2, {0.4, -0.3}, {0.7, 0.2});
  const double kinetic = 0.49 + 0.02 + 0.14 * std::cos(0.7);
  const double potential = -(2 * std::cos(0.4) + std::cos(0.3) + 0.1 * std::sin(0.2) * 0.4);
  EXPECT_NEAR(energy(model, state).kinetic, kinetic, 1e-14);
  EXPECT_NEAR(energy(model, state).total, kinetic + potential, 1e-14);
  EXPECT_NEAR(model.time_power(0.2, state.q, state.v), -0.1 * std::cos(0.2) * 0.4, 1e-14);
}

// A constant but full mass matrix is inverted by its factorisation.
TEST(Model, CoupledConstantMass) {
  const Scene scene = parse_scene(
      "time = { end = 1 }\nintegrator = { kind = 'stormer_verlet', step = 0.1 }\n[system]\nkind = "
      "'lagrangian'\ncoordinates = ['x', 'y']\n"
      "kinetic = 'x_dot^2 + x_dot*y_dot + y_dot^2'\npotential = 'x^2 + y^4'\ninitial = { x = 1, y = 0.5, x_dot = 0.3 "
      "}\n");
  const Model model = make_model(scene);
  EXPECT_TRUE(model.separable());
  EXPECT_FALSE(model.diagonal_mass());
  State state = initial_state(scene, model);
  EXPECT_NEAR(state.p[0], 0.6, 1e-15);
  EXPECT_NEAR(state.p[1], 0.3, 1e-15);
  const double start = energy(model, state).total;
  ASSERT_TRUE(make_integrator(scene, model)->advance(model, state, 50).converged);
  EXPECT_NEAR(energy(model, state).total, start, 0.02 * start);
}

}  // namespace
}  // namespace livens
