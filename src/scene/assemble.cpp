#include "scene/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "bodies/solid.hpp"
#include "model/projection.hpp"

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
      if (entry == nullptr) entry = scene.all("body").front();
      entry->settings.refuse("initial", "coordinate " + std::to_string(i) + " does not start at a finite number");
    }
}

void add_bodies(const ValidatedScene& scene, Assembly& assembly, Faults& faults) {
  const Entry* system = scene.find("system");
  const auto bodies = scene.all("body");
  if (system != nullptr && !bodies.empty())
    bodies.front()->settings.refuse("", "a scene has either a system or bodies, not both");
  if (system != nullptr) add_part(*system, system_records(), assembly, faults);
  for (const Entry* entry : scene.all("material"))
    attempt(*entry, faults,
            [&] { add_material(entry->settings, entry->name, material_records().at(entry->kind), assembly); });
  stop_at(faults);
  for (const Entry* body : bodies) {
    add_part(*body, body_records(), assembly, faults);
    stop_at(faults);
  }
}

void add_selections(const ValidatedScene& scene, Assembly& assembly) {
  Faults faults;
  for (const Entry* entry : scene.all("selection")) add_part(*entry, selection_records(), assembly, faults);
  stop_at(faults);
}

Assembly build(const ValidatedScene& scene) {
  Assembly assembly;
  Faults faults;
  if (const Entry* time = scene.find("time")) assembly.t_begin = time->settings.number("begin");
  add_bodies(scene, assembly, faults);
  add_selections(scene, assembly);
  for (const Entry* entry : scene.all("constraint")) add_part(*entry, constraint_records(), assembly, faults);
  add_forces(scene, assembly, faults);
  for (const Entry* entry : scene.all("contact")) add_part(*entry, contact_records(), assembly, faults);
  stop_at(faults);
  check_start(scene, assembly);
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
  if (s.text("linear") != "auto")
    options.linear = s.text("linear") == "cg" ? SolverOptions::Linear::cg : SolverOptions::Linear::direct;
  options.max_iterations = static_cast<int>(s.integer("max_iterations"));
  options.retry_halvings = static_cast<int>(s.integer("retry_halvings"));
  return options;
}

std::string refusal_of(const IntegratorRecord& record, const Settings& settings, const Model& model) {
  if (model.constraint_count() > 0 && !record.holds_constraints) {
    const bool rigid = std::any_of(model.bodies().begin(), model.bodies().end(),
                                   [](const Body& body) { return body.rigid != nullptr; });
    return "cannot enforce constraints by multipliers, which " +
           (rigid ? std::string("rigid bodies need") : "'" + model.parts().constraints.front()->name() + "' asks for") +
           ". Use rattle, hamilton_pontryagin or energy_momentum" + (rigid ? "" : ", or enforcement = \"penalty\"");
  }
  return record.refusal == nullptr ? "" : record.refusal(settings, model);
}

// Why the integrator of a scene cannot run its model as the scene asks.
std::optional<SceneFault> integrator_fault(const ValidatedScene& scene, const Model& model) {
  const Entry& integrator = *scene.find("integrator");
  const IntegratorRecord& record = integrator_records().at(integrator.kind);
  const std::string refusal = refusal_of(record, integrator.settings, model);
  if (!refusal.empty()) return integrator.settings.fault("kind", refusal);
  const Entry* solver = scene.find("solver");
  if (solver == nullptr || !solver->settings.given("kind") || solver->settings.text("kind") != "minimise")
    return std::nullopt;
  const SolvePath path = record.make(integrator.settings, solver_options(scene), model)->solve_path();
  if (path.kind != SolvePath::Kind::root) return std::nullopt;
  return solver->settings.fault("kind", "there is nothing to minimise: " + path.reason + ". Use kind = \"root\"");
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// Puts the start onto the constraints if the scene asks for it; a start that is off is a fault otherwise.
void hold_start(const ValidatedScene& scene, const Model& model, State& state, std::vector<SceneFault>& faults) {
  if (model.constraint_count() == 0) return;
  constexpr double consistent = 1e-9;  // of the size of a constraint, and of the velocities
  const Entry* solver = scene.find("solver");
  const auto m = static_cast<std::size_t>(model.constraint_count());
  if (solver != nullptr && solver->settings.flag("project_start")) {
    Projection projection(model);
    if (!projection.positions(model, state.t, state.q).converged)
      return faults.push_back(solver->settings.fault(
          "project_start", "no positions near the start satisfy the constraints: they contradict each other there."));
    model.momentum(state.t, state.q, state.v, state.p);
    if (!projection.velocities(model, state.t, state.q, state.p, state.v).converged)
      return faults.push_back(solver->settings.fault("project_start", "no velocities satisfy the constraints."));
    return;
  }
  std::vector<double> g(m), size(m), rate(m), second(m);
  model.constraint_values(state.t, state.q, g);
  model.constraint_rates(state.t, state.q, state.v, rate, second);
  constraint_sizes(model, state.t, state.q, size);
  double speed = 0;
  for (const double v : state.v) speed = std::max(speed, std::abs(v));
  std::size_t first = 0;
  const std::string remedy = ". Change the start, or set solver.project_start = true to move it onto the constraints";
  for (const auto& constraint : model.parts().constraints) {
    double worst = 0, worst_rate = 0;
    bool off = false, drifts = false;
    const auto last = first + static_cast<std::size_t>(constraint->count());
    for (; first < last; ++first) {
      worst = std::max(worst, std::abs(g[first]));
      worst_rate = std::max(worst_rate, std::abs(rate[first]));
      off = off || !(std::abs(g[first]) <= consistent * size[first]);  // also if it is not a number
      drifts = drifts || std::abs(rate[first]) > consistent * std::max(speed, 1e-3) * std::max(1.0, size[first]);
    }
    const Entry* entry = scene.find("constraint", constraint->name());
    if (entry == nullptr) entry = scene.all("body").empty() ? scene.find("system") : scene.all("body").front();
    if (off)
      faults.push_back(entry->settings.fault(
          "", "the start violates constraint '" + constraint->name() + "' by " + text_of(worst) + " m" + remedy));
    else if (drifts)
      faults.push_back(entry->settings.fault("", "the velocities at the start violate constraint '" +
                                                     constraint->name() + "': it changes by " + text_of(worst_rate) +
                                                     " m/s" + remedy));
  }
}

}  // namespace

AssembledScene assemble(const ValidatedScene& scene) {
  Assembly assembly = build(scene);
  Model model(std::move(assembly.parts));
  State start = make_state(model, assembly.t_begin, std::move(assembly.q), std::move(assembly.v));
  Faults faults;
  hold_start(scene, model, start, faults);
  if (scene.find("integrator") != nullptr)
    if (auto fault = integrator_fault(scene, model)) faults.push_back(std::move(*fault));
  stop_at(faults);
  return {std::move(model), std::move(start), std::move(assembly.selections)};
}

std::map<std::string, NodeSet> selections_of(const ValidatedScene& scene, const Model& model) {
  Assembly assembly;
  assembly.parts.bodies = model.bodies();
  add_selections(scene, assembly);
  return std::move(assembly.selections);
}

std::unique_ptr<Integrator> make_integrator(const ValidatedScene& scene, const Model& model) {
  const Entry& entry = *scene.find("integrator");
  if (const auto fault = integrator_fault(scene, model)) throw SceneError({*fault});
  return integrator_records().at(entry.kind).make(entry.settings, solver_options(scene), model);
}

void check_scene(const Scene& scene) {
  Faults faults;
  const ValidatedScene valid = is_study(scene) ? validate_study(scene, faults) : validate(scene, faults);
  if (faults.empty() && !is_study(scene)) {
    try {
      assemble(valid);
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
  Assembly assembly = build(valid);
  State state = make_state(model, assembly.t_begin, std::move(assembly.q), std::move(assembly.v));
  Faults faults;
  hold_start(valid, model, state, faults);
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
  return record.make(settings, SolverOptions{}, model);
}

}  // namespace livens
