// Quadratures of a scene's own, orders by minimisation, and the forced Euler step as S15 prints it.
#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <livens/livens.hpp>

#include "math/quadrature.hpp"

namespace livens {
namespace {

Model pendulum() {
  return mechanical_model<1>({"theta"}, {1.0}, [](auto, const auto& q) {
    using std::cos;
    return 1.0 - cos(q[0]);
  });
}

Model henon_heiles() {
  return mechanical_model<2>({"x", "y"}, {1, 1.5}, [](auto, const auto& q) {
    return (q[0] * q[0] + q[1] * q[1]) / 2.0 + q[0] * q[0] * q[1] - q[1] * q[1] * q[1] / 3.0;
  });
}

State advanced(const Model& model, const std::string& integrator, State state, double t) {
  const auto report = make_integrator(integrator, model)->advance(model, state, t);
  EXPECT_TRUE(report.converged) << report.message;
  return state;
}

double difference(const State& a, const State& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i)
    largest = std::max({largest, std::abs(a.q[i] - b.q[i]), std::abs(a.p[i] - b.p[i])});
  return largest;
}

TEST(OwnRules, KnownMethodsAreRules) {
  const Model model = henon_heiles();
  const State start = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4});
  const auto run = [&](const std::string& kind) {
    return advanced(model, "kind = " + kind + ", step = 0.1", start, 10);
  };
  EXPECT_LT(difference(run("'straight_line', points = [0.5]"), run("'implicit_midpoint'")), 1e-12);
  EXPECT_LT(difference(run("'straight_line', points = [1, 0]"), run("'stormer_verlet'")), 1e-12);
  EXPECT_LT(difference(run("'straight_line', points = [0, 1], weights = [0.7, 0.3]"),
                       run("'generalized_trapezoid', alpha = 0.3")),
            1e-12);
  // Simpson's rule with one velocity per step is none of them.
  const std::string simpson = "'straight_line', points = [0, 0.5, 1], weights = ['1/6', '2/3', '1/6']";
  EXPECT_GT(difference(run(simpson), run("'stormer_verlet'")), 1e-5);
  EXPECT_EQ(make_integrator("kind = " + simpson + ", step = 0.1", model)->solve_path().kind, SolvePath::Kind::minimise);
}

double order_of(const std::string& kind) {
  const Model model = henon_heiles();
  const State start = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4});
  const State exact = advanced(model, "kind = 'galerkin', degree = 5, step = 0.1", start, 2);
  const auto error = [&](double h) {
    return difference(advanced(model, "kind = " + kind + ", step = " + std::to_string(h), start, 2), exact);
  };
  return std::log2(error(0.05) / error(0.025));
}

TEST(OwnRules, OrdersAndSymmetryAreClaimedAsMeasured) {
  const struct {
    const char* kind;
    int order;
    bool symmetric;
  } rules[] = {{"'straight_line', points = [0, 0.5, 1], weights = ['1/6', '2/3', '1/6']", 2, true},
               {"'straight_line', points = [0, '2/3'], weights = [0.25, 0.75]", 2, false},
               {"'straight_line', points = [0.2, 0.6, 1]", 1, false},
               {"'straight_line', points = ['1/2 - sqrt(3)/6', '1/2 + sqrt(3)/6']", 2, true},
               {"'galerkin', degree = 2, points = 3", 4, true},
               {"'galerkin', degree = 2, points = 4, quadrature = 'lobatto'", 4, true},
               {"'galerkin', degree = 3, points = 3, quadrature = 'lobatto'", 4, true}};
  for (const auto& rule : rules) {
    const Settings settings = integrator_settings("kind = " + std::string(rule.kind) + ", step = 1");
    const Claims claims = claims_of(integrator_records().at(settings.text("kind")), settings, {});
    EXPECT_EQ(claims.order, rule.order) << rule.kind;
    EXPECT_EQ(claims.symmetric, rule.symmetric) << rule.kind;
    EXPECT_NEAR(order_of(rule.kind), rule.order, 0.1) << rule.kind;
  }
}

TEST(OwnRules, RefusalsOfRules) {
  const Model model = pendulum();
  for (const char* rule : {"points = []", "points = [1.5]", "points = [0, 1], weights = [1]",
                           "points = [0, 1], weights = [0.5, 0.6]", "points = [0.5, 0.5]", "weights = [0.9]"})
    EXPECT_THROW(make_integrator("kind = 'straight_line', step = 0.1, " + std::string(rule), model), SceneError)
        << rule;
  EXPECT_THROW(make_integrator("kind = 'galerkin', degree = 3, points = 2, step = 0.1", model), SceneError);
}

// The same steps as by a root, of order 4, by the minimum over the middle point.
TEST(OwnRules, OrderFourByMinimisation) {
  const std::string lobatto = "'galerkin', degree = 2, quadrature = 'lobatto'";
  EXPECT_NEAR(order_of(lobatto), 4, 0.1);
  const Model model = henon_heiles();
  auto least = make_integrator("kind = " + lobatto + ", step = 0.1", model);
  EXPECT_EQ(least->solve_path().kind, SolvePath::Kind::minimise);
  SolverOptions root;
  root.kind = SolverOptions::Kind::root;
  const Settings settings = integrator_settings("kind = " + lobatto + ", step = 0.1");
  auto stationary = integrator_records().at("galerkin").make(settings, root, model);
  EXPECT_EQ(stationary->solve_path().kind, SolvePath::Kind::root);
  State a = make_state(model, 0, {0.3, -0.2}, {0.2, 0.4}), b = a;
  ASSERT_TRUE(least->advance(model, a, 10).converged);
  ASSERT_TRUE(stationary->advance(model, b, 10).converged);
  EXPECT_LT(difference(a, b), 1e-12);
  EXPECT_NEAR(*least->discrete_energy(model, a), *stationary->discrete_energy(model, b), 1e-12);
}

// Q_i = known_i - h^2 sum_k G_ik M^-1 dW(Q_k) of a step of degree s, at the quadrature points.
Eigen::MatrixXd influence(int s, const Quadrature& rule) {
  const std::vector<double> nodes = lobatto_quadrature(s + 1).x;
  const auto m = static_cast<Eigen::Index>(rule.x.size());
  Eigen::MatrixXd phi(m, s + 1), dphi(m, s + 1);
  for (Eigen::Index i = 0; i < m; ++i)
    for (int j = 0; j <= s; ++j) {
      phi(i, j) = lagrange(nodes, static_cast<std::size_t>(j), rule.x[i]);
      dphi(i, j) = lagrange_derivative(nodes, static_cast<std::size_t>(j), rule.x[i]);
    }
  const Eigen::VectorXd w = Eigen::Map<const Eigen::VectorXd>(rule.w.data(), m);
  const Eigen::MatrixXd K = dphi.transpose() * w.asDiagonal() * dphi;
  // Equations 0 ... s - 1 for Z_1 ... Z_s.
  const Eigen::MatrixXd inverse = K.block(0, 1, s, s).inverse();
  return -phi.rightCols(s) * inverse * phi.leftCols(s).transpose() * w.asDiagonal();
}

TEST(OwnRules, NoOtherGalerkinStepIsAMinimum) {
  for (int s = 2; s <= 6; ++s) {
    const Eigen::MatrixXd gauss = influence(s, gauss_quadrature(s));
    for (int i = 0; i < s; ++i) EXPECT_GT(gauss(i, i), 0);
    EXPECT_LT(gauss(0, 1) * gauss(1, 0), -1e-6) << "Gauss, s = " << s;
    const Eigen::MatrixXd lobatto = influence(s, lobatto_quadrature(s + 1));
    for (int i = 1; i < s; ++i) EXPECT_GT(lobatto(i, i), 0);
    if (s > 2) {
      EXPECT_LT(lobatto(1, 2) * lobatto(2, 1), -1e-6) << "Lobatto, s = " << s;
    }
    for (int i = 0; i <= s; ++i) EXPECT_NEAR(lobatto(i, s), 0, 1e-13);  // the end acts on none of them
  }
  EXPECT_NEAR(influence(2, lobatto_quadrature(3))(1, 1), 1.0 / 24, 1e-14);
}

// Both forms of the forced step are of order 1 from (q0, v0); from a staggered velocity the symmetric one is of
// order 2.
TEST(OwnRules, PrintedEulerLagsBehind) {
  const auto text = [](const std::string& forces, double h) {
    return "time = { end = 1 }\nintegrator = { kind = 'symplectic_euler_b', step = " + std::to_string(h) +
           ", forces = '" + forces + "' }\n" + R"toml(
[system]
kind = "lagrangian"
coordinates = ["theta"]
kinetic = "theta_dot^2/2"
potential = "1 - cos(theta)"
dissipation = "0.3*theta_dot^2"
initial = { theta = 0.8, theta_dot = 0.3 }
)toml";
  };
  const auto first_two = [&](const std::string& forces) {
    const auto setup = make_setup(parse_scene(text(forces, 0.1)));
    std::vector<double> v;
    State state = setup.start;
    setup.integrator->advance(*setup.model, state, 0.15, [&](const State& s, const StepReport&) {
      v.push_back(s.v[0]);
      return true;
    });
    return v;
  };
  // By hand: f = -0.6 v, f before the start taken as f_0.
  double q = 0.8, v = 0.3, before = -0.6 * v;
  std::vector<double> expected;
  for (int k = 0; k < 2; ++k) {
    const double f = -0.6 * v;
    v += 0.1 * (-std::sin(q) + 0.5 * (before + f));
    q += 0.1 * v;
    before = f;
    expected.push_back(v);
  }
  const std::vector<double> found = first_two("printed"), symmetric = first_two("symmetric");
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(found[k], expected[k], 1e-15);
  EXPECT_GT(std::abs(found[1] - symmetric[1]), 1e-4);
  // The ledger closes to the integrator's own error for both.
  for (const char* forces : {"printed", "symmetric"}) {
    const auto setup = make_setup(parse_scene(text(forces, 0.001)));
    State state = setup.start;
    const double E = energy(*setup.model, state).total;
    setup.integrator->advance(*setup.model, state, 1);
    EXPECT_NEAR(energy(*setup.model, state).total + setup.integrator->ledger().energy_out[0], E, 1e-3) << forces;
  }
}

}  // namespace
}  // namespace livens
