// Particles: point masses in 1, 2 or 3 dimensions.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "bodies/layouts.hpp"
#include "bodies/nodes.hpp"
#include "math/expression.hpp"
#include "records/read.hpp"

namespace livens {
namespace {

std::vector<Parameter> initial_keys() {
  Parameter velocities = key("velocities", ValueType::table, "m/s", "", "list of velocities, one per particle");
  velocities.choices = {"list"};
  return {
      function_of(key("position", ValueType::functions, "m", "", "positions as functions of the layout's X, Y, Z"),
                  {"X", "Y", "Z"}),
      function_of(key("velocity", ValueType::functions, "m/s", "", "velocities as functions of X, Y, Z"),
                  {"X", "Y", "Z"}),
      velocities,
      bounded(number_key("random_velocity", "m/s", "0", "standard deviation of each component; no net momentum"), 0),
      bounded(key("seed", ValueType::integer, "-", "0", "of the random velocities"), 0, 9e15),
  };
}

// Standard normal numbers that are the same on every platform (Box-Muller on a Mersenne twister).
class NormalNumbers {
 public:
  explicit NormalNumbers(unsigned long seed) : engine_(seed) {}
  double operator()() {
    const double u = uniform(), w = uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * w);
  }

 private:
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  std::mt19937_64 engine_;
};

bool read_velocities(const Settings& settings, const Body& body, Assembly& assembly) {
  if (!settings.given("velocities")) return true;
  const auto rows = read_rows(settings, "velocities");
  if (static_cast<int>(rows.size()) != body.nodes || static_cast<int>(rows.front().size()) != body.dimension) {
    settings.refuse("velocities", "expected " + std::to_string(body.nodes) + " velocities of " +
                                      std::to_string(body.dimension) + " numbers");
    return false;
  }
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t c = 0; c < rows[a].size(); ++c)
      assembly.v[static_cast<std::size_t>(body.first) + a * rows[a].size() + c] = rows[a][c];
  return true;
}

// One mass for all, or one for each particle.
bool masses_of(const Settings& settings, int nodes, std::vector<double>& masses) {
  masses = settings.vector("mass");
  if (masses.size() == 1) masses.assign(nodes, masses.front());
  if (static_cast<int>(masses.size()) != nodes) {
    settings.refuse("mass", "expected one number, or one for each of the " + std::to_string(nodes) +
                                " particles, found " + std::to_string(masses.size()));
    return false;
  }
  for (const double mass : masses)
    if (!(mass > 0)) {
      settings.refuse("mass", "must be greater than 0 kg");
      return false;
    }
  return true;
}

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  const auto kind = read_nested_kind(settings, "layout", layout_records());
  const Settings initial = read_nested(settings, "initial", initial_keys());
  Layout layout;
  if (!kind.record.make(kind.settings, layout)) return;
  std::vector<double> masses;
  const int nodes = static_cast<int>(layout.positions.size()) / layout.dimension;
  if (!masses_of(settings, nodes, masses)) return;
  add_particles(name, layout, masses, assembly);
  const Body& body = assembly.parts.bodies.back();
  if (!evaluate_functions(initial, "position", body, assembly.q)) return;
  if (!evaluate_functions(initial, "velocity", body, assembly.v)) return;
  if (!read_velocities(initial, body, assembly)) return;
  const double deviation = initial.number("random_velocity");
  if (deviation > 0)
    add_random_velocities(body, deviation, static_cast<unsigned long>(initial.integer("seed")), assembly);
}

}  // namespace

bool evaluate_functions(const Settings& settings, const std::string& name, const Body& body, std::vector<double>& out) {
  if (!settings.given(name)) return true;
  const auto& functions = settings.functions.at(name);
  if (static_cast<int>(functions.size()) != body.dimension) {
    settings.refuse(
        name, "expected " + std::to_string(body.dimension) + " components, found " + std::to_string(functions.size()));
    return false;
  }
  for (int a = 0; a < body.nodes; ++a) {
    double X[3] = {0, 0, 0};
    for (int c = 0; c < body.dimension; ++c) X[c] = body.reference[a * body.dimension + c];
    for (int c = 0; c < body.dimension; ++c) {
      const double value = functions[c]->evaluate(std::span<const double>(X, 3));
      if (!std::isfinite(value)) {
        settings.refuse(name, "is not finite at node " + std::to_string(a));
        return false;
      }
      out[body.first + a * body.dimension + c] = value;
    }
  }
  return true;
}

// Mass-weighted mean removed, so that the body has no net momentum from these velocities.
void add_random_velocities(const Body& body, double deviation, unsigned long seed, Assembly& assembly) {
  NormalNumbers normal(seed);
  std::vector<double> random(body.size());
  for (double& value : random) value = deviation * normal();
  for (int c = 0; c < body.dimension; ++c) {
    double momentum = 0, mass = 0;
    for (int a = 0; a < body.nodes; ++a) {
      const double m = assembly.parts.mass.diagonal[body.first + a * body.dimension + c];
      momentum += m * random[a * body.dimension + c];
      mass += m;
    }
    for (int a = 0; a < body.nodes; ++a) random[a * body.dimension + c] -= momentum / mass;
  }
  for (std::size_t i = 0; i < random.size(); ++i) assembly.v[static_cast<std::size_t>(body.first) + i] += random[i];
}

void add_particles(const std::string& name, const Layout& layout, const std::vector<double>& masses,
                   Assembly& assembly) {
  Body body;
  body.name = name;
  body.first = static_cast<int>(assembly.q.size());
  body.dimension = layout.dimension;
  body.periodic = layout.periodic;
  body.nodes = static_cast<int>(masses.size());
  body.mass = std::accumulate(masses.begin(), masses.end(), 0.0);
  body.reference = layout.positions;
  assembly.q.insert(assembly.q.end(), layout.positions.begin(), layout.positions.end());
  assembly.v.resize(assembly.q.size(), 0.0);
  for (const double mass : masses)
    for (int c = 0; c < layout.dimension; ++c) assembly.parts.mass.diagonal.push_back(mass);
  assembly.neighbours[name] = layout.neighbours;
  assembly.parts.bodies.push_back(std::move(body));
}

BodyRecord particles_record() {
  BodyRecord record;
  record.name = "particles";
  record.brief = "point masses in 1, 2 or 3 dimensions";
  record.parameters = {
      required(key("mass", ValueType::vector, "kg", "", "of each particle: one number for all, or a list")),
      required(key("layout", ValueType::table, "-", "",
                   "where they are: kind, count, spacing, periodic; see `livens list layouts`")),
      key("initial", ValueType::table, "-", "",
          "how they start: position, velocity, velocities, random_velocity, seed")};
  record.add = add;
  return record;
}

}  // namespace livens
