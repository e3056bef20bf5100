// Ready-made systems: the Lagrangians that papers and courses start from, and two lattices.
#include <cmath>
#include <cstdio>

#include <livens/forces.hpp>

#include "bodies/nodes.hpp"
#include "systems/lagrangian.hpp"

namespace livens {
namespace {

std::string text(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "(%.17g)", value);
  return buffer;
}

Parameter angle_key(std::string name, std::string fallback, std::string brief) {
  return number_key(std::move(name), "rad", std::move(fallback), std::move(brief));
}

}  // namespace

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
    const double m = s.number("mass"), l = s.number("length"), g = s.number("gravity");
    add_lagrangian({{"theta"},
                    text(m * l * l) + "*theta_dot^2/2",
                    text(m * g * l) + "*(1 - cos(theta))",
                    "",
                    {s.number("angle")},
                    {s.number("angular_velocity")},
                    {}},
                   assembly);
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
    const auto &m = s.vector("masses"), &l = s.vector("lengths");
    for (const auto* key_name : {"masses", "lengths"})
      for (const double value : s.vector(key_name))
        if (!(value > 0)) s.refuse(key_name, "must be greater than 0");
    const double g = s.number("gravity");
    const std::string kinetic = text((m[0] + m[1]) * l[0] * l[0]) + "*a_dot^2/2 + " + text(m[1] * l[1] * l[1]) +
                                "*b_dot^2/2 + " + text(m[1] * l[0] * l[1]) + "*a_dot*b_dot*cos(a - b)";
    const std::string potential =
        text((m[0] + m[1]) * g * l[0]) + "*(1 - cos(a)) + " + text(m[1] * g * l[1]) + "*(1 - cos(b))";
    add_lagrangian({{"a", "b"}, kinetic, potential, "", s.vector("angles"), s.vector("angular_velocities"), {}},
                   assembly);
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
    const double k = s.number("strength"), e = s.number("eccentricity");
    add_lagrangian({{"x", "y"},
                    "(x_dot^2 + y_dot^2)/2",
                    "-" + text(k) + "/sqrt(x^2 + y^2)",
                    "",
                    {1 - e, 0},
                    {0, std::sqrt(k * (1 + e) / (1 - e))},
                    {{"rotation", {"-y", "x"}}}},
                   assembly);
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
    add_lagrangian({{"x", "y"},
                    "(x_dot^2 + y_dot^2)/2",
                    "(x^2 + y^2)/2 + x^2*y - y^3/3",
                    "",
                    s.vector("position"),
                    s.vector("velocity"),
                    {}},
                   assembly);
  };
  return record;
}

namespace {

// A periodic triangular lattice of springs with random velocities.
void add_lattice(const Settings& s, const Springs& springs, Assembly& assembly) {
  const auto& counts = s.vector("count");
  for (const double count : counts)
    if (count != std::floor(count) || count < 2 || count > 10000)
      s.refuse("count", "expected whole numbers from 2 to 10 000");
  const Layout layout =
      triangular_lattice(static_cast<int>(counts[0]), static_cast<int>(counts[1]), s.number("spacing"), true);
  const std::size_t nodes = layout.positions.size() / 2;
  add_particles("lattice", layout, std::vector<double>(nodes, s.number("mass")), assembly);
  add_random_velocities(assembly.parts.bodies.back(), s.number("random_velocity"),
                        static_cast<unsigned long>(s.integer("seed")), assembly);
  add(assembly, springs, "springs");
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

SystemRecord harmonic_lattice_record() {
  SystemRecord record;
  record.name = "harmonic_lattice";
  record.brief = "periodic triangular lattice of springs, linearised about its rest shape";
  record.citation = "L04 Fig. 2";
  record.parameters = lattice_keys();
  record.add = [](const Settings& s, const std::string&, Assembly& assembly) {
    add_lattice(s, {.stiffness = s.number("stiffness"), .linearised = true}, assembly);
  };
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
    add_lattice(s, {.stiffness = s.number("stiffness"), .quartic = s.number("quartic")}, assembly);
  };
  return record;
}

}  // namespace livens
