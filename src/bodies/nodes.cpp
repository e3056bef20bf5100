#include "bodies/nodes.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "records/values.hpp"

namespace livens {
namespace {

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

}  // namespace

void check_new_body(const Assembly& assembly, const std::string& name, int dimension, const std::string& key) {
  if (assembly.body_index(name) >= 0) throw AssemblyError("", "there is a body '" + name + "' already");
  if (assembly.parts.bodies.empty()) return;
  // Coordinates of nodes come in blocks, one per node, starting at the first.
  if (assembly.parts.bodies.back().dimension == 0)
    throw AssemblyError("", "bodies come first, then the system in generalised coordinates");
  if (assembly.dimension() == dimension) return;
  const Body& first = assembly.parts.bodies.front();
  throw AssemblyError(key, "is of " + std::to_string(dimension) + " dimensions, but '" + first.name + "' is of " +
                               std::to_string(first.dimension) + "; all bodies share one space");
}

PositionFunction position_function(const Settings& initial, const std::string& key, int dimension) {
  if (!initial.given(key)) return {};
  const auto& functions = initial.functions.at(key);
  if (static_cast<int>(functions.size()) != dimension)
    initial.refuse(key,
                   "expected " + std::to_string(dimension) + " components, found " + std::to_string(functions.size()));
  return [functions](const Vec3& X) {
    Vec3 value{};
    for (std::size_t c = 0; c < functions.size(); ++c) value[c] = functions[c](X);
    return value;
  };
}

void evaluate(const PositionFunction& function, const std::string& key, const Body& body, std::vector<double>& out) {
  for (int a = 0; function && a < body.nodes; ++a) {
    Vec3 X{};
    for (int c = 0; c < body.dimension; ++c) X[c] = body.reference[a * body.dimension + c];
    const Vec3 value = function(X);
    for (int c = 0; c < body.dimension; ++c) {
      if (!std::isfinite(value[c])) throw AssemblyError(key, "is not finite at node " + std::to_string(a));
      out[body.first + a * body.dimension + c] = value[c];
    }
  }
}

void take_second_positions(const PositionFunction& second, const Body& body, Assembly& assembly) {
  if (!second) return;
  const auto first = assembly.v.begin() + body.first;
  if (std::any_of(first, first + body.size(), [](double v) { return v != 0; }))
    throw AssemblyError("initial.second_position", "gives the velocities at the start: leave the others out.");
  std::vector<double> positions(assembly.q.size());
  evaluate(second, "initial.second_position", body, positions);
  assembly.second.resize(assembly.q.size());
  std::copy(positions.begin() + body.first, positions.begin() + body.first + body.size(),
            assembly.second.begin() + body.first);
}

Parameter second_position_key(const std::string& of) {
  return function_of(key("second_position", ValueType::functions, "m", "",
                         "instead of velocities: positions after the first step, as functions of " + of),
                     {"X", "Y", "Z"});
}

// Mass-weighted mean removed, so that the body has no net momentum from these velocities.
void add_random_velocities(const Body& body, double deviation, unsigned long seed, Assembly& assembly) {
  if (!(deviation >= 0) || !std::isfinite(deviation))
    throw AssemblyError("initial.random_velocity", "has to be at least 0 m/s, is " + shown(deviation) + ".");
  if (deviation == 0) return;
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
  for (std::size_t i = 0; i < random.size(); ++i) assembly.v[body.first + i] += random[i];
}

}  // namespace livens
