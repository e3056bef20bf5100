#include "path/path_plan.hpp"

#include <algorithm>
#include <cmath>

#include "model/system.hpp"
#include "scene/assemble.hpp"

namespace livens {
namespace {

constexpr double most_steps = 1e6;

// One table of values for all coordinates: numbers of a system by the names of its coordinates, positions of bodies by
// theirs, as functions of the reference X, Y, Z. `more`: variables besides those.
class Configuration {
 public:
  Configuration(const Model& model, const Settings& path, const std::string& key, bool complete,
                const std::vector<std::string>& more)
      : model_(model), path_(path), key_(key) {
    if (system_of(model) != nullptr)
      for (const std::string& name : model.parts().coordinates)
        keys_.push_back(function_of(livens::key(name, ValueType::function, "any", "", "where it is"), more));
    std::vector<std::string> variables = {"X", "Y", "Z"};
    variables.insert(variables.end(), more.begin(), more.end());
    for (const Body& body : model.bodies())
      if (body.dimension > 0)
        keys_.push_back(
            function_of(livens::key(body.name, ValueType::functions, "m", "", "positions of its nodes"), variables));
    if (complete)
      for (Parameter& parameter : keys_) parameter.required = true;
    given_ = read_nested(path, key, keys_);
    check_lengths();
  }

  // q at the time `t`, for what the table names; the rest stays.
  void put(double t, Vector q) const {
    for (const Body& body : model_.bodies()) {
      const auto functions = given_.functions.find(body.name);
      if (body.dimension == 0) {
        put_system(body, t, q);
      } else if (functions != given_.functions.end()) {
        put_nodes(body, functions->second, t, q);
      }
    }
  }

 private:
  void check_lengths() const {
    for (const Body& body : model_.bodies()) {
      const auto functions = given_.functions.find(body.name);
      if (body.dimension == 0 || functions == given_.functions.end()) continue;
      if (functions->second.size() != static_cast<std::size_t>(body.dimension))
        given_.refuse(body.name, "expected " + std::to_string(body.dimension) + " components, found " +
                                     std::to_string(functions->second.size()) + ".");
    }
  }

  void put_system(const Body& system, double t, Vector q) const {
    const auto& names = model_.parts().coordinates;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto function = given_.functions.find(names[i]);
      if (function != given_.functions.end())
        q[system.first + i] = finite(function->second.front()(std::span<const double>(&t, 1)), names[i]);
    }
  }

  void put_nodes(const Body& body, const std::vector<Function>& functions, double t, Vector q) const {
    const auto d = static_cast<std::size_t>(body.dimension);
    for (std::size_t a = 0; a < static_cast<std::size_t>(body.nodes); ++a) {
      double x[4] = {0, 0, 0, t};
      for (std::size_t c = 0; c < d; ++c) x[c] = body.reference[a * d + c];
      for (std::size_t c = 0; c < d; ++c) q[body.first + a * d + c] = finite(functions[c](x), body.name);
    }
  }

  double finite(double value, const std::string& name) const {
    if (!std::isfinite(value)) given_.refuse(name, "is not a finite number everywhere.");
    return value;
  }

  const Model& model_;
  const Settings& path_;
  std::string key_;
  std::vector<Parameter> keys_;
  Settings given_;
};

int steps_of(const Settings& path, const Setup& setup) {
  if (path.given("steps")) return static_cast<int>(path.integer("steps"));
  const double span = setup.plan.t_end - setup.plan.t_begin;
  if (!setup.plan.constant_step())
    path.refuse("steps", "is missing: the step of the integrator is not a constant that it could follow from.");
  const double count = std::round(span / *setup.plan.step(setup.plan.t_begin));
  if (count < 1 || count > most_steps)
    path.refuse("steps", "the integrator's step makes " + std::to_string(count) + " steps of the path: expected 1 to " +
                             std::to_string(static_cast<int>(most_steps)) + ".");
  return static_cast<int>(count);
}

// The times of the control points, as parts of the path.
std::vector<double> parts_of(const PathEnds& ends) {
  const std::size_t s = ends.rule.nodes.size() - 1;
  std::vector<double> parts;
  for (std::size_t point = 0; point <= s * static_cast<std::size_t>(ends.steps); ++point)
    parts.push_back((static_cast<double>(point / s) + ends.rule.nodes[point % s]) / ends.steps);
  return parts;
}

// The scene's own motion from its start, sheared so that it ends where the path does.
std::vector<double> motion(const Setup& setup, const PathEnds& ends, const Settings& path) {
  const Model& model = *setup.model;
  const auto n = static_cast<std::size_t>(model.size()), s = ends.rule.nodes.size() - 1;
  State state = setup.start;
  state.q = ends.from;
  const double h = (ends.t_end - ends.t_begin) / ends.steps;
  std::vector<std::vector<double>> nodes = {state.q};
  for (int k = 0; k < ends.steps; ++k) {
    const auto report = setup.integrator->apply_step(model, state, h);
    if (!report || !report->converged)
      path.refuse("guess", "the motion of the scene fails on the way: " + (report ? report->message : "no steps") +
                               ". Give another guess.");
    nodes.push_back(state.q);
  }
  const std::vector<double> parts = parts_of(ends);
  std::vector<double> guess(n * parts.size());
  for (std::size_t point = 0; point < parts.size(); ++point) {
    const std::size_t step = std::min(point / s, nodes.size() - 2);
    const double inside = ends.rule.nodes[point - step * s];
    for (std::size_t k = 0; k < n; ++k)
      guess[point * n + k] =
          (1 - inside) * nodes[step][k] + inside * nodes[step + 1][k] + parts[point] * (ends.to[k] - nodes.back()[k]);
  }
  return guess;
}

std::vector<double> functions_of_time(const Model& model, const PathEnds& ends, const Settings& path) {
  const Configuration guessed(model, path, "guess", false, {"t"});
  const auto n = static_cast<std::size_t>(model.size());
  const std::vector<double> parts = parts_of(ends);
  std::vector<double> guess(n * parts.size());
  for (std::size_t point = 0; point < parts.size(); ++point) {
    const Vector q = Vector(guess).subspan(point * n, n);
    for (std::size_t k = 0; k < n; ++k) q[k] = ends.from[k] + parts[point] * (ends.to[k] - ends.from[k]);
    guessed.put(ends.t_begin + parts[point] * (ends.t_end - ends.t_begin), q);
  }
  return guess;
}

std::vector<double> guess_of(const Setup& setup, const PathEnds& ends, const Settings& path) {
  if (!path.given("guess")) return {};
  const Node& node = path.node("guess");
  if (node.kind == Node::Kind::table) return functions_of_time(*setup.model, ends, path);
  if (node.text == "line") return {};
  if (node.text == "motion") return motion(setup, ends, path);
  path.refuse("guess", "expected \"line\", \"motion\" or a table of functions of t, found '" + node.text + "'.");
}

void read_ends(const Settings& path, const Setup& setup, PathEnds& ends) {
  ends.t_begin = setup.plan.t_begin;
  ends.t_end = setup.plan.t_end;
  ends.from = ends.to = setup.start.q;
  if (path.given("from")) Configuration(*setup.model, path, "from", true, {}).put(ends.t_begin, ends.from);
  Configuration(*setup.model, path, "to", true, {}).put(ends.t_end, ends.to);
}

}  // namespace

PathPlan path_plan(const ValidatedScene& scene, const Setup& setup) {
  const Entry& entry = *scene.find("path");
  const Settings& path = entry.settings;
  if (!entry.written || !path.given("to"))
    path.refuse(entry.written ? "to" : "",
                entry.written ? "is missing: where the path ends, by the names of coordinates or bodies."
                              : "the scene has no [path]. Write one with `to`, where the path ends.");
  const Entry& integrator = *scene.find("integrator");
  const IntegratorRecord& record = integrator_records().at(integrator.kind);
  const auto rule =
      record.discrete_lagrangian != nullptr ? record.discrete_lagrangian(integrator.settings) : std::nullopt;
  if (!rule)
    integrator.settings.refuse("kind",
                               "has no discrete Lagrangian, and so no action. Use " + methods_with_lagrangians() + ".");
  PathPlan plan;
  plan.ends.rule = *rule;
  plan.ends.steps = steps_of(path, setup);
  read_ends(path, setup, plan.ends);
  plan.options.guess = guess_of(setup, plan.ends, path);
  plan.options.minimise = path.text("find") == "minimum";
  const Settings& solver = scene.find("solver")->settings;
  if (solver.given("tolerance")) plan.options.tolerance = solver.number("tolerance");
  if (solver.given("max_iterations")) plan.options.max_iterations = static_cast<int>(solver.integer("max_iterations"));
  plan.eigenvalues = static_cast<int>(path.integer("eigenvalues"));
  plan.amplitude = path.number("amplitude");
  return plan;
}

}  // namespace livens
