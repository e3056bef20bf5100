// Rigid bodies in the plane against what is known of them: the period of a compound pendulum, rods in generalised
// coordinates, the piston of a crank, moments of inertia, and the same mechanism in space.
#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <livens/livens.hpp>
#include <livens/probe.hpp>

#include "draw/drawing.hpp"
#include "model/projection.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

constexpr double rounding = 1e-12;  // of lengths of order 1 after some hundred steps, each solved to rounding

struct Motion {
  explicit Motion(const Scene& scene)
      : model(make_model(scene)), state(initial_state(scene, model)), integrator(make_integrator(scene, model)) {}
  explicit Motion(const std::string& text) : Motion(parse_scene(text)) {}

  void advance(double t) {
    const StepReport report = integrator->advance(model, state, t);
    ASSERT_TRUE(report.converged) << report.message;
  }
  std::vector<double> probe(const std::string& quantity, const ProbePlace& place) const {
    const Probe made = make_probe(model, quantity, place, "p");
    std::vector<double> values(made.columns().size());
    made.evaluate({model, state, StepReport{}, *integrator}, values.data());
    return values;
  }
  double omega(const std::string& body) const {
    const auto values = probe("angular_velocity", {.body = body});
    EXPECT_EQ(values.size(), 1u);
    return values.at(0);
  }

  Model model;
  State state;
  std::unique_ptr<Integrator> integrator;
};

// Lobatto's points, order 8: the step leaves nothing that is seen.
std::string accurate(double step) {
  char text[160];
  std::snprintf(text, sizeof text,
                "integrator = { kind = 'galerkin', degree = 4, quadrature = 'lobatto', step = %.17g }\n", step);
  return text;
}
const std::string gravity = "[[force]]\nkind = 'gravity'\nacceleration = [0, -9.81]\n";

std::string body_text(const std::string& name, const std::string& more) {
  return "[[body]]\nname = '" + name + "'\nkind = 'rigid'\n" + more;
}

TEST(PlaneBodies, HaveTheirMassCentreAndInertia) {
  const Motion free("time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n" +
                    body_text("a",
                              "mass = 2.5\ninertia = 0.3\ncenter = [0.7, -0.2]\ninitial = { velocity = [0.3, "
                              "-0.4], angular_velocity = 1.7 }\n"));
  const Body& body = free.model.body("a");
  EXPECT_EQ(body.nodes, 3);
  double mass = 0, J = 0;
  std::array<double, 2> centre{};
  for (std::size_t a = 0; a < 3; ++a) {
    const double m = free.model.parts().mass.diagonal[2 * a];
    const double x = free.state.q[2 * a] - 0.7, y = free.state.q[2 * a + 1] + 0.2;
    mass += m;
    centre[0] += m * x;
    centre[1] += m * y;
    J += m * (x * x + y * y);
  }
  EXPECT_NEAR(mass, 2.5, rounding);
  EXPECT_NEAR(centre[0], 0, rounding);
  EXPECT_NEAR(centre[1], 0, rounding);
  EXPECT_NEAR(J, 0.3, rounding);
  EXPECT_NEAR(energy(free.model, free.state).kinetic, 0.5 * 2.5 * 0.25 + 0.5 * 0.3 * 1.7 * 1.7, rounding);
  // About the origin: m (x vy - y vx) + J omega.
  const Momenta all = momenta(free.model, free.state.q, free.state.p);
  EXPECT_NEAR(all.angular[2], 2.5 * (0.7 * -0.4 + 0.2 * 0.3) + 0.3 * 1.7, rounding);
  EXPECT_NEAR(free.omega("a"), 1.7, rounding);
  const ConstraintRank rank = constraint_rank(free.model, free.state);
  EXPECT_EQ(rank.equations, 3);
  EXPECT_EQ(rank.degrees_of_freedom, 3);
}

// Any point of the body: c + R(omega t) (X - c0) + v t.
TEST(PlaneBodies, FreeMotionIsThatOfARigidBody) {
  Motion free(
      "time = { end = 2 }\nintegrator = { kind = 'galerkin', degree = 4, quadrature = 'lobatto', step = 0.05 "
      "}\n" +
      body_text("a",
                "mass = 2\ninertia = 0.3\ncenter = [1, 2]\ninitial = { velocity = [0.3, -0.4], "
                "angular_velocity = 1.7 }\n"));
  free.advance(2);
  const double c = std::cos(3.4), s = std::sin(3.4);
  const auto x = free.probe("position", {.body = "a", .point = {1.5, 1.9}});
  EXPECT_NEAR(x.at(0), 1.6 + c * 0.5 - s * -0.1, 1e-9);
  EXPECT_NEAR(x.at(1), 1.2 + s * 0.5 + c * -0.1, 1e-9);
  EXPECT_NEAR(free.probe("momentum", {.body = "a"}).at(1), -0.8, rounding);
}

// T = 4 K(sin(a/2)) sqrt(J_O / (m g d)), J_O = J + m d^2: after half of it the pendulum stands at -a.
TEST(PlaneBodies, CompoundPendulumHasItsPeriod) {
  const double m = 3, J = 0.2, d = 0.4, a = 1.9;
  const double T = 4 * std::comp_ellint_1(std::sin(a / 2)) * std::sqrt((J + m * d * d) / (m * 9.81 * d));
  Motion pendulum("time = { end = 10 }\n" + accurate(T / 200) + gravity +
                  body_text("a",
                            "mass = 3\ninertia = 0.2\ncenter = ['0.4*sin(1.9)', "
                            "'-0.4*cos(1.9)']\n") +
                  "[[constraint]]\nkind = 'revolute'\nbodies = ['ground', 'a']\npoint = [0, 0]\n");
  const auto x0 = pendulum.probe("position", {.body = "a"});
  pendulum.advance(T / 2);
  const auto half = pendulum.probe("position", {.body = "a"});
  EXPECT_NEAR(half.at(0), -x0.at(0), 1e-9);
  EXPECT_NEAR(half.at(1), x0.at(1), 1e-9);
  EXPECT_NEAR(pendulum.omega("a"), 0, 1e-8);
  pendulum.advance(T);
  EXPECT_NEAR(pendulum.probe("position", {.body = "a"}).at(0), x0.at(0), 1e-8);
}

// The rods of the published scene, and the same in two angles.
TEST(PlaneBodies, DoublePendulumMovesAsInGeneralisedCoordinates) {
  Motion rods(load_scene(source_dir() + "/scenes/multibody_plane_double_pendulum.toml"));
  rods.integrator = make_integrator("kind = 'galerkin', degree = 4, quadrature = 'lobatto', step = 0.005", rods.model);
  Motion angles(
      "time = { end = 2 }\nparameters = { m1 = 1, m2 = 0.6, l1 = 1, l2 = 0.8, g = 9.81 }\n"
      "integrator = { kind = 'galerkin', degree = 4, quadrature = 'gauss', step = 0.005 }\n"
      "[system]\nkind = 'lagrangian'\ncoordinates = ['a', 'b']\nlagrangian = '(m1/3 + m2)*l1^2*a_dot^2/2 + "
      "m2*l2^2*b_dot^2/6 + m2*l1*l2*a_dot*b_dot*cos(a - b)/2 + (m1/2 + m2)*g*l1*cos(a) + m2*g*l2*cos(b)/2'\n"
      "initial = { a = 2, b = 1, a_dot = 0, b_dot = 0 }\n");
  EXPECT_NEAR(energy(rods.model, rods.state).total, energy(angles.model, angles.state).total, rounding);
  rods.advance(2);
  angles.advance(2);
  const double a = angles.state.q[0], b = angles.state.q[1];
  const auto x = rods.probe("position", {.body = "lower"});
  const double off = std::hypot(x.at(0) - (std::sin(a) + 0.4 * std::sin(b)), x.at(1) + std::cos(a) + 0.4 * std::cos(b));
  std::printf("two rods after 2 s: a %.12f, b %.12f, off %.1e m\n", a, b, off);
  EXPECT_LT(off, 1e-8);
  EXPECT_NEAR(rods.omega("upper"), angles.state.v[0], 1e-7);
  EXPECT_NEAR(rods.omega("lower"), angles.state.v[1], 1e-7);
  EXPECT_GT(std::abs(a - 2), 0.5) << "it moves";
}

// --- joints ----------------------------------------------------------------------------------------------------------

// Crank r, rod l: x = r cos + sqrt(l^2 - r^2 sin^2). The piston slides and does not turn.
TEST(PlaneJoints, SliderCrankHasThePistonOfItsAngle) {
  Motion crank(
      "time = { end = 1 }\nintegrator = { kind = 'energy_momentum', step = 0.002 }\n" + gravity +
      body_text("crank",
                "mass = 2\ninertia = 0.016\ncenter = [0.15, 0]\ninitial = { velocity = [0, 1.8], "
                "angular_velocity = 12 }\n") +
      body_text("rod",
                "mass = 1\ninertia = 0.1\ncenter = [0.8, 0]\ninitial = { velocity = [0, 1.8], angular_velocity "
                "= -3.6 }\n") +
      body_text("piston", "mass = 0.5\ninertia = 0.001\ncenter = [1.3, 0]\n") +
      "[[constraint]]\nname = 'bearing'\nkind = 'revolute'\nbodies = ['ground', 'crank']\npoint = [0, 0]\n"
      "[[constraint]]\nkind = 'spherical'\nbodies = ['crank', 'rod']\npoint = [0.3, 0]\n"
      "[[constraint]]\nkind = 'revolute'\nbodies = ['rod', 'piston']\npoint = [1.3, 0]\n"
      "[[constraint]]\nname = 'guide'\nkind = 'prismatic'\nbodies = ['ground', 'piston']\npoint = [1.3, 0]\naxis = [1, "
      "0]\n");
  EXPECT_EQ(constraint_rank(crank.model, crank.state).degrees_of_freedom, 1);
  const double E0 = energy(crank.model, crank.state).total;
  for (int k = 1; k <= 5; ++k) {
    crank.advance(0.2 * k);
    const auto pin = crank.probe("position", {.body = "crank", .point = {0.3, 0}});
    const auto piston = crank.probe("position", {.body = "piston"});
    EXPECT_NEAR(std::hypot(pin.at(0), pin.at(1)), 0.3, rounding);
    EXPECT_NEAR(piston.at(0), pin.at(0) + std::sqrt(1 - pin.at(1) * pin.at(1)), 10 * rounding);
    EXPECT_NEAR(piston.at(1), 0, rounding);
    EXPECT_NEAR(crank.omega("piston"), 0, 1e-10);
    EXPECT_GT(std::abs(crank.omega("crank")), 1) << "it turns";
    EXPECT_NEAR(energy(crank.model, crank.state).total, E0, 1e-10);
  }
  // What the guide takes is across it.
  EXPECT_NEAR(crank.probe("reaction", {.constraint = "guide"}).at(0), 0, 1e-9);
  EXPECT_EQ(crank.probe("moment", {.constraint = "guide"}).size(), 1u);
}

// Two bodies with one constraint: 6 freedoms less its equations.
TEST(PlaneJoints, TakeTheirFreedoms) {
  const auto freedoms = [](const std::string& constraint) {
    const Motion two(
        "time = { end = 1 }\nsolver = { project_start = true }\nintegrator = { kind = 'rattle', step = "
        "0.01 }\nconstraint = [{ " +
        constraint + " }]\n" +
        body_text("a", "mass = 1\ninertia = 0.3\ncenter = [0, 0]\ninitial = { angular_velocity = 1 }\n") +
        body_text("b", "mass = 2\ninertia = 0.5\ncenter = [1, 0.2]\n"));
    const ConstraintRank rank = constraint_rank(two.model, two.state);
    EXPECT_EQ(rank.rank, rank.equations) << constraint;
    return rank.degrees_of_freedom;
  };
  EXPECT_EQ(freedoms("kind = 'revolute', bodies = ['a', 'b'], point = [0.5, 0.1]"), 4);
  EXPECT_EQ(freedoms("kind = 'spherical', bodies = ['a', 'b'], point = [0.5, 0.1]"), 4);
  EXPECT_EQ(freedoms("kind = 'prismatic', bodies = ['a', 'b'], point = [0.5, 0.1], axis = [1, 2]"), 4);
  EXPECT_EQ(freedoms("kind = 'fixed', bodies = ['a', 'b']"), 3);
  EXPECT_EQ(freedoms("kind = 'fixed', bodies = ['ground', 'b']"), 3);
  EXPECT_EQ(freedoms("kind = 'distance', bodies = ['a', 'b'], ends = [[0.2, 0], [0.8, 0.3]]"), 5);
  EXPECT_EQ(freedoms("kind = 'alignment', bodies = ['a', 'b', 'a'], ends = [[0, 0], [0.5, 0.5], [1, 1]]"), 5);
  EXPECT_EQ(freedoms("kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'plane', center = [0.5, 0], axis = [0, "
                     "1], point = [0.9, 0]"),
            5);
  EXPECT_EQ(freedoms("kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'sphere', center = [0.5, 0], radius = "
                     "0.4, point = [0.9, 0]"),
            5);
  EXPECT_EQ(freedoms("kind = 'prescribed', bodies = ['b'], point = [1, 0], displacement = ['free', '0.1*sin(3*t)']"),
            5);
  EXPECT_EQ(freedoms("kind = 'expression', bodies = ['a', 'b'], ends = [[0.2, 0], [0.8, 0]], g = 'x2 - x1 - 0.6'"), 5);
}

// Joints between free bodies keep all momenta, with every form of the step that keeps them.
TEST(PlaneJoints, KeepMomenta) {
  for (const std::string joint :
       {"kind = 'prismatic', bodies = ['a', 'b'], point = [0.5, 0.1], axis = [1, 2]",
        "kind = 'fixed', bodies = ['a', 'b']", "kind = 'revolute', bodies = ['a', 'b'], point = [0.5, 0.1]"})
    for (const std::string method : {"rattle", "energy_momentum", "implicit_midpoint"}) {
      Motion two("time = { end = 1 }\nsolver = { project_start = true }\nintegrator = { kind = '" + method +
                 "', step = 0.01 }\nconstraint = [{ " + joint + " }]\n" +
                 body_text("a",
                           "mass = 1\ninertia = 0.3\ncenter = [0, 0]\ninitial = { velocity = [0.5, 1], "
                           "angular_velocity = 2 }\n") +
                 body_text("b", "mass = 2\ninertia = 0.5\ncenter = [1, 0.2]\n"));
      const Momenta before = momenta(two.model, two.state.q, two.state.p);
      two.advance(1);
      const Momenta after = momenta(two.model, two.state.q, two.state.p);
      EXPECT_GT(std::abs(before.angular[2]), 0.1);
      for (int c = 0; c < 2; ++c) EXPECT_NEAR(after.linear[c], before.linear[c], rounding) << joint << method;
      EXPECT_NEAR(after.angular[2], before.angular[2], rounding) << joint << method;
    }
}

// --- what acts on them -----------------------------------------------------------------------------------------------

TEST(PlaneBodies, TorqueTurnsThemByTauTimesTimeOverJ) {
  Motion rotor("time = { end = 4 }\nintegrator = { kind = 'rattle', step = 0.001 }\n" +
               body_text("rotor", "mass = 1\ninertia = 0.2\ncenter = [0, 0]\n") +
               "[[constraint]]\nkind = 'revolute'\nbodies = ['ground', 'rotor']\npoint = [0, 0]\n"
               "[[force]]\nname = 'motor'\nkind = 'load'\nbody = 'rotor'\ntorque = 0.2\n");
  rotor.advance(4);
  EXPECT_NEAR(rotor.omega("rotor"), 4, 1e-10);
}

// Small swings on two springs across the body: J a'' = -2 k r^2 a.
TEST(PlaneBodies, SpringsAndDampersActAtTheirPoints) {
  const std::string bar =
      body_text("bar", "mass = 1\ninertia = 0.2\ncenter = [0, 0]\ninitial = { angular_velocity = 1e-5 }\n");
  const std::string pivot = "[[constraint]]\nkind = 'revolute'\nbodies = ['ground', 'bar']\npoint = [0, 0]\n";
  const auto joined = [](const std::string& kind, const std::string& law) {
    std::string text;
    for (const std::string x : {"1", "-1"})
      text += "[[force]]\nname = '" + std::string(x == "1" ? "right" : "left") + "'\nkind = '" + kind +
              "'\nbodies = ['ground', 'bar']\nends = [[" + x + ", -1], [" + x + ", 0]]\n" + law + "\n";
    return text;
  };
  const double omega = std::sqrt(2 * 50 / 0.2), T = 2 * std::numbers::pi / omega;
  Motion springs("time = { end = 1 }\n" + accurate(T / 40) + bar + pivot + joined("spring", "stiffness = 50"));
  springs.advance(T / 4);
  EXPECT_NEAR(springs.omega("bar"), 0, 1e-10);
  EXPECT_NEAR(springs.probe("position", {.body = "bar", .point = {1, 0}}).at(1), 1e-5 / omega, 1e-11);
  // J w' = -2 c w
  Motion dampers("time = { end = 1 }\nintegrator = { kind = 'implicit_midpoint', step = 0.001 }\n" + bar + pivot +
                 joined("damper", "coefficient = 0.1"));
  dampers.advance(1);
  EXPECT_NEAR(dampers.omega("bar"), 1e-5 * std::exp(-1.0), 1e-10);
}

// A bar of triangles glued to a hub that turns: the glued nodes stay where they are on the hub.
TEST(PlaneBodies, CarrySolids) {
  Motion bar("time = { end = 0.2 }\nintegrator = { kind = 'energy_momentum', step = 0.002 }\n" + gravity +
             "[[material]]\nname = 'm'\nkind = 'neo_hookean'\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n"
             "[[body]]\nname = 'bar'\nkind = 'solid'\nmaterial = 'm'\nmesh = { kind = 'rectangle', size = [1, 0.2], "
             "cells = [8, 2] }\n" +
             body_text("hub", "mass = 20\ninertia = 0.5\ncenter = [0, 0.1]\n") +
             "[[constraint]]\nkind = 'revolute'\nbodies = ['ground', 'hub']\npoint = [0, 0.1]\n"
             "[[constraint]]\nname = 'glue'\nkind = 'attachment'\nbody = 'hub'\nselection = 'bar.x_min'\n");
  const double E0 = energy(bar.model, bar.state).total;
  bar.advance(0.2);
  for (const double y : {0.0, 0.1, 0.2}) {
    const auto own = bar.probe("position", {.body = "bar", .point = {0, y}});
    const auto held = bar.probe("position", {.body = "hub", .point = {0, y}});
    for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(own.at(c), held.at(c), rounding);
  }
  EXPECT_LT(bar.omega("hub"), -0.5) << "it falls";
  EXPECT_NEAR(energy(bar.model, bar.state).total, E0, 1e-8 * 1000);
}

// 200 kg/m^3, 1 x 0.4 x 0.05 m: 4 kg, m (a^2 + b^2)/12.
TEST(PlaneBodies, FromAMeshOfTriangles) {
  for (const char* element : {"tri3", "tri6"}) {
    const Motion meshed(
        "time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n[[material]]\nname = 'wood'\nkind = "
        "'neo_hookean'\nyoung = 1e9\npoisson = 0.3\ndensity = 200\n" +
        body_text("plate",
                  "material = 'wood'\nthickness = 0.05\nmesh = { kind = 'rectangle', size = [1, 0.4], cells "
                  "= [3, 2], corner = [2, 3], element = '" +
                      std::string(element) + "' }\n"));
    const RigidShape& shape = *meshed.model.body("plate").rigid;
    EXPECT_NEAR(shape.mass, 4, rounding);
    EXPECT_NEAR(shape.center[0], 2.5, rounding);
    EXPECT_NEAR(shape.center[1], 3.2, rounding);
    EXPECT_NEAR(shape.inertia[8], 4 * 1.16 / 12, 100 * rounding);
  }
}

// Drawn as the uniform square of its inertia, J = m side^2 / 6, wherever it is.
TEST(PlaneBodies, AreDrawnAsSquares) {
  Motion free("time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n" +
              body_text("a",
                        "mass = 2\ninertia = 0.3\ncenter = [0.7, -0.2]\ninitial = { velocity = [1, 0], "
                        "angular_velocity = 2 }\n"));
  free.advance(1);
  const Drawing drawing = draw(free.model);
  EXPECT_EQ(drawing.dimension, 2);
  ASSERT_EQ(drawing.drawables.size(), 1u);
  EXPECT_EQ(drawing.drawables[0].triangles.size(), 6u);
  const std::vector<float> x = drawn_positions(drawing, free.state.q);
  ASSERT_EQ(x.size(), 12u);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(std::hypot(x[3 * k] - 1.7, x[3 * k + 1] + 0.2), std::sqrt(3 * 0.3 / 2), 1e-6);  // half a diagonal
}

TEST(PlaneBodies, FromCpp) {
  Assembly assembly;
  Rigid bar{.mass = 2, .inertia = diagonal_inertia({0, 0, 0.3}), .center = {0.5, 0}};
  bar.initial = {.velocity = {0, 1}, .angular_velocity = {0, 0, 2}};
  add(assembly, bar, "bar");
  add(assembly, Revolute{.bodies = {"ground", "bar"}, .point = {0, 0}}, "pin");
  const Model model = assembly.model();
  EXPECT_EQ(model.dimension(), 2);
  EXPECT_EQ(model.constraint_count(), 3 + 2);
  EXPECT_NEAR(energy(model, assembly.start(model)).total, 0.5 * (0.3 + 2 * 0.25) * 4, rounding);
  EXPECT_THROW(add(assembly, Rigid{.mass = 1, .inertia = diagonal_inertia({1, 1, 1})}, "in space"), AssemblyError);
}

// --- what is refused -------------------------------------------------------------------------------------------------

TEST(PlaneBodies, RefuseWhatIsOfSpace) {
  const auto refusal = [](const std::string& body, const std::string& more = "") {
    try {
      Motion(std::string("time = { end = 1 }\nintegrator = { kind = 'rattle', step = 0.01 }\n") + more +
             body_text("a", body));
      return std::string("accepted");
    } catch (const SceneError& error) {
      return std::string(error.what());
    }
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const std::string fine = "mass = 1\ninertia = 0.1\ncenter = [0, 0]\n";
  EXPECT_EQ(refusal(fine), "accepted");
  has(refusal("mass = 1\ninertia = [1, 1, 1]\ncenter = [0, 0]\n"), "one moment of inertia");
  has(refusal("mass = 1\ninertia = 0.1\ncenter = [0, 0, 0]\n"), "3 moments of inertia");
  has(refusal("mass = 1\ninertia = 0\ncenter = [0, 0]\n"), "must be positive");
  has(refusal(fine + "thickness = 2\n"), "thickness");
  has(refusal(fine + "initial = { angular_velocity = [0, 0, 1] }\n"), "expected 1 number for a body in the plane");
  has(refusal(fine + "initial = { velocity = [0, 0, 1] }\n"), "expected 2 numbers for a body in the plane");
  const std::string pin = "bodies = ['ground', 'a'], point = [0, 0]";
  has(refusal(fine, "constraint = [{ kind = 'revolute', axis = [1, 0, 0], " + pin + " }]\n"), "about z");
  EXPECT_EQ(refusal(fine, "constraint = [{ kind = 'revolute', axis = [0, 0, 1], " + pin + " }]\n"), "accepted");
  has(refusal(fine, "constraint = [{ kind = 'prismatic', axis = [1, 0, 0], " + pin + " }]\n"), "2 components");
  has(refusal(fine, "constraint = [{ kind = 'prismatic', axis = [0, 0], " + pin + " }]\n"), "has no length");
  has(refusal(fine, "constraint = [{ kind = 'cylindrical', axis = [1, 0, 0], " + pin + " }]\n"), "for bodies in space");
  has(refusal(fine, "constraint = [{ kind = 'universal', axis = [1, 0, 0], second_axis = [0, 1, 0], " + pin + " }]\n"),
      "for bodies in space");
  has(refusal(fine,
              "constraint = [{ kind = 'point_on_surface', bodies = ['ground', 'a'], surface = 'plane', center = "
              "[0, 0], point = [0, 0], axis = [0, 0, 1] }]\n"),
      "the normal lies in it");
  has(refusal(fine,
              "constraint = [{ kind = 'point_on_surface', bodies = ['ground', 'a'], surface = 'cylinder', center "
              "= [1, 0], point = [0, 0], axis = [1, 0, 0], radius = 1 }]\n"),
      "use surface = \"sphere\"");
  has(refusal("mass = 1\ninertia = [1, 1, 1]\ncenter = [0, 0, 0]\n",
              "constraint = [{ kind = 'revolute', bodies = ['ground', 'a'], point = [0, 0, 0] }]\n"),
      "is missing");
}

}  // namespace
}  // namespace livens
