// A system in generalised coordinates and bodies in one model: each moves as it does alone, and a constraint of both
// couples them as elimination by hand does.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <livens/livens.hpp>
#include <livens/probe.hpp>

#include "diagnostics/quantities.hpp"
#include "support/source_dir.hpp"

namespace livens {
namespace {

// A hinged body, a solid that is held at one end, and a chain of springs, in the plane.
const std::string bodies = R"(
[[force]]
kind = 'gravity'
acceleration = [0, -9.81]
[[material]]
name = 'm'
kind = 'neo_hookean'
young = 1e5
poisson = 0.3
density = 1000
[[body]]
name = 'bar'
kind = 'solid'
material = 'm'
mesh = { kind = 'rectangle', size = [1, 0.3], cells = [3, 1] }
[[body]]
name = 'chain'
kind = 'particles'
mass = 0.5
layout = { kind = 'points', points = [[3, 0], [3.5, 0], [4, 0.2]] }
[[force]]
kind = 'spring'
body = 'chain'
pairs = [[0, 1], [1, 2]]
stiffness = 100
[[constraint]]
kind = 'fixed'
selection = 'bar.x_min'
)";
const std::string hinged = R"(
[[body]]
name = 'arm'
kind = 'rigid'
mass = 2
inertia = 0.1
center = [-1, 0]
[[constraint]]
name = 'hinge'
kind = 'revolute'
bodies = ['ground', 'arm']
point = [-1.5, 0]
)";
const std::string oscillators = R"(
[system]
kind = 'lagrangian'
coordinates = ['u', 'w', 's']
kinetic = '(u_dot^2 + 2*w_dot^2 + s_dot^2)/2 + u_dot*w_dot/2'
potential = 'u^2 + (u - w)^2 + u^4/4'
initial = { u = 1, w = 0.3, s = 0, w_dot = -0.5, s_dot = 0.7 }
)";
const std::string double_pendulum = R"(
[system]
kind = 'lagrangian'
coordinates = ['a', 'b']
lagrangian = 'a_dot^2 + b_dot^2/2 + a_dot*b_dot*cos(a - b) + 19.62*cos(a) + 9.81*cos(b)'
dissipation = '0.05*a_dot^2'
initial = { a = 1, b = 0.5, b_dot = 0.2 }
)";

struct Advanced {
  Advanced(const std::string& method, const std::string& text, int steps = 40)
      : model(make_model(parse_scene(scene_of(method, text)))),
        state(initial_state(parse_scene(scene_of(method, text)), model)),
        integrator(make_integrator(method + ", step = 0.002", model)) {
    const StepReport report = integrator->advance(model, state, 0.002 * steps);
    EXPECT_TRUE(report.converged) << method << ": " << report.message;
  }
  static std::string scene_of(const std::string& method, const std::string& text) {
    return "time = { end = 1 }\nintegrator = { " + method + ", step = 0.002 }\n" + text;
  }
  Energy energy() const { return livens::energy(model, state); }

  Model model;
  State state;
  std::unique_ptr<Integrator> integrator;
};

// Rounding of 40 steps, each solved to rounding, for coordinates up to 4 and momenta up to 100.
constexpr double rounding = 1e-10;

void expect_both(const std::string& method, const std::string& of_nodes, const std::string& of_system) {
  const Advanced nodes(method, of_nodes), system(method, of_system), both(method, of_nodes + of_system);
  const auto n = static_cast<std::size_t>(nodes.model.size());
  ASSERT_EQ(both.model.size(), nodes.model.size() + system.model.size());
  EXPECT_EQ(both.model.dimension(), 2);
  double off = 0, moved = 0;
  const State start = initial_state(parse_scene(Advanced::scene_of(method, of_nodes + of_system)), both.model);
  for (std::size_t i = 0; i < both.state.q.size(); ++i) {
    const State& alone = i < n ? nodes.state : system.state;
    const std::size_t k = i < n ? i : i - n;
    off = std::max({off, std::abs(both.state.q[i] - alone.q[k]), std::abs(both.state.p[i] - alone.p[k]),
                    std::abs(both.state.v[i] - alone.v[k])});
    moved = std::max(moved, std::abs(both.state.q[i] - start.q[i]));
  }
  const Ledger &a = nodes.integrator->ledger(), &b = system.integrator->ledger(), &c = both.integrator->ledger();
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(c.linear_impulse[k], a.linear_impulse[k], rounding) << method;
    EXPECT_NEAR(c.angular_impulse[k], a.angular_impulse[k], rounding) << method;
  }
  const double E = nodes.energy().total + system.energy().total, difference = both.energy().total - E;
  std::printf("%-60s off %.1e, energy %.6f J off %.1e J\n", method.c_str(), off, E, difference);
  EXPECT_LT(off, rounding) << method;
  EXPECT_LT(std::abs(difference), rounding) << method;
  EXPECT_GT(moved, 0.01) << method;
  if (!b.energy_out.empty()) {
    EXPECT_NEAR(c.energy_out.back(), b.energy_out.back(), rounding) << method;
    EXPECT_GT(std::abs(b.energy_out.back()), 1e-6);
  }
}

TEST(SystemWithBodies, EachMovesAsAlone) {
  for (const char* method :
       {"kind = 'stormer_verlet'", "kind = 'implicit_midpoint'", "kind = 'symplectic_euler_a'",
        "kind = 'hamilton_pontryagin', alpha = 0.3", "kind = 'galerkin', degree = 2", "kind = 'composition', order = 4",
        "kind = 'rk4'", "kind = 'newmark'", "kind = 'implicit_euler'", "kind = 'energy_momentum'"})
    expect_both(method, bodies, oscillators);
}

TEST(SystemWithBodies, GeneralLagrangiansToo) {
  for (const char* method : {"kind = 'implicit_midpoint'", "kind = 'stormer_verlet'", "kind = 'symplectic_euler_b'",
                             "kind = 'galerkin', degree = 2", "kind = 'rk4'", "kind = 'composition', order = 4"})
    expect_both(method, bodies, double_pendulum);
}

TEST(SystemWithBodies, ConstraintsToo) {
  const std::string circle = R"(
[system]
kind = 'lagrangian'
coordinates = ['u', 'w']
kinetic = '(u_dot^2 + w_dot^2)/2'
potential = '9.81*w'
constraints = ['u^2 + w^2 - 1']
initial = { u = 1, w = 0 }
)";
  for (const char* method : {"kind = 'rattle'", "kind = 'implicit_midpoint'", "kind = 'energy_momentum'",
                             "kind = 'galerkin', degree = 2, quadrature = 'lobatto'", "kind = 'rk4'"}) {
    expect_both(method, bodies + hinged, circle);
    expect_both(method, bodies + hinged, oscillators);
    if (std::string(method) != "kind = 'energy_momentum'") expect_both(method, bodies + hinged, double_pendulum);
  }
}

// The order of a scene's tables does not matter; neither do the numbers of coordinates.
TEST(SystemWithBodies, InSpaceWithOneCoordinate) {
  const std::string one =
      "[system]\nkind = 'pendulum'\n[[body]]\nname = 'a'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', "
      "points = [[0, 0, 0], [1, 0, 0]] }\ninitial = { velocities = [[0, 1, 0], [0, -1, 0]] }\n[[force]]\nkind = "
      "'spring'\nbody = 'a'\npairs = [[0, 1]]\nstiffness = 10\n";
  const Advanced run("kind = 'implicit_midpoint'", one);
  ASSERT_EQ(run.model.size(), 7);
  EXPECT_EQ(run.model.bodies().back().name, "system");
  const Advanced alone("kind = 'implicit_midpoint'", "[system]\nkind = 'pendulum'\n");
  EXPECT_NEAR(run.state.q[6], alone.state.q[0], rounding);
  const Momenta all = momenta(run.model, run.state.q, run.state.p);
  EXPECT_NEAR(all.angular[2], -1, rounding);
}

// --- what is seen ----------------------------------------------------------------------------------------------------

TEST(SystemWithBodies, ColumnsAndProbesOfBoth) {
  const Advanced run("kind = 'implicit_midpoint'", bodies + double_pendulum);
  Quantities quantities(run.model, {});
  std::vector<std::string> names;
  for (const Column& column : quantities.columns()) names.push_back(column.name);
  for (const std::string wanted :
       {"a", "b", "a_dot", "b_dot", "bar.kinetic", "chain.linear_momentum_x", "angular_momentum_z"})
    EXPECT_EQ(std::count(names.begin(), names.end(), wanted), 1) << wanted;
  EXPECT_EQ(std::count(names.begin(), names.end(), "system.kinetic"), 0);
  const Sample sample{run.model, run.state, StepReport{}, *run.integrator};
  quantities.begin(sample);
  const auto row = quantities.evaluate(sample);
  const auto value = [&](const std::string& name) { return row[quantities.index(name)]; };
  const auto first = static_cast<std::size_t>(run.model.bodies().back().first);
  EXPECT_EQ(value("b"), run.state.q[first + 1]);
  EXPECT_EQ(value("a_dot"), run.state.v[first]);
  EXPECT_GT(value("chain.kinetic"), 0);
  const Probe place = make_probe(run.model, "position", {.body = "system"}, "p");
  ASSERT_EQ(place.columns().size(), 2u);
  EXPECT_EQ(place.columns()[1].name, "probe.p.position_b");
  double out[2];
  place.evaluate(sample, out);
  EXPECT_EQ(out[1], run.state.q[first + 1]);
}

// --- coupling --------------------------------------------------------------------------------------------------------

// x = r theta by hand: one coordinate with the sum of the inertias.
TEST(SystemWithBodies, RackAndPinionAsByElimination) {
  const Scene scene = load_scene(source_dir() + "/scenes/multibody_rack_and_pinion.toml");
  const Model model = make_model(scene);
  State state = initial_state(scene, model);
  EXPECT_TRUE(model.parts().symmetries.empty());
  const auto integrator = make_integrator("kind = 'galerkin', degree = 4, quadrature = 'lobatto', step = 0.02", model);
  ASSERT_TRUE(integrator->advance(model, state, 5).converged);
  const Scene by_hand = parse_scene(
      "time = { end = 5 }\nintegrator = { kind = 'galerkin', degree = 5, step = 0.02 }\n[system]\nkind = "
      "'lagrangian'\ncoordinates = ['theta']\nkinetic = '(0.01 + 2*0.1^2)*theta_dot^2/2'\npotential = "
      "'-9.81*0.3*cos(theta) + 200*(0.1*theta)^2/2'\ninitial = { theta = 2 }\n");
  const Model alone = make_model(by_hand);
  State one = initial_state(by_hand, alone);
  ASSERT_TRUE(make_integrator(by_hand, alone)->advance(alone, one, 5).converged);
  EXPECT_NEAR(state.q.back(), one.q[0], 1e-8);
  EXPECT_NEAR(state.v.back(), one.v[0], 1e-7);
  EXPECT_GT(std::abs(one.q[0] - 2), 0.1) << "it moves";
}

// A cyclic coordinate keeps its momentum only as long as nothing holds it.
TEST(SystemWithBodies, CoupledCoordinatesLoseTheirSymmetries) {
  const std::string free =
      "[system]\nkind = 'lagrangian'\ncoordinates = ['a', 'b']\nkinetic = '(a_dot^2 + b_dot^2)/2'\ninitial = { a = 0, "
      "b = 0 }\n[[body]]\nname = 'p'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0]] }\n";
  const std::string coupling =
      "[[constraint]]\nkind = 'expression'\nbodies = ['system', 'p']\nends = [[0, 0]]\ng = 'x - a'\n";
  const Advanced apart("kind = 'rattle'", free), coupled("kind = 'rattle'", free + coupling);
  EXPECT_EQ(apart.model.parts().symmetries.size(), 2u);
  ASSERT_EQ(coupled.model.parts().symmetries.size(), 1u);
  EXPECT_EQ(coupled.model.parts().symmetries[0].name, "shift_b");
}

// As a penalty the coupling is a spring between rack and pinion: k_p g^2 / 2.
TEST(SystemWithBodies, PenaltyCouplesThemByASpring) {
  const std::string two =
      "[system]\nkind = 'lagrangian'\ncoordinates = ['a']\nkinetic = 'a_dot^2/2'\ninitial = { a = 0.1 }\n[[body]]\n"
      "name = 'p'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, 0]] }\n"
      "[[constraint]]\nkind = 'expression'\nbodies = ['p', 'system']\nends = [[0, 0]]\ng = 'x - a'\nenforcement = "
      "'penalty'\npenalty_stiffness = 50\n";
  const Advanced run("kind = 'galerkin', degree = 4", two, 100);
  // Reduced mass 1/2: omega^2 = 100, about the middle 0.05.
  EXPECT_NEAR(run.state.q[2], 0.05 + 0.05 * std::cos(10 * 0.2), 1e-10);
  EXPECT_NEAR(run.state.q[0], 0.05 - 0.05 * std::cos(10 * 0.2), 1e-10);
}

TEST(SystemWithBodies, RefusesWhatIsAmbiguous) {
  const auto refusal = [](const std::string& text) {
    try {
      make_model(parse_scene(Advanced::scene_of("kind = 'rattle'", text)));
      return std::string("accepted");
    } catch (const SceneError& error) {
      return std::string(error.what());
    }
  };
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const auto system = [](const std::string& name) {
    return "[system]\nkind = 'lagrangian'\ncoordinates = ['" + name + "']\nkinetic = '" + name +
           "_dot^2/2'\ninitial = { " + name + " = 0 }\n";
  };
  const auto particle = [](const std::string& name) {
    return "[[body]]\nname = '" + name +
           "'\nkind = 'particles'\nmass = 1\nlayout = { kind = 'points', points = [[0, "
           "0]] }\n";
  };
  const std::string both = "[[constraint]]\nkind = 'expression'\nbodies = ['p', 'system']\nends = [[0, 0]]\n";
  has(refusal(particle("p") + system("x") + both + "g = 'x - 1'\n"), "rename");
  has(refusal(particle("p") + system("a") +
              "[[constraint]]\nkind = 'expression'\nbodies = ['system']\nends = []\ng = "
              "'a'\n"),
      "system.constraints");
  has(refusal(particle("system") + system("a")), "a body is called 'system'");
  has(refusal(particle("p") + system("a") + "[[force]]\nkind = 'gravity'\nbody = 'system'\nacceleration = [0, 1]\n"),
      "generalised coordinates");
  EXPECT_EQ(refusal(particle("p") + system("a") + "[[force]]\nkind = 'gravity'\nacceleration = [0, 1]\n"), "accepted");
  Assembly assembly;
  add(assembly, Pendulum{});
  EXPECT_THROW(add(assembly, Particles{chain(2), {1}}, "late"), AssemblyError);
  EXPECT_THROW(add(assembly, Kepler{}), AssemblyError);
}

}  // namespace
}  // namespace livens
