// Impacts with energy_momentum: rebounds, energy, momenta, and no intersection.
#include "integrators/contact_steps.hpp"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <livens/livens.hpp>

#include "integrators/impacts.hpp"
#include "support/source_dir.hpp"
#include "support/table_file.hpp"

namespace livens {
namespace {

using testing::Ball, testing::Course, testing::Impact;
using testing::energy_momentum, testing::finished, testing::follow, testing::two_blocks, testing::two_cubes,
    testing::with_rubber;

// Steps from 0.01 to 100 ranges long, 16 phases each: the ball comes back with its speed, and never touches.
TEST(ContactSteps, ReboundDoesNotDependOnTheStep) {
  constexpr double range = 1e-3, speed = 2;
  double worst = 0, worst_energy = 0, lowest = 1;
  for (const double ratio : {0.01, 0.1, 0.5, 1.0, 5.0, 20.0, 100.0})
    for (int phase = 0; phase < 16; ++phase) {
      const double h = ratio * range / speed, height = range + (0.01 + phase / 16.0) * speed * h;
      Ball ball(range, height, speed);
      const double before = energy(*ball.model, ball.state).total;
      auto integrator = energy_momentum(h, *ball.model);
      bool met = false;
      const auto report = integrator->advance(*ball.model, ball.state, 1e9, [&](const State& state, const StepReport&) {
        worst_energy = std::max(worst_energy, std::abs(energy(*ball.model, state).total / before - 1));
        lowest = std::min(lowest, state.q[1] - 0.01);
        met = met || state.v[1] > -0.999 * speed;
        return !(met && state.q[1] > 0.01 + 1.5 * range);
      });
      ASSERT_TRUE(report.converged) << report.message;
      worst = std::max(worst, std::abs(ball.state.v[1] / speed - 1));
      EXPECT_EQ(ball.state.v[0], 0.5);
    }
  table_number("contact", "particle on a plane", "rebound - 1", worst);
  table_number("contact", "particle on a plane", "energy", worst_energy);
  EXPECT_LE(worst, 1e-11);
  EXPECT_LE(worst_energy, 1e-10);
  EXPECT_GT(lowest, 0);
}

// The deepest gap of a resolved impact, y = (u)^(1/2) with k b(u) = m V^2 / 2.
TEST(ContactSteps, TurningPointIsThatOfTheBarrier) {
  constexpr double range = 1e-3, speed = 2;
  Ball ball(range, 1.2 * range, speed);
  auto integrator = energy_momentum(2e-4 * range / speed, *ball.model);
  double lowest = 1;
  integrator->advance(*ball.model, ball.state, 1e9, [&](const State& state, const StepReport&) {
    lowest = std::min(lowest, state.q[1] - 0.01);
    return state.v[1] < 0;
  });
  const double strength = 2.0 / 27 * M_PI * 1e-4 * 1e6 * range, energy = 0.5 * speed * speed;
  double low = 0, high = 1;  // (1 - u)^3 / u falls
  for (int k = 0; k < 200; ++k) {
    const double u = 0.5 * (low + high);
    (strength * (1 - u) * (1 - u) * (1 - u) / u > energy ? low : high) = u;
  }
  EXPECT_NEAR(lowest, range * std::sqrt(low), 1e-6 * range);
}

void tell(const std::string& what, double h, const Course& course) {
  const std::string label = what + ", step " + std::to_string(h) + " s";
  const auto number = [&](const std::string& quantity, double value) {
    table_number("contact", label, quantity, value);
  };
  number("energy", course.energy);
  number("linear momentum (N s)", course.linear);
  number("angular momentum (N m s)", course.angular);
  number("Newton steps per step", static_cast<double>(course.counters.newton) / course.steps);
}

TEST(ContactSteps, TwoBlocksInThePlane) {
  for (const double h : {5e-4, 2e-3, 5e-3, 1e-2}) {
    Impact impact = two_blocks(0.023, 1.0);
    const Course course = follow(impact, h, 0.06);
    tell("two blocks in the plane", h, course);
    ASSERT_TRUE(course.converged) << course.message;
    EXPECT_LE(course.energy, 1e-10);
    EXPECT_LE(course.linear, 1e-12);
    EXPECT_LE(course.angular, 1e-12);
    EXPECT_EQ(course.crossings, 0);
    EXPECT_GT(course.contacts, 0);
  }
}

TEST(ContactSteps, TwoCubesInSpace) {
  for (const int kind : {0, 1, 2})
    for (const double h : {2e-3, 5e-3}) {
      Impact impact = two_cubes(kind, 1.0, 2);
      const Course course = follow(impact, h, 0.03);
      const char* names[] = {"faces", "corner on face", "edges"};
      tell(std::string("two cubes, ") + names[kind], h, course);
      ASSERT_TRUE(course.converged) << course.message;
      EXPECT_LE(course.energy, 1e-9);
      EXPECT_LE(course.linear, 1e-12);
      EXPECT_LE(course.angular, 1e-11);
      EXPECT_EQ(course.crossings, 0);
      EXPECT_GT(course.contacts, 0);
    }
}

// At parts of the time that a wave takes across: 48 tetrahedra with factorisations, 384 by iterations.
TEST(ContactSteps, NewtonStepsOfCubes) {
  const double wave = 0.1 / std::sqrt(1e5 * 0.7 / (1000 * 1.3 * 0.4));
  for (const int cells : {2, 4}) {
    if (cells == 4 && std::getenv("LIVENS_LONG") == nullptr) continue;
    for (const int kind : {0, 1, 2})
      for (const double part : {17.0, 9.0, 3.4}) {
        Impact impact = two_cubes(kind, 1.0, cells);
        const Course course = follow(impact, wave / part, 0.03);
        ASSERT_TRUE(course.converged) << course.message;
        EXPECT_LE(course.energy, 1e-9);
        EXPECT_EQ(course.crossings, 0);
        const double mean = static_cast<double>(course.counters.newton) / course.steps;
        EXPECT_LT(mean, 10) << cells << " " << kind << " " << part;
        EXPECT_LE(course.counters.newton_max, 20) << cells << " " << kind << " " << part;
        const char* names[] = {"faces", "corner on face", "edges"};
        table_row("cubes", names[kind],
                  {{"cells", cells},
                   {"steps a wave", part},
                   {"Newton steps", mean},
                   {"most", static_cast<double>(course.counters.newton_max)},
                   {"energy", course.energy}});
      }
  }
}

// The arms of a U clap together.
TEST(ContactSteps, ABodyTouchesItself) {
  Assembly assembly = with_rubber();
  Solid solid;
  Mesh mesh = rectangle_mesh({.size = {0.3, 0.02}, .corner = {-0.15, 0}, .cells = {30, 2}});
  solid.mesh = mesh;
  solid.material = "rubber";
  constexpr double R = 0.03;  // the strip is bent round a half circle; straight arms of 0.1
  const double bend = M_PI * R / 2;
  const auto bent = [=](const Vec3& X) {
    const double s = X[0], r = R + X[1];
    if (std::abs(s) <= bend) return Vec3{-r * std::cos(s / R), r * std::sin(s / R), 0};
    return Vec3{std::abs(s) - bend, s > 0 ? r : -r, 0};
  };
  for (int a = 0; a < mesh.nodes(); ++a) {
    const Vec3 x = bent({mesh.X[2 * a], mesh.X[2 * a + 1], 0});
    solid.mesh.X[2 * a] = x[0];
    solid.mesh.X[2 * a + 1] = x[1];
  }
  solid.initial.velocity = [](const Vec3& x) { return Vec3{0, x[0] > 0 ? -40 * x[0] * (x[1] > 0 ? 1 : -1) : 0, 0}; };
  add(assembly, solid, "tongs");
  ContactBodies contact;
  contact.self = true;
  add(assembly, contact, "self");
  for (const double h : {1e-3, 5e-3}) {
    Impact impact = finished(assembly);
    EXPECT_EQ(impact.barrier->energy(impact.state.q), 0);
    const Course course = follow(impact, h, 0.08);
    ASSERT_TRUE(course.converged) << course.message;
    EXPECT_LE(course.energy, 1e-9);
    EXPECT_LE(course.angular, 1e-12);
    EXPECT_EQ(course.crossings, 0);
    EXPECT_GT(course.contacts, 0);
  }
}

double momentum_of(const Body& body, const State& state) {
  double sum = 0;
  for (int a = 0; a < body.nodes; ++a) sum += state.p[body.first + 2 * a];
  return sum;
}

// Two bars end on end, nu = 0, held along their axis: they exchange their velocities after 2 L/c, with the force
// rho c A V / 2. The barrier gives way before it carries the force: the shorter its range, the less longer they touch.
// Slender bars that are not held buckle where their ends slide on each other.
void check_bars(int cells, double range_of_edge) {
  constexpr double L = 1, E = 1e6, rho = 1000, V = 1;
  const double c = std::sqrt(E / rho);
  Assembly assembly;
  add(assembly, linear_elastic({.young = E, .poisson = 0, .density = rho}), "linear");
  const auto bar = [&](double x, double velocity, const char* name) {
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {L, L / cells}, .corner = {x, 0}, .cells = {cells, 1}});
    solid.material = "linear";
    solid.initial.velocity = [velocity](const Vec3&) { return Vec3{velocity, 0, 0}; };
    add(assembly, solid, name);
    add(assembly, Fixed{std::string(name) + ".all", "y"}, std::string(name) + " axis");
  };
  const double range = range_of_edge * L / cells;
  bar(0, V, "left");
  bar(L + 1.05 * range, 0, "right");
  ContactBodies contact;
  contact.barrier.distance = range;
  add(assembly, contact, "contact");
  Impact impact = finished(assembly);
  const Body &left = impact.model->bodies()[0], &right = impact.model->bodies()[1];
  double first = -1, last = -1, worst = 0, from[2] = {-1, 0}, to[2] = {-1, 0};  // t and p of the right one
  const double start = energy(*impact.model, impact.state).total;
  auto integrator = energy_momentum(0.5 * L / cells / c, *impact.model);
  integrator->advance(*impact.model, impact.state, 3.2 * L / c, [&](const State& state, const StepReport&) {
    const double B = impact.barrier->energy(state.q);
    if (B > 0 && first < 0) first = state.t;
    if (B > 0) last = state.t;
    worst = std::max(worst, std::abs(energy(*impact.model, state).total / start - 1));
    if (first >= 0 && state.t > first + 0.5 * L / c && state.t < first + 1.5 * L / c) {
      double(&end)[2] = from[0] < 0 ? from : to;
      end[0] = state.t;
      end[1] = momentum_of(right, state);
    }
    return true;
  });
  const double ratio = (to[1] - from[1]) / (to[0] - from[0]) / (0.5 * rho * c * (L / cells) * V);
  const std::string label =
      "two bars, " + std::to_string(cells) + " elements, distance " + std::to_string(range_of_edge);
  table_number("contact", label, "velocity that is left", std::abs(momentum_of(left, impact.state) / left.mass / V));
  table_number("contact", label, "force over its theory - 1", ratio - 1);
  table_number("contact", label, "duration over 2L/c - 1", (last - first) / (2 * L / c) - 1);
  EXPECT_LE(std::abs(momentum_of(left, impact.state) / left.mass / V), 0.01);
  EXPECT_NEAR(momentum_of(right, impact.state) / right.mass / V, 1, 0.01);
  EXPECT_NEAR(ratio, 1, 0.005);
  EXPECT_NEAR((last - first) / (2 * L / c), 1, 0.02);
  EXPECT_LE(worst, 1e-11);
}

// Two bars of L over `slender` that nothing holds, end on end: what the left one keeps of its speed after the impact.
double kept_by_free_bars(int slender, std::array<int, 2> cells, double range_of_edge) {
  constexpr double L = 1, E = 1e6, rho = 1000, V = 1;
  const double c = std::sqrt(E / rho), edge = L / cells[0];
  Assembly assembly;
  add(assembly, linear_elastic({.young = E, .poisson = 0, .density = rho}), "linear");
  const double range = range_of_edge * edge;
  for (const bool right : {false, true}) {
    Solid solid;
    solid.mesh = rectangle_mesh(
        {.size = {L, L / slender}, .corner = {right ? L + 1.05 * range : 0, 0}, .cells = {cells[0], cells[1]}});
    solid.material = "linear";
    solid.initial.velocity = [right](const Vec3&) { return Vec3{right ? 0 : V, 0, 0}; };
    add(assembly, solid, right ? "right" : "left");
  }
  ContactBodies contact;
  contact.barrier.distance = range;
  add(assembly, contact, "contact");
  Impact impact = finished(assembly);
  auto integrator = energy_momentum(0.5 * edge / c, *impact.model);
  EXPECT_TRUE(integrator->advance(*impact.model, impact.state, 3.2 * L / c).converged);
  const Body& left = impact.model->bodies()[0];
  const double kept = momentum_of(left, impact.state) / left.mass / V;
  table_number("contact",
               "two free bars of 1 to " + std::to_string(slender) + ", distance " + std::to_string(range_of_edge) +
                   " of an edge",
               "velocity that is left", kept);
  return kept;
}

// Short ones exchange their velocities; slender ones buckle and slip past each other.
TEST(ContactSteps, SlenderBarsThatNothingHoldsBuckle) {
  EXPECT_NEAR(kept_by_free_bars(10, {40, 4}, 0.02), 0, 0.02);
  if (std::getenv("LIVENS_LONG") == nullptr) return;
  for (const double range : {0.02, 0.1}) EXPECT_GT(kept_by_free_bars(200, {200, 1}, range), 0.1);
}

TEST(ContactSteps, TwoBarsExchangeTheirVelocities) {
  check_bars(100, 0.02);
  if (std::getenv("LIVENS_LONG") == nullptr) return;
  check_bars(200, 0.02);
  check_bars(200, 0.1);
}

// The same bits for every number of threads, and from a state in the middle of an impact on.
TEST(ContactSteps, ThreadsAndRestartsHaveTheSameBits) {
  std::vector<double> ends[4];
  for (int k = 0; k < 4; ++k) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, k < 3 ? 1 << k : 1);
    Impact impact = two_cubes(1, 1.0, 4);
    auto integrator = energy_momentum(1e-3, *impact.model);
    integrator->advance(*impact.model, impact.state, 7e-3);
    EXPECT_GT(impact.barrier->energy(impact.state.q), 0) << "they touch";
    if (k == 3) integrator = energy_momentum(1e-3, *impact.model);
    const StepReport report = integrator->advance(*impact.model, impact.state, 12e-3);
    ASSERT_TRUE(report.converged) << report.message;
    ends[k] = impact.state.q;
  }
  for (const auto& end : ends) EXPECT_EQ(end, ends[0]);
}

TEST(ContactSteps, RefusesStartsThatIntersect) {
  Assembly assembly = with_rubber();
  for (const double x : {0.0, 0.09}) {
    Solid solid;
    solid.mesh = rectangle_mesh({.size = {0.1, 0.1}, .corner = {x, x}, .cells = {2, 2}});
    solid.material = "rubber";
    add(assembly, solid, x == 0 ? "left" : "right");
  }
  try {
    add(assembly, ContactBodies{}, "contact");
    FAIL();
  } catch (const AssemblyError& error) {
    EXPECT_NE(std::string(error.what()).find("an edge of left and a facet of right"), std::string::npos)
        << error.what();
  }
  ContactPlane floor;
  floor.point = {0, 0.05, 0};
  floor.normal = {0, 1, 0};
  floor.barrier = BarrierRule{};
  EXPECT_THROW(add(assembly, floor, "floor"), AssemblyError);
  floor.point = {0, -0.01, 0};
  add(assembly, floor, "floor");
}

TEST(ContactSteps, OtherMethodsRefuse) {
  const Impact impact = two_blocks(0.01, 1);
  for (const char* method : {"kind = 'rk4', step = 0.001", "kind = 'stormer_verlet', step = 1e-5",
                             "kind = 'energy_momentum', derivative = 'scaled_midpoint', step = 0.001"})
    EXPECT_THROW(make_integrator(method, *impact.model), SceneError) << method;
}

// The scenes that are published: energy, what friction took, and momenta while the blocks touch.
TEST(ContactSteps, PublishedScenesRun) {
  const Scene blocks = load_scene(source_dir() + "/scenes/contact_two_blocks.toml");
  const Model model = make_model(blocks);
  State state = initial_state(blocks, model);
  const double start = energy(model, state).total;
  const Momenta before = momenta(model, state.q, state.p);
  auto integrator = make_integrator(blocks, model);
  ASSERT_TRUE(integrator->advance(model, state, 0.02).converged);
  const Momenta after = momenta(model, state.q, state.p);
  const double lost = integrator->ledger().energy_out[0];
  EXPECT_GT(lost, 1e-4 * start);
  EXPECT_NEAR(energy(model, state).total + lost, start, 1e-10 * start);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(after.linear[k], before.linear[k], 1e-12);
    EXPECT_NEAR(after.angular[k], before.angular[k], 1e-12);
  }

  // Below the angle of friction the block stays, above it goes.
  double way[2];
  for (const int k : {0, 1}) {
    Scene slope = load_scene(source_dir() + "/scenes/contact_slope.toml");
    slope.set("parameters.angle", k == 0 ? 20.0 : 35.0);
    const Model of_slope = make_model(slope);
    State block = initial_state(slope, of_slope);
    const double x = block.q[0];
    ASSERT_TRUE(make_integrator(slope, of_slope)->advance(of_slope, block, 0.3).converged);
    way[k] = block.q[0] - x;
  }
  EXPECT_LT(way[0], 0.003);
  EXPECT_GT(way[1], 0.03);
}

}  // namespace
}  // namespace livens
