// Particles: point masses in 1, 2 or 3 dimensions.
#include <cmath>
#include <numeric>

#include "bodies/layouts.hpp"
#include "bodies/nodes.hpp"
#include "records/read.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

std::vector<Parameter> initial_keys_of_particles() {
  Parameter velocities = key("velocities", ValueType::table, "m/s", "", "list of velocities, one per particle");
  velocities.choices = {"list"};
  return {
      function_of(key("position", ValueType::functions, "m", "", "positions as functions of the layout's X, Y, Z"),
                  {"X", "Y", "Z"}),
      function_of(key("velocity", ValueType::functions, "m/s", "", "velocities as functions of X, Y, Z"),
                  {"X", "Y", "Z"}),
      second_position_key("the layout's X, Y, Z"),
      velocities,
      bounded(number_key("random_velocity", "m/s", "0", "standard deviation of each component; no net momentum"), 0),
      bounded(key("seed", ValueType::integer, "-", "0", "of the random velocities"), 0, 9e15),
  };
}

// One mass for all, or one for each particle.
std::vector<double> masses_of(const Particles& particles, int nodes) {
  std::vector<double> masses = particles.mass;
  if (masses.size() == 1) masses.assign(nodes, masses.front());
  if (static_cast<int>(masses.size()) != nodes)
    throw AssemblyError("mass", "expected one number, or one for each of the " + std::to_string(nodes) +
                                    " particles, found " + std::to_string(masses.size()));
  for (const double mass : masses)
    if (!(mass > 0)) throw AssemblyError("mass", "must be greater than 0 kg");
  return masses;
}

void check_layout(const Layout& layout) {
  const int d = layout.dimension;
  if (d < 1 || d > 3) throw AssemblyError("layout.dimension", "expected 1, 2 or 3");
  if (layout.positions.empty() || layout.positions.size() % d != 0)
    throw AssemblyError("layout.positions", "expected " + std::to_string(d) + " coordinates for each particle, found " +
                                                std::to_string(layout.positions.size()) + " numbers");
  for (std::size_t c = 0; c < layout.box.size(); ++c)
    if (layout.box[c] < 0 || !std::isfinite(layout.box[c]) || (layout.box[c] > 0 && static_cast<int>(c) >= d))
      throw AssemblyError("layout.box", "expected up to " + std::to_string(d) + " sides in metres, 0 or more.");
  const int nodes = static_cast<int>(layout.positions.size()) / d;
  for (const Assembly::Pair& pair : layout.neighbours)
    if (pair.i < 0 || pair.j < 0 || pair.i >= nodes || pair.j >= nodes)
      throw AssemblyError("layout.neighbours", "a pair names a particle that does not exist");
}

void start(const Particles::Start& initial, const Body& body, Assembly& assembly) {
  evaluate(initial.position, "initial.position", body, assembly.q);
  evaluate(initial.velocity, "initial.velocity", body, assembly.v);
  if (!initial.velocities.empty()) {
    if (static_cast<int>(initial.velocities.size()) != body.size())
      throw AssemblyError("initial.velocities", "expected " + std::to_string(body.nodes) + " velocities of " +
                                                    std::to_string(body.dimension) + " numbers");
    std::copy(initial.velocities.begin(), initial.velocities.end(), assembly.v.begin() + body.first);
  }
  add_random_velocities(body, initial.random_velocity, initial.seed, assembly);
  take_second_positions(initial.second, body, assembly);
}

std::vector<double> velocities_of(const Settings& initial, const Layout& layout) {
  std::vector<double> velocities;
  if (!initial.given("velocities")) return velocities;
  const auto rows = read_rows(initial, "velocities");
  const std::size_t d = layout.dimension, nodes = layout.positions.size() / d;
  if (rows.size() != nodes || rows.front().size() != d)
    initial.refuse("velocities",
                   "expected " + std::to_string(nodes) + " velocities of " + std::to_string(d) + " numbers");
  for (const auto& row : rows) velocities.insert(velocities.end(), row.begin(), row.end());
  return velocities;
}

Layout layout_of(const Settings& settings) {
  const auto kind = read_nested_kind(settings, "layout", layout_records());
  try {
    return kind.record.make(kind.settings);
  } catch (const AssemblyError& error) {
    kind.settings.refuse(error.key, error.what());
  }
}

}  // namespace

void add(Assembly& assembly, const Particles& particles, const std::string& name) {
  const Layout& layout = particles.layout;
  check_layout(layout);
  check_new_body(assembly, name, layout.dimension, "layout");
  const auto masses = masses_of(particles, static_cast<int>(layout.positions.size()) / layout.dimension);
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
  if (layout.box != Vec3{}) assembly.boxes[name] = layout.box;
  assembly.parts.bodies.push_back(std::move(body));
  start(particles.initial, assembly.parts.bodies.back(), assembly);
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
          "how they start: position, velocity, second_position, velocities, random_velocity, seed")};
  record.add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
    const auto [layout, initial] =
        read_both([&] { return layout_of(settings); },
                  [&] { return read_nested(settings, "initial", initial_keys_of_particles()); });
    Particles particles{layout, settings.vector("mass")};
    const int dimension = particles.layout.dimension;
    particles.initial.position = position_function(initial, "position", dimension);
    particles.initial.velocity = position_function(initial, "velocity", dimension);
    particles.initial.second = position_function(initial, "second_position", dimension);
    particles.initial.velocities = velocities_of(initial, particles.layout);
    particles.initial.random_velocity = initial.number("random_velocity");
    particles.initial.seed = initial.integer("seed");
    add(assembly, particles, name);
  };
  return record;
}

}  // namespace livens
