// Normal modes against frequencies that are known without them.
#include <cmath>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include <livens/lagrangian.hpp>
#include <livens/modes.hpp>
#include <livens/scene.hpp>

#include "math/block_lanczos.hpp"
#include "math/symmetric_eigen.hpp"
#include "model/linearisation.hpp"

namespace livens {
namespace {

constexpr double two_pi = 6.283185307179586477;

Modes modes_of(const std::string& text, const ModesOptions& options) {
  const Scene scene = parse_scene(text);
  const Model model = make_model(scene);
  return normal_modes(model, initial_state(scene, model), options);
}

const std::string box = R"toml(
time = { end = 1 }
integrator = { kind = "stormer_verlet", step = 1e-3 }
[[material]]
name = "rubber"
kind = "neo_hookean"
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = "box"
kind = "solid"
material = "rubber"
mesh = { kind = "box", size = [1.0, 0.8, 0.6], cells = [3, 3, 2] }
)toml";

TEST(NormalModes, OfAPendulumAndOfOneThatStandsOnItsHead) {
  const auto pendulum = lagrangian_model<1>({"theta"}, [](const auto& q, const auto& v) {
    using std::cos;
    return 0.5 * 2.0 * 9.0 * v[0] * v[0] + 2.0 * 9.81 * 3.0 * cos(q[0]);
  });
  const Modes hanging = normal_modes(pendulum, make_state(pendulum, 0, {0}, {0}));
  ASSERT_EQ(hanging.modes.size(), 1u);
  EXPECT_TRUE(hanging.complete);
  EXPECT_NEAR(hanging.modes[0].frequency, std::sqrt(9.81 / 3) / two_pi, 1e-14);
  EXPECT_NEAR(hanging.modes[0].shape[0], 1 / std::sqrt(18.0), 1e-14);
  const Modes standing = normal_modes(pendulum, make_state(pendulum, 0, {M_PI}, {0}));
  EXPECT_NEAR(standing.modes[0].growth, std::sqrt(9.81 / 3), 1e-13);
  EXPECT_EQ(standing.unstable, 1);
  const Modes falling = normal_modes(pendulum, make_state(pendulum, 0, {1}, {0}));
  EXPECT_GT(falling.unbalanced, 0.1);
  EXPECT_LT(hanging.unbalanced, 1e-15);
}

TEST(NormalModes, OfAChainOfMasses) {
  constexpr int n = 12;
  std::vector<std::string> names;
  for (int k = 0; k < n; ++k) names.push_back("u" + std::to_string(k));
  const auto chain = mechanical_model<n>(names, std::vector<double>(n, 0.5), [](const auto& q) {
    auto W = 0.5 * 8.0 * q[0] * q[0];
    for (int k = 1; k < n; ++k) W += 0.5 * 8.0 * (q[k] - q[k - 1]) * (q[k] - q[k - 1]);
    return W + 0.5 * 8.0 * q[n - 1] * q[n - 1];
  });
  const Modes modes =
      normal_modes(chain, make_state(chain, 0, std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)), {.count = n});
  ASSERT_EQ(modes.modes.size(), static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k)
    EXPECT_NEAR(modes.modes[k].frequency, 2 * std::sqrt(8.0 / 0.5) * std::sin((k + 1) * M_PI / (2 * (n + 1))) / two_pi,
                1e-13);
}

// More of one frequency than a block is wide: the count notices, and the search goes on.
TEST(NormalModes, FourteenOfOneFrequency) {
  constexpr int n = 14;
  std::vector<std::string> names;
  for (int k = 0; k < n; ++k) names.push_back("u" + std::to_string(k));
  const auto springs = mechanical_model<n>(names, std::vector<double>(n, 2.0), [](const auto& q) {
    auto W = 0.5 * 8.0 * q[0] * q[0];
    for (int k = 1; k < n; ++k) W += 0.5 * 8.0 * q[k] * q[k];
    return W;
  });
  const State rest = make_state(springs, 0, std::vector<double>(n, 0.0), std::vector<double>(n, 0.0));
  const Modes modes = normal_modes(springs, rest, {.count = n});
  ASSERT_EQ(modes.modes.size(), 14u);
  EXPECT_TRUE(modes.complete);
  EXPECT_GT(modes.factorisations, 2);
  for (const Mode& mode : modes.modes) EXPECT_NEAR(mode.eigenvalue, 4, 1e-12);
  const Modes uncounted = normal_modes(springs, rest, {.count = n, .counted = false});
  EXPECT_LT(uncounted.modes.size(), 14u);  // the control
  EXPECT_FALSE(uncounted.complete);
}

// c / (2 m w), and the period of small swings of a pendulum.
TEST(NormalModes, DampingRatioOfAPendulumWithDrag) {
  const Modes modes = modes_of(R"toml(
time = { end = 1 }
integrator = { kind = "stormer_verlet", step = 0.01 }
[system]
kind = "lagrangian"
coordinates = ["a"]
kinetic = "0.25*a_dot^2"
potential = "-4.905*cos(a)"
dissipation = "0.025*a_dot^2"
initial = { a = 0 }
)toml",
                               {});
  ASSERT_EQ(modes.modes.size(), 1u);
  const double w = std::sqrt(9.81);
  EXPECT_NEAR(modes.modes[0].frequency, w / two_pi, 1e-14);
  EXPECT_NEAR(modes.modes[0].damping, 0.05 / (2 * 0.5 * w), 1e-15);
}

TEST(NormalModes, GyroscopicTermsAreRefused) {
  const auto charge = lagrangian_model<2>({"x", "y"}, [](const auto& q, const auto& v) {
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + 0.3 * (q[0] * v[1] - q[1] * v[0]);
  });
  EXPECT_THROW(normal_modes(charge, make_state(charge, 0, {0, 0}, {0, 0})), std::invalid_argument);
}

TEST(NormalModes, AFreeBodyHasSixOfNoFrequencyAndTheRestOfADenseSolver) {
  const Scene scene = parse_scene(box);
  const Model model = make_model(scene);
  const State state = initial_state(scene, model);
  const Modes modes = normal_modes(model, state, {.count = 20});
  ASSERT_EQ(modes.modes.size(), 20u);
  EXPECT_TRUE(modes.complete);
  EXPECT_EQ(modes.zero, 6);
  const SparsePattern& pattern = linearisation(model).pattern();
  std::vector<double> K(pattern.row.size(), 0.0), column(state.q.size());
  linearisation(model).add_potential(model, 0, state.q, 1, K);
  Eigen::MatrixXd stiffness(pattern.n, pattern.n), mass = Eigen::MatrixXd::Zero(pattern.n, pattern.n);
  std::vector<double> unit(state.q.size(), 0.0);
  for (int c = 0; c < pattern.n; ++c) {
    mass(c, c) = model.parts().mass.diagonal[c];
    unit[c] = 1;
    pattern.multiply(K, unit, column);
    unit[c] = 0;
    for (int r = 0; r < pattern.n; ++r) stiffness(r, c) = column[r];
  }
  const SymmetricEigen dense = symmetric_eigen(stiffness, mass);
  for (int k = 6; k < 20; ++k) {
    EXPECT_NEAR(modes.modes[k].eigenvalue / dense.values[k], 1, 1e-9) << k;
    EXPECT_LT(modes.modes[k].residual, 1e-9);
  }
}

TEST(NormalModes, EffectiveMassesOfAllModesAreThatOfTheBody) {
  const Modes modes = modes_of(box + R"toml(
[[constraint]]
kind = "fixed"
selection = "box.x_min"
)toml",
                               {.count = 1000});
  EXPECT_EQ(modes.zero, 0);
  EXPECT_TRUE(modes.complete);
  ASSERT_EQ(modes.free_mass.size(), 6u);
  for (std::size_t m = 0; m < 6; ++m) {
    double sum = 0;
    for (const Mode& mode : modes.modes) sum += mode.effective_mass[m];
    EXPECT_NEAR(sum / modes.free_mass[m], 1, 1e-9) << m;
  }
  EXPECT_LT(modes.free_mass[0], 480);
}

// Those of the middle of the spectrum are the same that the search from below finds.
TEST(NormalModes, NearAFrequency) {
  const Modes all = modes_of(box, {.count = 30});
  const double near = 0.5 * (all.modes[17].frequency + all.modes[18].frequency);
  const Modes some = modes_of(box, {.count = 5, .near = near});
  ASSERT_EQ(some.modes.size(), 5u);
  EXPECT_TRUE(some.complete);
  std::size_t first = 0;
  while (all.modes[first].frequency < some.modes[0].frequency * (1 - 1e-9)) ++first;
  EXPECT_GE(first, 12u);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(some.modes[k].frequency / all.modes[first + k].frequency, 1, 1e-9);
}

// A rigid bar that hangs from a joint: w^2 = m g l/2 / (m (b^2 + l^2)/12 + m (l/2)^2).
TEST(NormalModes, OfARigidBodyOnAJoint) {
  const Modes modes = modes_of(R"toml(
time = { end = 1 }
integrator = { kind = "rattle", step = 1e-3 }
force = [{ kind = "gravity", acceleration = [0, 0, -9.81] }]
body = [{ name = "bar", kind = "rigid", mass = 40, inertia = [40.4, 40.3, 0.5], center = [0, 0, 0] }]
constraint = [{ name = "joint", kind = "revolute", bodies = ["ground", "bar"], point = [0, 0, 1], axis = [1, 0, 0] }]
)toml",
                               {.count = 3});
  ASSERT_EQ(modes.modes.size(), 1u);
  EXPECT_NEAR(modes.modes[0].frequency, std::sqrt(40 * 9.81 / (40.4 + 40)) / two_pi, 1e-9);
  EXPECT_LT(modes.unbalanced, 1e-10);
  EXPECT_TRUE(modes.complete);
}

// Multiple eigenvalues: a block finds as many as it is wide, and what is left once those are kept out.
TEST(BlockLanczos, FindsMultipleEigenvaluesUpToItsWidth) {
  const Eigen::Index n = 60;
  Eigen::VectorXd inverse(n);
  for (Eigen::Index k = 0; k < n; ++k) inverse[k] = k < 3 ? 1.0 : k < 20 ? 0.5 : 0.25;
  const auto solve = [&](Eigen::MatrixXd& x) { x = inverse.asDiagonal() * x; };
  const auto multiply = [](Eigen::MatrixXd&) {};
  const auto ones = [](const std::vector<BlockLanczos::Pair>& pairs) {
    return std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return std::abs(pair.value - 1) < 1e-8; });
  };
  BlockLanczos narrow(n, 1, {solve, multiply});
  EXPECT_TRUE(narrow.run(4, 1e-10, n));
  const auto found = narrow.pairs();
  EXPECT_EQ(found.size(), 3u);
  EXPECT_EQ(ones(found), 1);  // the control: one vector at a time cannot tell
  BlockLanczos wide(n, 3, {solve, multiply});
  EXPECT_TRUE(wide.run(4, 1e-10, n));
  EXPECT_EQ(ones(wide.pairs()), 3);
  BlockLanczos rest(n, 1, {solve, multiply}, {found.front().vector});
  EXPECT_TRUE(rest.run(1, 1e-10, n));
  EXPECT_EQ(ones(rest.pairs()), 1);
  EXPECT_NEAR(std::abs(rest.pairs().front().vector.dot(found.front().vector)), 0, 1e-9);
  EXPECT_FALSE(BlockLanczos(n, 1, {solve, multiply}).run(3, 1e-10, 2));
}

}  // namespace
}  // namespace livens
