#include "scene/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <livens/path.hpp>

#include "bodies/solid.hpp"
#include "contact/contact_barrier.hpp"
#include "forces/contact_in_layers.hpp"
#include "integrators/step_control.hpp"
#include "model/constraint_size.hpp"
#include "model/projection.hpp"
#include "model/system.hpp"
#include "scene/start_check.hpp"

namespace livens {
namespace {

using Faults = std::vector<SceneFault>;

// Does something for an entry; what it refuses is a fault at the entry's place.
template <class Add>
void attempt(const Entry& entry, Faults& faults, const Add& add) {
  try {
    add();
  } catch (const AssemblyError& error) {
    faults.push_back(entry.settings.fault(error.key, error.what()));
  } catch (const SceneError& error) {
    faults.insert(faults.end(), error.faults().begin(), error.faults().end());
  }
}

template <class R>
void add_part(const Entry& entry, const Registry<R>& registry, Assembly& assembly, Faults& faults) {
  attempt(entry, faults, [&] { registry.at(entry.kind).add(entry.settings, entry.name, assembly); });
}

void stop_at(Faults& faults) {
  if (!faults.empty()) throw SceneError(std::move(faults));
}

// Damping along springs needs them to be there.
void add_forces(const ValidatedScene& scene, Assembly& assembly, Faults& faults) {
  for (const bool late : {false, true})
    for (const Entry* entry : scene.all("force"))
      if (force_records().at(entry->kind).after_springs == late) add_part(*entry, force_records(), assembly, faults);
}

// Numbers that expressions gave and that are not finite would travel through the whole run.
void check_start(const ValidatedScene& scene, const Assembly& assembly) {
  for (std::size_t i = 0; i < assembly.q.size(); ++i)
    if (!std::isfinite(assembly.q[i]) || !std::isfinite(assembly.v[i])) {
      const Entry* entry = scene.find("system");
      const bool of_system = i >= static_cast<std::size_t>(assembly.parts.bodies.back().first);
      if (entry == nullptr || (!of_system && !scene.all("body").empty())) entry = scene.all("body").front();
      entry->settings.refuse("initial", "coordinate " + std::to_string(i) + " does not start at a finite number");
    }
}

// The system in generalised coordinates comes after the bodies.
void add_bodies(const ValidatedScene& scene, Assembly& assembly, Faults& faults) {
  for (const Entry* entry : scene.all("material"))
    attempt(*entry, faults,
            [&] { add_material(entry->settings, entry->name, material_records().at(entry->kind), assembly); });
  stop_at(faults);
  for (const Entry* body : scene.all("body")) {
    add_part(*body, body_records(), assembly, faults);
    stop_at(faults);
  }
  if (const Entry* system = scene.find("system")) add_part(*system, system_records(), assembly, faults);
  stop_at(faults);
}

void add_selections(const ValidatedScene& scene, Assembly& assembly) {
  Faults faults;
  for (const Entry* entry : scene.all("selection")) add_part(*entry, selection_records(), assembly, faults);
  stop_at(faults);
}

Assembly build(const ValidatedScene& scene) {
  Assembly assembly;
  Faults faults;
  assembly.parts.notes = scene.notes;
  if (const Entry* time = scene.find("time")) assembly.t_begin = time->settings.number("begin");
  add_bodies(scene, assembly, faults);
  add_selections(scene, assembly);
  for (const Entry* entry : scene.all("constraint")) add_part(*entry, constraint_records(), assembly, faults);
  add_forces(scene, assembly, faults);
  for (const Entry* entry : scene.all("contact")) add_part(*entry, contact_records(), assembly, faults);
  stop_at(faults);
  const Entry* method = scene.find("integrator");
  if (method != nullptr && integrator_records().at(method->kind).clocks_contact) put_contact_in_layers(assembly);
  check_start(scene, assembly);
  if (is_static(scene)) let_supports_grow(assembly);
  return assembly;
}

SolverOptions solver_options(const ValidatedScene& scene) {
  SolverOptions options;
  const Entry* entry = scene.find("solver");
  if (entry == nullptr) return options;
  const Settings& s = entry->settings;
  if (s.given("kind"))
    options.kind = s.text("kind") == "root" ? SolverOptions::Kind::root : SolverOptions::Kind::minimise;
  if (s.given("tolerance")) options.tolerance = s.number("tolerance");
  using Linear = SolverOptions::Linear;
  const std::string& linear = s.text("linear");
  if (linear == "cg") options.linear = Linear::cg;
  if (linear == "multilevel") options.linear = Linear::multilevel;
  if (linear == "direct") options.linear = Linear::direct;
  options.max_iterations = static_cast<int>(s.integer("max_iterations"));
  options.retry_halvings = static_cast<int>(s.integer("retry_halvings"));
  return options;
}

// Contact by barriers needs steps that filter their paths, or that have clocks for its layers.
std::string barrier_refusal(const IntegratorRecord& record, const Model& model) {
  for (const auto& term : model.parts().terms) {
    if (term->barrier() == nullptr) continue;
    const bool layers = term->barrier()->form() == BarrierForm::layers, clocks = record.clocks_contact;
    if (layers && clocks) continue;
    if (layers && record.keeps_apart)
      return "cannot step with contact '" + term->name() +
             "' in layers, which this model was made with for an explicit method. Use stormer_verlet or asynchronous, "
             "or make the model anew";
    if (clocks)
      return "needs contact '" + term->name() +
             "' in layers, and this model was made for implicit methods. Use energy_momentum or implicit_midpoint, or "
             "make the model anew";
    if (!record.keeps_apart)
      return "cannot keep the surfaces of contact '" + term->name() +
             "' apart: its steps do not look where they go. Use energy_momentum, stormer_verlet or asynchronous, "
             "or rule = \"penalty\" with a plane";
    if (record.keeps_held_apart) continue;
    if (model.constraint_count() > 0)
      return "keeps the surfaces of contact '" + term->name() +
             "' apart without constraints by multipliers only, and '" + model.parts().constraints.front()->name() +
             "' is one. Use energy_momentum, or enforcement = \"penalty\" and no rigid bodies";
    if (model.has_moving_supports())
      return "keeps the surfaces of contact '" + term->name() +
             "' apart if supports stand still: those that move are not filtered. Use energy_momentum, or loads in "
             "their place";
  }
  return "";
}

// Impacts at instants need steps that stop there.
std::string impacts_refusal(const IntegratorRecord& record, const Model& model) {
  for (const auto& term : model.parts().terms)
    if (term->impacts() != nullptr && !record.bounces)
      return "does not stop at the impacts of contact '" + term->name() +
             "'. Use stormer_verlet, or rattle with constraints or rigid bodies; or rule = \"barrier\" with "
             "energy_momentum";
  return "";
}

std::string refusal_of(const IntegratorRecord& record, const Settings& settings, const Model& model) {
  if (model.constraint_count() > 0 && !record.holds_constraints) {
    const bool rigid = std::any_of(model.bodies().begin(), model.bodies().end(),
                                   [](const Body& body) { return body.rigid != nullptr; });
    // Constraints of a [system] have no enforcement of their own.
    const bool written = system_of(model) != nullptr && model.parts().constraints.front()->name() == "constraints";
    return "cannot enforce constraints by multipliers, which " +
           (rigid ? std::string("rigid bodies need") : "'" + model.parts().constraints.front()->name() + "' asks for") +
           ". Use rattle, hamilton_pontryagin or energy_momentum" +
           (rigid || written ? "" : ", or enforcement = \"penalty\"");
  }
  if (const std::string refusal = barrier_refusal(record, model); !refusal.empty()) return refusal;
  if (const std::string refusal = impacts_refusal(record, model); !refusal.empty()) return refusal;
  const std::string refusal = record.refusal == nullptr ? "" : record.refusal(settings, model);
  return refusal.empty() ? step_control_refusal(record, settings, model) : refusal;
}

// Null, with a fault, if the integrator of the scene cannot run the model as the scene asks.
std::unique_ptr<Integrator> make_integrator(const ValidatedScene& scene, const Model& model, Faults& faults) {
  const Entry& entry = *scene.find("integrator");
  const IntegratorRecord& record = integrator_records().at(entry.kind);
  const SolverOptions options = solver_options(scene);
  const std::string refusal = refusal_of(record, entry.settings, model);
  if (!refusal.empty()) return faults.push_back(entry.settings.fault("kind", refusal)), nullptr;
  std::unique_ptr<Integrator> made;
  attempt(entry, faults, [&] { made = record.make(entry.settings, options, model); });
  if (made == nullptr) return made;
  const SolvePath path = made->solve_path();
  if (options.kind != SolverOptions::Kind::minimise || path.kind != SolvePath::Kind::root) return made;
  faults.push_back(scene.find("solver")->settings.fault(
      "kind", "there is nothing to minimise: " + path.reason + ". Use kind = \"root\""));
  return nullptr;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// What violations at the start are, and what they are compared with.
struct StartViolations {
  StartViolations(const Model& model, const State& state)
      : g(model.constraint_count()), rate(g.size()), size(g.size()), rate_size(g.size()) {
    std::vector<double> second(g.size()), sums(g.size());
    model.constraint_values(state.t, state.q, g);
    model.constraint_rates(state.t, state.q, state.v, rate, second);
    constraint_summands(model, state.t, state.q, size);
    SaddleSystem(model, 1).row_sums(model, state.t, state.q, sums);
    const double extent = extent_of(model, state.q);
    double speed = 1e-3;
    for (const double v : state.v) speed = std::max(speed, std::abs(v));
    for (std::size_t k = 0; k < g.size(); ++k) {
      size[k] = std::max(size[k], extent * sums[k]);
      rate_size[k] = speed * std::max(1.0, sums[k]);
    }
  }
  std::vector<double> g, rate, size, rate_size;
};

void project_start(const Settings& solver, const Model& model, State& state, std::vector<SceneFault>& faults) {
  Projection projection(model);
  if (!projection.positions(model, state.t, state.q).converged)
    return faults.push_back(solver.fault(
        "project_start", "no positions near the start satisfy the constraints: they contradict each other there."));
  model.momentum(state.t, state.q, state.v, state.p);
  if (!projection.velocities(model, state.t, state.q, state.p, state.v).converged)
    faults.push_back(solver.fault("project_start", "no velocities satisfy the constraints."));
}

// Puts the start onto the constraints if the scene asks for it; a start that is off is a fault otherwise.
void hold_start(const ValidatedScene& scene, const Model& model, State& state, std::vector<SceneFault>& faults) {
  if (model.constraint_count() == 0) return;
  constexpr double consistent = 1e-9;  // of the size of a constraint, and of the velocities
  const Entry* solver = scene.find("solver");
  if (solver != nullptr && solver->settings.flag("project_start"))
    return project_start(solver->settings, model, state, faults);
  const StartViolations start(model, state);
  std::size_t first = 0;
  const std::string remedy = ". Change the start, or set solver.project_start = true to move it onto the constraints";
  for (const auto& constraint : model.parts().constraints) {
    double worst = 0, worst_rate = 0;
    bool off = false, drifts = false;
    const auto last = first + static_cast<std::size_t>(constraint->count());
    for (; first < last; ++first) {
      worst = std::max(worst, std::abs(start.g[first]));
      worst_rate = std::max(worst_rate, std::abs(start.rate[first]));
      off = off || !(std::abs(start.g[first]) <= consistent * start.size[first]);  // also if it is not a number
      drifts = drifts || std::abs(start.rate[first]) > consistent * start.rate_size[first];
    }
    const Entry* entry = scene.find("constraint", constraint->name());
    const bool of_system = constraint->name() == "constraints" && scene.find("system") != nullptr;
    if (entry == nullptr) entry = of_system ? scene.find("system") : scene.all("body").front();
    if (off)
      faults.push_back(entry->settings.fault(
          "", "the start violates constraint '" + constraint->name() + "' by " + text_of(worst) + " m" + remedy));
    else if (drifts)
      faults.push_back(entry->settings.fault("", "the velocities at the start violate constraint '" +
                                                     constraint->name() + "': it changes by " + text_of(worst_rate) +
                                                     " m/s" + remedy));
  }
}

// What the scene says of the start from two positions.
SceneFault second_fault(const ValidatedScene& scene, const std::string& message) {
  if (const Entry* system = scene.find("system"); system != nullptr && system->settings.given("second"))
    return system->settings.fault("second", message);
  for (const Entry* body : scene.all("body")) {
    const auto initial = body->settings.nodes.find("initial");
    if (initial != body->settings.nodes.end() && initial->second->find("second_position") != nullptr)
      return body->settings.fault("initial.second_position", message);
  }
  return scene.find("integrator")->settings.fault("", message);
}

// The start from two positions, coordinates without a second one moving with their velocity.
State two_positions(const ValidatedScene& scene, const Model& model, const Assembly& assembly) {
  const Entry& entry = *scene.find("integrator");
  const IntegratorRecord& record = integrator_records().at(entry.kind);
  const auto rule = record.discrete_lagrangian != nullptr ? record.discrete_lagrangian(entry.settings) : std::nullopt;
  if (!rule)
    throw SceneError({second_fault(scene, "'" + entry.kind + "' has no discrete Lagrangian of two positions, which " +
                                              "the momentum at the start follows from. Give a velocity, or use " +
                                              methods_with_lagrangians())});
  const double t = assembly.t_begin, h = entry.settings.function("step")(std::span<const double>(&t, 1));
  std::vector<double> q1(assembly.q.size());
  for (std::size_t i = 0; i < q1.size(); ++i) {
    const bool given = i < assembly.second.size() && assembly.second[i].has_value();
    q1[i] = given ? *assembly.second[i] : assembly.q[i] + h * assembly.v[i];
  }
  try {
    return start_from_positions(model, *rule, t, h, assembly.q, q1);
  } catch (const std::invalid_argument& error) {
    throw SceneError({second_fault(scene, error.what() + std::string("."))});
  }
}

State start_of(const ValidatedScene& scene, const Model& model, const Assembly& assembly) {
  if (!assembly.second.empty()) return two_positions(scene, model, assembly);
  return make_state(model, assembly.t_begin, assembly.q, assembly.v);
}

}  // namespace

std::string methods_with_lagrangians() {
  std::string names;
  for (const IntegratorRecord& record : integrator_records())
    if (record.discrete_lagrangian != nullptr) names += (names.empty() ? "" : ", ") + record.name;
  return names;
}

AssembledScene assemble(const ValidatedScene& scene, std::vector<SceneFault>& faults) {
  Assembly assembly = build(scene);
  AssembledScene result;
  result.model = std::make_shared<const Model>(std::move(assembly.parts));
  result.start = start_of(scene, *result.model, assembly);
  result.selections = std::move(assembly.selections);
  hold_start(scene, *result.model, result.start, faults);
  refuse_inverted_start(scene, *result.model, result.start, faults);
  result.integrator = make_integrator(scene, *result.model, faults);
  if (faults.empty()) refuse_no_equilibrium(scene, *result.model, result.start, faults);
  return result;
}

AssembledScene assemble(const ValidatedScene& scene) {
  Faults faults;
  AssembledScene result = assemble(scene, faults);
  stop_at(faults);
  return result;
}

std::map<std::string, NodeSet> selections_of(const ValidatedScene& scene, const Model& model) {
  Assembly assembly;
  assembly.parts.bodies = model.bodies();
  add_selections(scene, assembly);
  return std::move(assembly.selections);
}

std::unique_ptr<Integrator> make_integrator(const ValidatedScene& scene, const Model& model) {
  Faults faults;
  auto made = make_integrator(scene, model, faults);
  stop_at(faults);
  return made;
}

void check_scene(const Scene& scene) {
  Faults faults;
  const ValidatedScene valid = is_study(scene) ? validate_study(scene, faults) : validate(scene, faults);
  if (faults.empty() && !is_study(scene)) {
    try {
      assemble(valid, faults);
    } catch (const SceneError& error) {
      faults = error.faults();
    }
  }
  put_in_order(faults);
  stop_at(faults);
}

Model make_model(const Scene& scene) { return Model(build(validated(scene)).parts); }

State initial_state(const Scene& scene, const Model& model) {
  const ValidatedScene valid = validated(scene);
  const Assembly assembly = build(valid);
  State state = start_of(valid, model, assembly);
  Faults faults;
  hold_start(valid, model, state, faults);
  refuse_inverted_start(valid, model, state, faults);
  stop_at(faults);
  return state;
}

std::unique_ptr<Integrator> make_integrator(const Scene& scene, const Model& model) {
  return make_integrator(validated(scene), model);
}

std::unique_ptr<Integrator> make_integrator(const std::string& inline_table, const Model& model) {
  const Settings settings = integrator_settings(inline_table);
  const IntegratorRecord& record = integrator_records().at(settings.text("kind"));
  const std::string refusal = refusal_of(record, settings, model);
  if (!refusal.empty()) throw SceneError({settings.fault("kind", refusal)});
  try {
    return record.make(settings, SolverOptions{}, model);
  } catch (const AssemblyError& error) {
    throw SceneError({settings.fault(error.key, error.what())});
  }
}

DiscreteLagrangian discrete_lagrangian(const std::string& inline_table) {
  const Settings settings = integrator_settings(inline_table);
  const IntegratorRecord& record = integrator_records().at(settings.text("kind"));
  const auto rule = record.discrete_lagrangian != nullptr ? record.discrete_lagrangian(settings) : std::nullopt;
  if (rule) return *rule;
  throw SceneError({settings.fault("kind", "has no discrete Lagrangian. Use " + methods_with_lagrangians())});
}

}  // namespace livens
