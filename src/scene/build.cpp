// Scene -> model, start and integrator, through the records.
#include "scene/build.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "bodies/layouts.hpp"
#include "bodies/meshes.hpp"
#include "bodies/solid.hpp"
#include "diagnostics/probes.hpp"
#include "model/projection.hpp"
#include "scene/checking.hpp"
#include "scene/schema.hpp"
#include "scene/selections.hpp"

namespace livens {
namespace {

template <class Records>
std::vector<const Record*> pointers(const Records& records) {
  std::vector<const Record*> result;
  for (const auto& record : records) result.push_back(&record);
  return result;
}

template <class Records>
const auto* find_record(const Records& records, const std::string& name) {
  const auto it = std::find_if(records.begin(), records.end(), [&](const auto& record) { return record.name == name; });
  return it == records.end() ? nullptr : &*it;
}

// What a scene has besides bodies and forces, in the order in which one needs the other.
template <class Records>
void add_entries(const ValidatedScene& scene, const std::string& section, const Records& records, Build& build) {
  for (const Entry* entry : scene.all(section))
    find_record(records, entry->kind)->add(entry->settings, entry->name, build);
}

void add_materials(const ValidatedScene& scene, Build& build) {
  for (const Entry* entry : scene.all("material"))
    add_material(entry->settings, entry->name, *find_record(scene_material_records(), entry->kind), build);
}

void add_selections(const ValidatedScene& scene, Build& build) {
  for (const Entry* entry : scene.all("selection"))
    add_selection(entry->settings, entry->name, *find_record(selection_records(), entry->kind), build);
}

// Forces that need others to be there first: damping along springs.
bool damps_springs(const std::string& kind) { return kind == "strain_damping" || kind == "rayleigh_damping"; }

void add_forces(const ValidatedScene& scene, Build& build) {
  for (const bool late : {false, true})
    for (const Entry* entry : scene.all("force"))
      if (damps_springs(entry->kind) == late)
        find_record(force_records(), entry->kind)->add(entry->settings, entry->name, build);
}

// Numbers that expressions gave and that are not finite would travel through the whole run.
void check_start(const ValidatedScene& scene, Build& build) {
  for (std::size_t i = 0; i < build.q.size(); ++i)
    if (!std::isfinite(build.q[i]) || !std::isfinite(build.v[i])) {
      const Entry* entry = scene.find("system");
      if (entry == nullptr) entry = scene.all("body").front();
      return build.fail(entry->settings, "initial",
                        "coordinate " + std::to_string(i) + " does not start at a finite number");
    }
}

bool share_one_space(const Entry& body, Build& build) {
  const auto& bodies = build.parts.bodies;
  if (bodies.back().dimension == bodies.front().dimension) return true;
  build.fail(body.settings, body.kind == "solid" ? "mesh" : "layout",
             "is of " + std::to_string(bodies.back().dimension) + " dimensions, but '" + bodies.front().name +
                 "' is of " + std::to_string(bodies.front().dimension) + "; all bodies share one space");
  return false;
}

enum class Extent { all, start_only };

Build build_model(const ValidatedScene& scene, Extent extent = Extent::all) {
  Build build;
  build.start_only = extent == Extent::start_only;
  build.parameters = scene.parameters;
  build.markers = scene.markers;
  if (const Entry* time = scene.find("time")) build.t_begin = time->settings.number("begin");
  const Entry* system = scene.find("system");
  if (system != nullptr && !scene.all("body").empty()) {
    const Entry* body = scene.all("body").front();
    build.fail(body->settings, "", "a scene has either a system or bodies, not both");
    return build;
  }
  if (system != nullptr) find_record(system_records(), system->kind)->add(system->settings, build);
  add_materials(scene, build);
  if (!build.faults.empty()) return build;
  for (const Entry* body : scene.all("body")) {
    find_record(body_records(), body->kind)->add(body->settings, body->name, build);
    if (!build.faults.empty()) return build;
    if (!share_one_space(*body, build)) return build;
  }
  if (!build.faults.empty()) return build;
  if (!build.start_only) {
    add_selections(scene, build);
    if (!build.faults.empty()) return build;
    add_entries(scene, "constraint", constraint_records(), build);
    add_forces(scene, build);
    add_entries(scene, "contact", contact_records(), build);
  }
  if (build.faults.empty()) check_start(scene, build);
  return build;
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
    return "cannot hold constraints by multipliers, which " +
           (rigid ? std::string("rigid bodies need") : "'" + model.parts().constraints.front()->name() + "' asks for") +
           ". Take rattle, hamilton_pontryagin or energy_momentum" + (rigid ? "" : ", or enforcement = \"penalty\"");
  }
  return record.refusal == nullptr ? "" : record.refusal(settings, model);
}

// Why the integrator of a scene cannot run its model as the scene asks.
std::optional<SceneFault> integrator_fault(const ValidatedScene& scene, const Model& model) {
  const Entry& integrator = *scene.find("integrator");
  const IntegratorRecord& record = *find_record(integrator_records(), integrator.kind);
  const std::string refusal = refusal_of(record, integrator.settings, model);
  if (!refusal.empty()) return integrator.settings.fault("kind", refusal);
  const Entry* solver = scene.find("solver");
  if (solver == nullptr || !solver->settings.given("kind") || solver->settings.text("kind") != "minimise")
    return std::nullopt;
  const SolvePath path = record.make(integrator.settings, solver_options(scene), model)->solve_path();
  if (path.kind != SolvePath::Kind::root) return std::nullopt;
  return solver->settings.fault("kind", "there is nothing to minimise: " + path.reason + ". Take kind = \"root\"");
}

ValidatedScene validated(const Scene& scene) {
  std::vector<SceneFault> faults;
  ValidatedScene result = validate(scene, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  return result;
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
          "", "the start is not on constraint '" + constraint->name() + "': off by " + text_of(worst) + " m" + remedy));
    else if (drifts)
      faults.push_back(entry->settings.fault("", "the velocities at the start do not keep constraint '" +
                                                     constraint->name() + "': it changes by " + text_of(worst_rate) +
                                                     " m/s" + remedy));
  }
}

void check_build(const Scene&, const ValidatedScene& scene, std::vector<SceneFault>& faults) {
  Build build = build_model(scene);
  faults.insert(faults.end(), build.faults.begin(), build.faults.end());
  if (!faults.empty()) return;
  const Model model(std::move(build.parts));
  State state = make_state(model, build.t_begin, std::move(build.q), std::move(build.v));
  hold_start(scene, model, state, faults);
  if (scene.find("integrator") == nullptr) return;
  if (auto fault = integrator_fault(scene, model)) faults.push_back(std::move(*fault));
}

}  // namespace

std::vector<int> Build::bodies_of(const Settings& settings) {
  std::vector<int> result;
  const std::string wanted = settings.given("body") ? settings.text("body") : "";
  for (std::size_t k = 0; k < parts.bodies.size(); ++k) {
    const Body& body = parts.bodies[k];
    if (!wanted.empty() && body.name != wanted) continue;
    if (body.dimension == 0) {
      fail(settings, wanted.empty() ? "kind" : "body",
           "acts on nodes, and '" + body.name +
               "' has generalised coordinates; write it into the system's "
               "potential, dissipation or forces");
      return {};
    }
    result.push_back(static_cast<int>(k));
  }
  return result;
}

const SolidBody* Build::solid_of(int body) const {
  for (const auto& solid : solids)
    if (solid->body == body) return solid.get();
  return nullptr;
}

std::vector<double> Build::row_masses() const {
  std::vector<double> sums = parts.mass.diagonal;
  for (const MassEntry& entry : parts.mass.off_diagonal) sums[entry.row] += entry.value;
  return sums;
}

bool read_rows(const Settings& settings, const std::string& key, Build& build, std::vector<std::vector<double>>& rows) {
  const Node& node = *settings.nodes.at(key);
  const auto refuse = [&](const Place& place, const std::string& message) {
    build.faults.push_back({place, settings.path + "." + key, message});
    return false;
  };
  if (node.kind != Node::Kind::array || node.items.empty())
    return refuse(node.place, "expected a list such as [[0, 0], [1, 0]]");
  for (const Node& item : node.items) {
    std::vector<double> row;
    for (const Node& number : item.items) {
      if (number.kind == Node::Kind::text) {
        try {
          row.push_back(Expression::parse(number.text, {}, build.parameters).value());
        } catch (const ExpressionError& error) {
          return refuse(number.place, error.what());
        }
      } else if (number.kind == Node::Kind::number || number.kind == Node::Kind::integer) {
        row.push_back(number.number);
      } else {
        return refuse(number.place, "expected a number");
      }
    }
    if (row.empty() || row.size() > 3) return refuse(item.place, "expected 1, 2 or 3 numbers");
    if (!rows.empty() && row.size() != rows.front().size())
      return refuse(item.place, "expected " + std::to_string(rows.front().size()) +
                                    " numbers as in the first row, found " + std::to_string(row.size()));
    rows.push_back(std::move(row));
  }
  return true;
}

std::vector<const Record*> records_of(const std::string& section) {
  if (section == "integrator") return pointers(integrator_records());
  if (section == "system") return pointers(system_records());
  if (section == "body") return pointers(body_records());
  if (section == "layout") return pointers(layout_records());
  if (section == "mesh") return pointers(mesh_records());
  if (section == "material") return pointers(scene_material_records());
  if (section == "selection") return pointers(selection_records());
  if (section == "constraint") return pointers(constraint_records());
  if (section == "contact") return pointers(contact_records());
  if (section == "force") return pointers(force_records());
  if (section == "output") return pointers(output_records());
  if (section == "probe") return pointers(probe_records());
  return {};
}

void check_scene(const Scene& scene) {
  std::vector<SceneFault> faults = faults_of(scene, check_build);
  if (!faults.empty()) throw SceneError(std::move(faults));
}

Model make_model(const Scene& scene) {
  Build build = build_model(validated(scene));
  if (!build.faults.empty()) throw SceneError(std::move(build.faults));
  return Model(std::move(build.parts));
}

State initial_state(const Scene& scene, const Model& model) {
  const ValidatedScene valid = validated(scene);
  Build build = build_model(valid, Extent::start_only);
  if (!build.faults.empty()) throw SceneError(std::move(build.faults));
  State state = make_state(model, build.t_begin, std::move(build.q), std::move(build.v));
  std::vector<SceneFault> faults;
  hold_start(valid, model, state, faults);
  if (!faults.empty()) throw SceneError(std::move(faults));
  return state;
}

std::unique_ptr<Integrator> make_integrator(const Scene& scene, const Model& model) {
  const ValidatedScene valid = validated(scene);
  const Entry& entry = *valid.find("integrator");
  const IntegratorRecord& record = *find_record(integrator_records(), entry.kind);
  if (const auto fault = integrator_fault(valid, model)) throw SceneError({*fault});
  return record.make(entry.settings, solver_options(valid), model);
}

std::unique_ptr<Integrator> make_integrator(const std::string& inline_table, const Model& model) {
  const Settings settings = integrator_settings(inline_table);
  const IntegratorRecord& record = integrator_record(settings.text("kind"));
  const std::string refusal = refusal_of(record, settings, model);
  if (!refusal.empty()) throw SceneError({settings.fault("kind", refusal)});
  return record.make(settings, SolverOptions{}, model);
}

}  // namespace livens
