// Every probe gives the number that statics, kinematics or one line of algebra give for its examples. A probe without
// an example fails.
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include <livens/probe.hpp>

#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;

// Numbers of order 1 to 100 after a few sums and at most one solve.
constexpr double rounding = 1e-10;

enum class At { start, end };

struct Example {
  const char* scene;  // that has a probe named p
  const char* probe;  // its other keys
  struct Value {
    const char* column;  // after the name of the quantity: "", "_x", ...
    double expected;
  };
  std::vector<Value> values;
  At at = At::start;
};

// Two particles of 2 and 3 kg in the plane, moved and under way, another of 1 kg, and gravity.
const char* const particles = R"(
time = { end = 0.1 }
integrator = { kind = 'stormer_verlet', step = 0.1 }
[[force]]
kind = 'gravity'
acceleration = [0, -10]
[[body]]
name = 'pair'
kind = 'particles'
mass = [2, 3]
layout = { kind = 'points', points = [[1, 2], [4, 6]] }
initial = { position = ['X + Y/4', 'Y - 1/2'], velocity = ['X', '-Y/2'] }
[[body]]
name = 'one'
kind = 'particles'
mass = 1
layout = { kind = 'points', points = [[0, 1]] }
initial = { velocity = ['2', '0'] }
)";
const char* const second_of_pair = "body = 'pair', point = [4, 6]";

// 2 kg from rest.
const char* const falling = R"(
time = { end = 1 }
integrator = { kind = 'stormer_verlet', step = 0.1 }
[[force]]
kind = 'gravity'
acceleration = [0, -10]
[[body]]
name = 'stone'
kind = 'particles'
mass = 2
layout = { kind = 'points', points = [[0, 0]] }
)";

// 1 and 3 kg on a spring, one of which moves: of 2 J the whole has P^2/(2 M) = 0.5 J.
const char* const drifting = R"(
time = { end = 0.1 }
integrator = { kind = 'stormer_verlet', step = 0.1 }
[[body]]
name = 'pair'
kind = 'particles'
mass = [1, 3]
layout = { kind = 'points', points = [[0, 0], [1, 0]] }
initial = { velocities = [[0, 2], [0, 0]] }
[[force]]
kind = 'spring'
pairs = [[0, 1]]
stiffness = 5
)";

// m = 2, k = 8, x = 0.6, v = 0.8: H = 2.08.
const char* const oscillator = R"(
time = { end = 0.1 }
integrator = { kind = 'stormer_verlet', step = 0.1 }
[system]
kind = 'lagrangian'
coordinates = ['x']
kinetic = 'x_dot^2'
potential = '4*x^2'
initial = { x = 0.6, x_dot = 0.8 }
)";

// 2 m^3 of E = 1000 Pa without lateral contraction, grad u = [[0.1, 0.2], [0, 0]]: e = [[0.1, 0.1], [0.1, 0]],
// w = E/2 |e|^2 = 15 J/m^3.
const char* const sheared_box = R"(
time = { end = 1e-4 }
integrator = { kind = 'stormer_verlet', step = 1e-4 }
[[material]]
name = 'cork'
kind = 'linear'
density = 1
young = 1000
poisson = 0
[[body]]
name = 'box'
kind = 'solid'
material = 'cork'
mesh = { kind = 'box', size = [2, 1, 1], cells = [2, 1, 1] }
initial = { position = ['1.1*X + 0.2*Y', 'Y', 'Z'] }
[[body]]
name = 'other'
kind = 'solid'
material = 'cork'
mesh = { kind = 'box', size = [1, 1, 1], cells = [1, 1, 1], corner = [5, 0, 0] }
initial = { position = ['1.3*X', 'Y', 'Z'] }
)";

// Planes X = 0, 1, 2 go to 0, 0.95, 1.8: the cells have J = 0.95 and 0.85.
const char* const compressed_box = R"(
time = { end = 1e-4 }
integrator = { kind = 'stormer_verlet', step = 1e-4 }
[[material]]
name = 'cork'
kind = 'linear'
density = 1
young = 1000
poisson = 0
[[body]]
name = 'box'
kind = 'solid'
material = 'cork'
mesh = { kind = 'box', size = [2, 1, 1], cells = [2, 1, 1] }
initial = { position = ['X - X^2/20', 'Y', 'Z'] }
)";

// 30 N of weight and a load of (2, -3) N on the right one of two particles 2 m apart, that are held.
const char* const held = R"(
time = { end = 0.1 }
integrator = { kind = 'stormer_verlet', step = 0.1 }
[[body]]
name = 'pair'
kind = 'particles'
mass = 1.5
layout = { kind = 'points', points = [[0, 1], [2, 1]] }
[[selection]]
name = 'right'
kind = 'nearest'
body = 'pair'
point = [2, 1]
[[constraint]]
name = 'clamp'
kind = 'fixed'
selection = 'pair.all'
[[force]]
name = 'weight'
kind = 'gravity'
acceleration = [0, -10]
[[force]]
name = 'pull'
kind = 'load'
selection = 'right'
total_force = [2, -3]
)";

// A bar of 1 m^3 and 3 kg, held at its upper end, in equilibrium under its weight of 30 N.
const char* const hanging = R"(
time = { end = 1 }
integrator = { kind = 'static', load_steps = 1 }
[[material]]
name = 'rubber'
kind = 'neo_hookean'
density = 3
young = 1e4
poisson = 0.3
[[body]]
name = 'bar'
kind = 'solid'
material = 'rubber'
mesh = { kind = 'box', size = [1, 1, 1], cells = [1, 1, 2] }
[[constraint]]
name = 'clamp'
kind = 'fixed'
selection = 'bar.z_max'
[[force]]
kind = 'gravity'
acceleration = [0, 0, -10]
)";

// A hinge along x in the origin carries 2 kg whose centre is at x = 3 m. The weight (0, 0, -20) N has the moment
// (3, 0, 0) x (0, 0, -20) = (0, 60, 0) N m about the hinge; nothing moves, so the hinge gives the opposite.
const char* const hinge = R"(
time = { end = 0.01 }
integrator = { kind = 'rattle', step = 0.01 }
[[body]]
name = 'arm'
kind = 'rigid'
mass = 2
inertia = [0.3, 0.4, 0.5]
center = [3, 0, 0]
[[constraint]]
name = 'hinge'
kind = 'revolute'
bodies = ['ground', 'arm']
point = [0, 0, 0]
axis = [1, 0, 0]
[[force]]
kind = 'gravity'
acceleration = [0, 0, -10]
)";

// 2 kg lie on g = 2 z = 0: -(dg/dq)'lambda = -2 lambda carries the 20 N.
const char* const table = R"(
time = { end = 0.01 }
integrator = { kind = 'rattle', step = 0.01 }
[[body]]
name = 'stone'
kind = 'particles'
mass = 2
layout = { kind = 'points', points = [[0.5, 0, 0]] }
[[constraint]]
name = 'table'
kind = 'expression'
bodies = ['stone']
ends = [[0.5, 0, 0]]
g = '2*z'
[[force]]
kind = 'gravity'
acceleration = [0, 0, -10]
)";

const char* const spinning = R"(
time = { end = 0.001 }
integrator = { kind = 'rattle', step = 0.001 }
[[body]]
name = 'top'
kind = 'rigid'
mass = 2
inertia = [0.3, 0.4, 0.5]
center = [3, 1, 0]
initial = { velocity = [0.5, 0, 0], angular_velocity = [1, -2, 3] }
)";

// 0.2 and 0.1 m deep in the ground, and one above: k (d - s/2) = 100 N/m (0.2 - 0.005 + 0.1 - 0.005) m.
const char* const sunk = R"(
time = { end = 1e-3 }
integrator = { kind = 'stormer_verlet', step = 1e-3 }
[[body]]
name = 'grains'
kind = 'particles'
mass = 1
layout = { kind = 'points', points = [[0, -0.2], [1, -0.1], [2, 1]] }
[[contact]]
name = 'ground'
kind = 'plane'
point = [0, 0]
normal = [0, 1]
stiffness = 100
onset = 0.01
)";

// One ball at half the distance from the ground, where the pressure on its pi r^2 is `pressure`, and one far above.
const char* const resting = R"(
time = { end = 1e-6 }
integrator = { kind = 'energy_momentum', step = 1e-6 }
[[body]]
name = 'grains'
kind = 'particles'
mass = 1
layout = { kind = 'points', points = [[0, 0, 0.11], [2, 0, 1]] }
[[contact]]
name = 'ground'
kind = 'plane'
rule = 'barrier'
point = [0, 0, 0]
normal = [0, 0, 1]
radius = 0.1
distance = 0.02
pressure = 1e4
)";
constexpr double push = 1e4 * std::numbers::pi * 0.1 * 0.1;

const std::multimap<std::string, Example>& examples() {
  static const std::multimap<std::string, Example> all = {
      {"position", {particles, second_of_pair, {{"_x", 5.5}, {"_y", 5.5}}}},
      {"position", {spinning, "point = [3, 2, 0]", {{"_x", 3}, {"_y", 2}, {"_z", 0}}}},
      {"velocity", {particles, second_of_pair, {{"_x", 4}, {"_y", -3}}}},
      // v + omega x r, r = (0, 1, 0)
      {"velocity", {spinning, "point = [3, 2, 0]", {{"_x", 0.5 - 3}, {"_y", 0}, {"_z", 1}}}},
      {"momentum", {particles, second_of_pair, {{"_x", 12}, {"_y", -9}}}},
      {"momentum", {spinning, "point = [3, 2, 0]", {{"_x", 1}, {"_y", 0}, {"_z", 0}}}},
      {"displacement", {particles, second_of_pair, {{"_x", 1.5}, {"_y", -0.5}}}},
      // 2/2 (1^2 + 1^2) + 3/2 (4^2 + 3^2) = 39.5, and 1/2 2^2 of the other
      {"kinetic_energy", {particles, "body = 'pair'", {{"", 39.5}}}},
      {"kinetic_energy", {particles, "", {{"", 41.5}}}},
      // m g y
      {"potential_energy", {particles, "", {{"", 20 * 1.5 + 30 * 5.5 + 10 * 1}}}},
      // 1/2 m g^2 t^2; the trapezoid rule adds h^2/6 to the mean of t^2
      {"heat", {falling, "", {{"", 100 * (1.0 / 3 + 0.01 / 6)}}, At::end}},
      // 2 K/(n k): six coordinates, those of the pair, and four less the two of the momentum
      {"temperature", {particles, "", {{"", 2 * 41.5 / (6 * 1.380649e-23)}}}},
      {"temperature", {particles, "body = 'pair'", {{"", 2 * 39.5 / (4 * 1.380649e-23)}}}},
      {"temperature", {drifting, "", {{"", 2 * 1.5 / (2 * 1.380649e-23)}}}},
      // twelve coordinates, six equations, three of the momentum: omega.J omega/2 is left
      {"temperature", {spinning, "", {{"", 2 * 0.5 * (0.3 + 1.6 + 4.5) / (3 * 1.380649e-23)}}}},
      {"mean_temperature", {falling, "", {{"", 100 * (1.0 / 3 + 0.01 / 6) / 1.380649e-23}}, At::end}},
      // H + h^2 (v k v/12 - (k x)^2/m/24)
      {"modified_energy", {oscillator, "", {{"", 2.08 + 0.01 * (5.12 / 12 - 11.52 / 24)}}}},
      {"strain_energy", {sheared_box, "body = 'box'", {{"", 15 * 2}}}},
      {"strain_energy", {sheared_box, "body = 'other'", {{"", 500 * 0.3 * 0.3}}}},
      {"grad_u_squared", {sheared_box, "body = 'box'", {{"", (0.1 * 0.1 + 0.2 * 0.2) * 2}}}},
      {"volume", {sheared_box, "body = 'box'", {{"", 1.1 * 2}}}},
      {"smallest_j", {compressed_box, "body = 'box'", {{"", 0.85}}}},
      {"reaction", {held, "constraint = 'clamp'", {{"_x", -2}, {"_y", 30 + 3}}}},
      {"reaction", {hanging, "constraint = 'clamp'", {{"_x", 0}, {"_y", 0}, {"_z", 30}}, At::end}},
      {"reaction", {hinge, "constraint = 'hinge'", {{"_x", 0}, {"_y", 0}, {"_z", 20}}}},
      // about (1, 1): (1, 0) x (-2, 3) of the loaded one; the weights balance
      {"moment", {held, "constraint = 'clamp'", {{"_z", 3}}}},
      {"moment", {hinge, "constraint = 'hinge'", {{"_x", 0}, {"_y", -60}, {"_z", 0}}}},
      {"multiplier", {table, "constraint = 'table'", {{"_1", -10}}}},
      {"angular_velocity", {spinning, "body = 'top'", {{"_x", 1}, {"_y", -2}, {"_z", 3}}}},
      {"contact_force", {sunk, "contact = 'ground'", {{"_x", 0}, {"_y", 29}}}},
      {"contact_force", {resting, "contact = 'ground'", {{"_x", 0}, {"_y", 0}, {"_z", push}}}},
      {"contact_force", {resting, "contact = 'ground', body = 'grains'", {{"_x", 0}, {"_y", 0}, {"_z", push}}}},
      // the centre of mass is 1 m beside it
      {"contact_moment", {resting, "contact = 'ground', body = 'grains'", {{"_x", 0}, {"_y", push}, {"_z", 0}}}},
      {"gap", {resting, "contact = 'ground'", {{"", 0.01}}}},
      {"contacts", {resting, "contact = 'ground'", {{"", 1}}}},
      {"depth", {sunk, "contact = 'ground'", {{"", 0.2}}}},
  };
  return all;
}

std::map<std::string, double> row_of_run(const std::string& scene, const std::filesystem::path& out, At at) {
  EXPECT_EQ(run_text(scene, out).status, "done");
  std::istringstream file(file_content(out / "history.csv"));
  std::string header, line, row;
  std::getline(file, header);
  while (std::getline(file, line))
    if (row.empty() || at == At::end) row = line;
  std::istringstream names(header), numbers(row);
  std::map<std::string, double> values;
  for (std::string name, number; std::getline(names, name, ',') && std::getline(numbers, number, ',');)
    if (!number.empty()) values[name] = std::stod(number);
  return values;
}

void expect_values(const std::string& quantity, const Example& example, const std::filesystem::path& out) {
  const std::string keys = example.probe, probe = "probe = [{ name = 'p', record = ['" + quantity + "']" +
                                                  (keys.empty() ? "" : ", ") + keys + " }]\n";
  const auto row = row_of_run(probe + example.scene, out, example.at);
  for (const auto& [column, expected] : example.values) {
    const auto found = row.find("probe.p." + quantity + column);
    ASSERT_NE(found, row.end()) << quantity << column;
    EXPECT_NEAR(found->second, expected, rounding * std::max(1.0, std::abs(expected))) << quantity << column;
  }
}

std::vector<std::string> probe_names() {
  std::vector<std::string> names;
  for (const ProbeRecord& record : probe_records()) names.push_back(record.name);
  return names;
}

class ProbeLaws : public ::testing::TestWithParam<std::string> {};

TEST_P(ProbeLaws, ExamplesHaveTheirValues) {
  const auto [first, last] = examples().equal_range(GetParam());
  ASSERT_NE(first, last) << "a new probe needs an example, whose value is known without it";
  int number = 0;
  for (auto example = first; example != last; ++example)
    expect_values(GetParam(), example->second, scratch() / std::to_string(++number));
}

INSTANTIATE_TEST_SUITE_P(Records, ProbeLaws, ::testing::ValuesIn(probe_names()),
                         [](const auto& one) { return one.param; });

TEST(ProbeExamples, AreThoseOfProbes) {
  const std::vector<std::string> names = probe_names();
  for (const auto& example : examples())
    EXPECT_NE(std::find(names.begin(), names.end(), example.first), names.end()) << example.first;
}

// A probe of C++ is that of a scene, and its mistakes name the key.
TEST(ProbeLaws, MakeProbeIsTheFaceOfScenes) {
  const livens::Setup setup = make_setup(parse_scene(
      std::string(particles) + "[[probe]]\nname = 'p'\nrecord = ['velocity']\n" + "body = 'pair'\npoint = [4, 6]\n",
      "pair"));
  const Probe& read = setup.plan.probes.at(0);
  const Probe made = make_probe(*setup.model, "velocity", {.body = "pair", .point = {4, 6}}, "p");
  ASSERT_EQ(made.columns().size(), read.columns().size());
  EXPECT_EQ(made.columns()[1].name, "probe.p.velocity_y");
  EXPECT_EQ(read.columns()[1].name, "probe.p.velocity_y");
  EXPECT_EQ(made.target().first, read.target().first);
  const auto key_of = [&](const std::string& quantity, const ProbePlace& place) {
    try {
      make_probe(*setup.model, quantity, place, "p");
    } catch (const AssemblyError& error) {
      return error.key;
    }
    return std::string("none");
  };
  EXPECT_EQ(key_of("velocty", {}), "record");
  EXPECT_EQ(key_of("velocity", {}), "body");
  EXPECT_EQ(key_of("velocity", {.body = "pai"}), "body");
  EXPECT_EQ(key_of("velocity", {.body = "pair"}), "point");
  EXPECT_EQ(key_of("velocity", {.body = "pair", .point = {1, 2, 3}}), "point");
  EXPECT_EQ(key_of("reaction", {}), "record");
  EXPECT_EQ(key_of("velocity", {.body = "pair", .point = {1, 2}}), "none");
}

}  // namespace
}  // namespace livens
