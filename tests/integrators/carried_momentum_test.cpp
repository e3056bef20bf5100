// Nodes that a support moves in some directions and that are free in others: the momentum that it carries along is
// booked, and the balance of angular momentum closes.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <livens/scene.hpp>

namespace livens {
namespace {

// One face of a block is shaken along x and free along y and z; a rigid weight hangs from the other with `constrained`.
Scene shaken(bool constrained) {
  std::string text = R"(time = { end = 1 }
solver = { project_start = true }
integrator = { kind = 'stormer_verlet', step = 0.001 }
[[material]]
name = 'rubber'
kind = 'neo_hookean'
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = 'block'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'box', size = [1, 0.5, 0.5], cells = [2, 1, 1], corner = [0, 0, 0] }
initial = { velocity = [0, 0.3, 0.4] }
[[force]]
kind = 'gravity'
acceleration = [0.2, -0.4, -10]
[[force]]
kind = 'strain_damping'
damping_time = 0.001
[[constraint]]
kind = 'prescribed'
selection = 'block.x_min'
displacement = ['0.2*sin(7*t) + 0.3*t', 'free', 'free']
)";
  if (constrained)
    text += R"([[body]]
name = 'weight'
kind = 'rigid'
mass = 3
inertia = [0.1, 0.2, 0.3]
center = [0.5, 0.5, -0.3]
initial = { velocity = [0, 0.3, 0.4] }
[[constraint]]
kind = 'spherical'
bodies = ['block', 'weight']
point = [0.5, 0.5, 0]
[[constraint]]
kind = 'distance'
bodies = ['block', 'weight']
ends = [[0, 0, 0], [0.5, 0.4, -0.3]]
)";
  return parse_scene(text);
}

// What is left of the angular momentum after the impulses of the ledger, over the largest that it has been.
double left(const Scene& scene, const std::string& method) {
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  const auto integrator = make_integrator(method, model);
  const Momenta start = momenta(model, state.q, state.p);
  double worst = 0, largest = 0;
  const StepReport report = integrator->advance(model, state, 0.3, [&](const State& now, const StepReport&) {
    const Momenta m = momenta(model, now.q, now.p);
    for (int c = 0; c < 3; ++c) {
      worst = std::max(worst, std::abs(m.angular[c] - start.angular[c] - integrator->ledger().angular_impulse[c]));
      largest = std::max(largest, std::abs(m.angular[c]));
    }
    return true;
  });
  EXPECT_TRUE(report.converged) << method << ": " << report.message;
  EXPECT_GT(largest, 10) << "it moves";
  std::printf("%-60s left %.1e of %.3g\n", method.c_str(), worst, largest);
  return worst / largest;
}

// Some hundred steps of sums of hundreds of kg m^2/s, each to rounding of the solve.
constexpr double closed = 1e-11;

TEST(CarriedMomentum, ClosesTheBalanceOfAngularMomentum) {
  for (const char* method :
       {"kind = 'stormer_verlet', step = 0.0005", "kind = 'symplectic_euler_a', step = 0.0005",
        "kind = 'hamilton_pontryagin', alpha = 0.5, step = 0.003",
        "kind = 'hamilton_pontryagin', alpha = 0.3, step = 0.003", "kind = 'generalized_trapezoid', step = 0.0005",
        "kind = 'galerkin', degree = 1, step = 0.003", "kind = 'galerkin', degree = 2, step = 0.003",
        "kind = 'galerkin', degree = 2, quadrature = 'lobatto', step = 0.003",
        "kind = 'composition', order = 4, step = 0.001", "kind = 'energy_momentum', step = 0.003",
        "kind = 'newmark', beta = 0, step = 0.0005"})
    EXPECT_LT(left(shaken(false), method), closed) << method;
}

TEST(CarriedMomentum, AlsoWithJointsAtSuchNodes) {
  for (const char* method : {"kind = 'rattle', step = 0.002", "kind = 'shake', step = 0.002",
                             "kind = 'hamilton_pontryagin', alpha = 0.5, step = 0.003",
                             "kind = 'hamilton_pontryagin', alpha = 0.3, step = 0.003",
                             "kind = 'galerkin', degree = 2, quadrature = 'lobatto', step = 0.003",
                             "kind = 'energy_momentum', step = 0.003"})
    EXPECT_LT(left(shaken(true), method), closed) << method;
}

// Methods that do not keep angular momentum show their own error, which falls with the step, and no more.
TEST(CarriedMomentum, LeavesTheErrorsOfOtherMethods) {
  const double coarse = left(shaken(false), "kind = 'rk4', step = 0.001"),
               fine = left(shaken(false), "kind = 'rk4', step = 0.0005");
  EXPECT_LT(coarse, 1e-6);
  EXPECT_GT(coarse / fine, 8);
  EXPECT_GT(left(shaken(false), "kind = 'implicit_euler', step = 0.003"), 1e-6);
}

}  // namespace
}  // namespace livens
