// Ready-made systems: the Lagrangians that papers and courses start from, and two lattices.
#include <cmath>
#include <cstdio>

#include <livens/bodies.hpp>
#include <livens/forces.hpp>
#include <livens/systems.hpp>

#include "bodies/nodes.hpp"

namespace livens {
namespace {

std::string text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "(%.17g)", value);
  return buffer;
}

constexpr int most_masses = 10000;  // in each direction of a lattice
constexpr const char* count_range = "expected whole numbers from 2 to 10 000";

std::array<double, 2> two(const Settings& settings, const std::string& key) {
  return {settings.vector(key)[0], settings.vector(key)[1]};
}

void require_positive(const std::string& key, std::initializer_list<double> values) {
  for (const double value : values)
    if (!(value > 0)) throw AssemblyError(key, "must be greater than 0");
}

Parameter angle_key(std::string name, std::string fallback, std::string brief) {
  return number_key(std::move(name), "rad", std::move(fallback), std::move(brief));
}

}  // namespace

void add(Assembly& assembly, const Pendulum& pendulum) {
  const double m = pendulum.mass, l = pendulum.length, g = pendulum.gravity;
  require_positive("mass", {m});
  require_positive("length", {l});
  add(assembly, ExpressionLagrangian{.coordinates = {"theta"},
                                     .kinetic = text(m * l * l) + "*theta_dot^2/2",
                                     .potential = text(m * g * l) + "*(1 - cos(theta))",
                                     .q = {pendulum.angle},
                                     .v = {pendulum.angular_velocity}});
}

void add(Assembly& assembly, const DoublePendulum& pendulum) {
  const auto &m = pendulum.masses, &l = pendulum.lengths;
  const double g = pendulum.gravity;
  require_positive("masses", {m[0], m[1]});
  require_positive("lengths", {l[0], l[1]});
  add(assembly,
      ExpressionLagrangian{
          .coordinates = {"a", "b"},
          .kinetic = text((m[0] + m[1]) * l[0] * l[0]) + "*a_dot^2/2 + " + text(m[1] * l[1] * l[1]) + "*b_dot^2/2 + " +
                     text(m[1] * l[0] * l[1]) + "*a_dot*b_dot*cos(a - b)",
          .potential = text((m[0] + m[1]) * g * l[0]) + "*(1 - cos(a)) + " + text(m[1] * g * l[1]) + "*(1 - cos(b))",
          .q = {pendulum.angles[0], pendulum.angles[1]},
          .v = {pendulum.angular_velocities[0], pendulum.angular_velocities[1]}});
}

void add(Assembly& assembly, const Kepler& kepler) {
  const double k = kepler.strength, e = kepler.eccentricity;
  require_positive("strength", {k});
  if (!(e >= 0 && e <= 0.999)) throw AssemblyError("eccentricity", "has to be between 0 and 0.999");
  add(assembly, ExpressionLagrangian{.coordinates = {"x", "y"},
                                     .kinetic = "(x_dot^2 + y_dot^2)/2",
                                     .potential = "-" + text(k) + "/sqrt(x^2 + y^2)",
                                     .symmetries = {{"rotation", {{"x", "-y"}, {"y", "x"}}}},
                                     .q = {1 - e, 0},
                                     .v = {0, std::sqrt(k * (1 + e) / (1 - e))}});
}

void add(Assembly& assembly, const HenonHeiles& system) {
  add(assembly, ExpressionLagrangian{.coordinates = {"x", "y"},
                                     .kinetic = "(x_dot^2 + y_dot^2)/2",
                                     .potential = "(x^2 + y^2)/2 + x^2*y - y^3/3",
                                     .q = {system.position[0], system.position[1]},
                                     .v = {system.velocity[0], system.velocity[1]}});
}

SystemRecord pendulum_record() {
  SystemRecord record;
  record.name = "pendulum";
  record.brief = "plane pendulum; with the defaults q'' = -sin q";
  record.citation = "S15";
  record.parameters = {
      positive(number_key("mass", "kg", "1", "of the bob")), positive(number_key("length", "m", "1", "of the rod")),
      bounded(number_key("gravity", "m/s^2", "1", "acceleration of free fall"), 0),
      angle_key("angle", "pi/4", "at the start"), number_key("angular_velocity", "rad/s", "0", "at the start")};
  record.add = [](const Settings& s, const std::string&, Assembly& assembly) {
    add(assembly, Pendulum{s.number("mass"), s.number("length"), s.number("gravity"), s.number("angle"),
                           s.number("angular_velocity")});
  };
  return record;
}

SystemRecord double_pendulum_record() {
  SystemRecord record;
  record.name = "double_pendulum";
  record.brief = "two rods in angles from the vertical: a mass matrix that depends on the configuration";
  record.parameters = {of_length(key("masses", ValueType::vector, "kg", "[1, 1]", "of the bobs"), {2}),
                       of_length(key("lengths", ValueType::vector, "m", "[1, 1]", "of the rods"), {2}),
                       bounded(number_key("gravity", "m/s^2", "9.81", "acceleration of free fall"), 0),
                       of_length(key("angles", ValueType::vector, "rad", "[1.2, 0.6]", "at the start"), {2}),
                       of_length(key("angular_velocities", ValueType::vector, "rad/s", "[0, 0]", "at the start"), {2})};
  record.add = [](const Settings& s, const std::string&, Assembly& assembly) {
    add(assembly, DoublePendulum{two(s, "masses"), two(s, "lengths"), s.number("gravity"), two(s, "angles"),
                                 two(s, "angular_velocities")});
  };
  return record;
}

SystemRecord kepler_record() {
  SystemRecord record;
  record.name = "kepler";
  record.brief = "a planet around a fixed sun, in the plane, from perihelion on an orbit with semi-axis 1";
  record.parameters = {positive(number_key("strength", "m^3/s^2", "1", "G times the mass of the sun")),
                       bounded(number_key("eccentricity", "-", "0.5", "of the orbit"), 0, 0.999)};
  record.add = [](const Settings& s, const std::string&, Assembly& assembly) {
    add(assembly, Kepler{s.number("strength"), s.number("eccentricity")});
  };
  return record;
}

SystemRecord henon_heiles_record() {
  SystemRecord record;
  record.name = "henon_heiles";
  record.brief = "the Henon-Heiles system: regular and chaotic orbits in one potential";
  record.citation = "Henon and Heiles 1964";
  record.parameters = {of_length(key("position", ValueType::vector, "m", "[0.1, 0.2]", "at the start"), {2}),
                       of_length(key("velocity", ValueType::vector, "m/s", "[0.3, 0.25]", "at the start"), {2})};
  record.add = [](const Settings& s, const std::string&, Assembly& assembly) {
    add(assembly, HenonHeiles{two(s, "position"), two(s, "velocity")});
  };
  return record;
}

namespace {

// A periodic triangular lattice of springs with random velocities.
void add_lattice(const HarmonicLattice& lattice, const Springs& springs, Assembly& assembly) {
  for (const int count : lattice.count)
    if (count < 2 || count > most_masses) throw AssemblyError("count", count_range);
  require_positive("mass", {lattice.mass});
  require_positive("stiffness", {lattice.stiffness});
  const Layout layout = triangular_lattice(lattice.count, lattice.spacing, true);
  add(assembly, Particles{layout, {lattice.mass}, {.random_velocity = lattice.random_velocity, .seed = lattice.seed}},
      "lattice");
  add(assembly, springs, "springs");
}

HarmonicLattice read_lattice(const Settings& s) {
  const auto& count = s.vector("count");
  for (const double one : count)
    if (one != std::floor(one) || one < 2 || one > most_masses) s.refuse("count", count_range);
  return {{static_cast<int>(count[0]), static_cast<int>(count[1])},
          s.number("spacing"),
          s.number("mass"),
          s.number("stiffness"),
          s.number("random_velocity"),
          static_cast<unsigned long>(s.integer("seed"))};
}

std::vector<Parameter> lattice_keys() {
  return {of_length(key("count", ValueType::vector, "-", "[10, 10]", "masses in each direction"), {2}),
          positive(number_key("spacing", "m", "1", "distance between neighbours")),
          positive(number_key("mass", "kg", "1", "of each")),
          positive(number_key("stiffness", "N/m", "1", "of the springs")),
          bounded(number_key("random_velocity", "m/s", "0.1", "standard deviation of each component at the start"), 0),
          bounded(key("seed", ValueType::integer, "-", "1", "of the random velocities"), 0, 9e15)};
}

}  // namespace

void add(Assembly& assembly, const HarmonicLattice& lattice) {
  add_lattice(lattice, {.stiffness = lattice.stiffness, .linearised = true}, assembly);
}

void add(Assembly& assembly, const AnharmonicLattice& given) {
  add_lattice(given.lattice, {.stiffness = given.lattice.stiffness, .quartic = given.quartic}, assembly);
}

SystemRecord harmonic_lattice_record() {
  SystemRecord record;
  record.name = "harmonic_lattice";
  record.brief = "periodic triangular lattice of springs, linearised about its rest shape";
  record.citation = "L04 Fig. 2";
  record.parameters = lattice_keys();
  record.add = [](const Settings& s, const std::string&, Assembly& assembly) { add(assembly, read_lattice(s)); };
  return record;
}

SystemRecord anharmonic_lattice_record() {
  SystemRecord record;
  record.name = "anharmonic_lattice";
  record.brief = "periodic triangular lattice of springs k/2 e^2 + q/4 e^4";
  record.citation = "L04 Fig. 1";
  record.parameters = lattice_keys();
  record.parameters.push_back(number_key("quartic", "N/m^3", "1", "q of the springs"));
  record.add = [](const Settings& s, const std::string&, Assembly& assembly) {
    add(assembly, AnharmonicLattice{read_lattice(s), s.number("quartic")});
  };
  return record;
}

}  // namespace livens
