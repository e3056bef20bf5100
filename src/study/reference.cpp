#include "study/reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "math/expression.hpp"
#include "scene/schema.hpp"
#include "scene/write_toml.hpp"

namespace livens {
namespace {

constexpr double round_off = 1e-9;  // of a step

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    if (!(d <= largest)) largest = d;  // nan stays
  }
  return largest;
}

void put(Node& table, const std::string& key, const Node& value) {
  if (Node* old = table.find(key))
    *old = value;
  else
    table.entries.emplace_back(key, value);
}

// The integrator's table with one step of length h everywhere.
Scene with_step(Scene scene, double h) {
  Node& table = *scene.root.find("integrator");
  put(table, "step", make_node(h));
  if (table.find("kind")->text == "dormand_prince")
    for (const char* key : {"shortest_step", "longest_step"}) put(table, key, make_node(h));
  return scene;
}

// Keeps the states at the asked times. Between two steps, a step of the same method from the last one leads there.
class Keeper {
 public:
  Keeper(const Scene& scene, const std::vector<double>& times, std::map<double, State>& states)
      : scene_(scene), times_(times), states_(states) {}

  void operator()(const Model& model, const State& before, const State& after) {
    const double h = after.t - before.t;
    for (; next_ < times_.size() && times_[next_] <= after.t + round_off * h; ++next_) {
      const double t = times_[next_];
      if (t <= before.t + round_off * h)
        states_.emplace(t, before);
      else if (t >= after.t - round_off * h)
        states_.emplace(t, after);
      else
        states_.emplace(t, between(model, before, t));
    }
  }

 private:
  State between(const Model& model, State state, double t) const {
    const auto integrator = make_integrator(with_step(scene_, t - state.t), model);
    integrator->advance(model, state, t);
    return state;
  }

  const Scene& scene_;
  const std::vector<double>& times_;
  std::map<double, State>& states_;
  std::size_t next_ = 0;
};

// The last of the times may lie past the end of the scene by a step of a case.
Scene prolonged(Scene scene, double t) {
  const double end = end_time(scene);
  if (t > end) put(*scene.root.find("time"), "end", make_node(t));
  return scene;
}

Measured tight_run(const Scene& scene, const std::vector<double>& times, const MeasureOptions& options,
                   std::map<double, State>& states) {
  MeasureOptions with_keeper = options;
  with_keeper.timed = false;
  const Scene longer = times.empty() ? scene : prolonged(scene, times.back());
  Keeper keeper(longer, times, states);
  with_keeper.on_step = std::ref(keeper);
  return measure(longer, with_keeper);
}

ParameterValues parameters_of(const Scene& scene) {
  std::vector<SceneFault> faults;
  return validate(scene, faults).environment->parameters;
}

class ExactSolution {
 public:
  ExactSolution(const Model& model, const std::vector<std::pair<std::string, Node>>& exact,
                const ParameterValues& parameters) {
    for (const std::string& name : model.parts().coordinates) {
      q_.push_back(find(exact, name, parameters));
      v_.push_back(find(exact, name + "_dot", parameters));
      if (!q_.back()) missing_ += (missing_.empty() ? "" : ", ") + name;
    }
    if (static_cast<int>(model.parts().coordinates.size()) != model.size()) missing_ = "coordinates that have names";
  }
  const std::string& missing() const { return missing_; }

  // Where no Q_dot is given, the derivative of Q.
  State at(const Model& model, double t) const {
    std::vector<double> q, v;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const std::array<Dual, 1> time = {Dual::variable(t)};
      const Dual value = q_[i]->evaluate<Dual>(std::span<const Dual>(time));
      q.push_back(value.value);
      v.push_back(v_[i] ? v_[i]->evaluate(std::span<const double>(&t, 1)) : value.derivative);
    }
    return make_state(model, t, std::move(q), std::move(v));
  }

 private:
  static std::optional<Expression> find(const std::vector<std::pair<std::string, Node>>& exact, const std::string& name,
                                        const ParameterValues& parameters) {
    static const std::array<std::string, 1> variables = {"t"};
    for (const auto& [key, node] : exact) {
      if (key != name) continue;
      if (node.kind != Node::Kind::text) return Expression(node.number);
      return Expression::parse(node.text, variables, parameters);
    }
    return std::nullopt;
  }

  std::vector<std::optional<Expression>> q_, v_;
  std::string missing_;
};

}  // namespace

Scene with_integrator(Scene scene, const Node& integrator) {
  put(scene.root, "integrator", integrator);
  return scene;
}

// A method that chooses its steps gets an accuracy, or a fraction of the stable step, that halves them.
std::optional<Scene> refined(Scene scene) {
  std::vector<SceneFault> faults;
  const ValidatedScene valid = validate(scene, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  const Settings& settings = valid.find("integrator")->settings;
  Node& table = *scene.root.find("integrator");
  if (settings.has("accuracy")) {
    put(table, "accuracy", make_node(settings.number("accuracy") / 32));
  } else if (const Node* step = table.find("step")) {
    const std::string text = step->kind == Node::Kind::text ? "(" + step->text + ")" : toml_value(*step);
    put(table, "step", make_node(text + "/2"));
  } else if (settings.has("courant")) {
    put(table, "courant", make_node(settings.number("courant") / 2));
  } else {
    return std::nullopt;
  }
  return scene;
}

const State* Reference::at(double t) const {
  const auto found = states.find(t);
  return found == states.end() ? nullptr : &found->second;
}

Reference tight_reference(const Scene& scene, const Node& integrator, const std::vector<double>& times,
                          const MeasureOptions& options) {
  Reference result;
  const Scene coarse = with_integrator(scene, integrator);
  std::map<double, State> check;
  try {
    const Measured first = tight_run(coarse, times, options, check);
    const std::optional<Scene> halved = refined(coarse);
    result.measured = first.ok && halved ? tight_run(*halved, times, options, result.states) : first;
    if (!halved) result.states = check;
    result.own_error_heat = std::abs(result.measured.heat - first.heat);
  } catch (const SceneError& error) {
    result.failure = error.what();
    return result;
  }
  result.ok = result.measured.ok;
  result.failure = result.measured.failure;
  for (const auto& [t, state] : result.states) {
    const auto other = check.find(t);
    if (other == check.end()) continue;
    result.own_error_q = std::max(result.own_error_q, distance(state.q, other->second.q));
    result.own_error_v = std::max(result.own_error_v, distance(state.v, other->second.v));
    result.own_error_p = std::max(result.own_error_p, distance(state.p, other->second.p));
  }
  return result;
}

Reference exact_reference(const Scene& scene, const std::vector<std::pair<std::string, Node>>& exact,
                          const std::vector<double>& times) {
  Reference result;
  result.exact = true;
  try {
    const Model model = make_model(scene);
    const ExactSolution solution(model, exact, parameters_of(scene));
    if (!solution.missing().empty()) {
      result.failure = "reference.exact lacks " + solution.missing();
      return result;
    }
    for (const double t : times) result.states.emplace(t, solution.at(model, t));
    result.ok = true;
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  return result;
}

Errors errors_of(const Measured& measured, const Reference& reference) {
  Errors e;
  if (!reference.ok || reference.states.empty()) return e;
  const State& start = reference.states.begin()->second;
  for (const State& state : measured.samples.states) {
    const State* truth = reference.at(state.t);
    if (truth == nullptr) continue;
    const bool first = e.t.empty();
    e.q_final = distance(state.q, truth->q), e.v_final = distance(state.v, truth->v),
    e.p_final = distance(state.p, truth->p);
    e.q = first ? e.q_final : std::max(e.q, e.q_final);
    e.v = first ? e.v_final : std::max(e.v, e.v_final);
    e.p = first ? e.p_final : std::max(e.p, e.p_final);
    e.scale_q = std::max(e.scale_q, distance(truth->q, start.q));
    e.scale_v = std::max(e.scale_v, distance(truth->v, start.v));
    e.t.push_back(state.t);
    e.curve.push_back(e.q_final);
  }
  return e;
}

}  // namespace livens
