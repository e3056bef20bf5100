// summary.json and failure.json.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <livens/asynchronous.hpp>
#include <livens/version.hpp>

#include "diagnostics/stiffness.hpp"
#include "run/run_facts.hpp"
#include "scene/files.hpp"

namespace livens {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* schema = "livens.summary/1";

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }
json number(const std::optional<double>& value) { return value ? number(*value) : json(nullptr); }

json series_json(const Series& series) {
  if (series.count() == 0) return nullptr;
  const Trend trend = series.late_trend();
  return {{"first", number(series.first())},
          {"last", number(series.last())},
          {"min", number(series.min())},
          {"max", number(series.max())},
          {"largest_drift", number(series.largest_drift())},
          {"late_slope", number(trend.slope)},
          {"late_slope_error", number(trend.slope_error)}};
}

json with_scale(json value, double scale) {
  if (!value.is_null()) value["scale"] = number(scale);
  return value;
}

// The same keys with lists of three.
json vector_json(const Recorder& recorder, const std::string& name) {
  json result;
  for (const char* axis : {"_x", "_y", "_z"}) {
    const json component = series_json(recorder.series(name + axis));
    if (component.is_null()) return nullptr;
    for (const auto& [key, value] : component.items()) result[key].push_back(value);
  }
  return result;
}

json settings_json(const Settings& settings) {
  json result = json::object();
  for (const auto& [key, value] : settings.values)
    std::visit([&, &name = key](const auto& held) { result[name] = held; }, value);
  for (const auto& [key, functions] : settings.functions)
    if (functions.size() == 1 && functions[0].constant()) result[key] = number(functions[0].value());
  return result;
}

json claims_json(const Claims& claims) {
  return {{"order", claims.order},
          {"symplectic", to_string(claims.symplectic)},
          {"symmetric", claims.symmetric},
          {"linear_momentum", to_string(claims.linear_momentum)},
          {"angular_momentum", to_string(claims.angular_momentum)},
          {"energy", to_string(claims.energy)},
          {"explicit_steps", claims.explicit_steps},
          {"note", claims.note}};
}

json model_json(const RunFacts& facts) {
  const Model& model = facts.model;
  long nodes = 0, elements = 0;
  double mass = 0;
  for (const Body& body : model.bodies()) {
    nodes += body.dimension > 0 ? body.nodes : 0;
    elements += body.mesh != nullptr ? body.mesh->elements() : 0;
  }
  for (const Body& body : model.bodies()) mass += body.mass;
  const auto omega = facts.recorder.omega_max();
  return {
      {"nodes", nodes},
      {"elements", elements},
      {"unknowns", model.size()},
      {"constraints", model.supported_count() + model.constraint_count()},
      {"redundant", facts.recorder.redundant()},
      {"degrees_of_freedom",
       model.size() - model.supported_count() - model.constraint_count() + facts.recorder.redundant()},
      {"mass", model.dimension() > 0 ? number(mass) : json(nullptr)},
      {"separable", model.separable()},
      {"forced", model.model_class().forced},
      {"omega_max", number(omega)},
      {"explicit_step_limit", omega ? number(explicit_step_limit(*omega, facts.plan.damping_time)) : json(nullptr)}};
}

json element_json(const std::optional<WorstElement>& worst) {
  if (!worst) return nullptr;
  return {{"body", worst->body}, {"tag", worst->tag}, {"volume_ratio", number(worst->volume_ratio)}};
}

json node_json(const std::optional<NodePlace>& node) {
  if (!node) return nullptr;
  json position = json::array();
  for (const double x : node->position) position.push_back(number(x));
  return {{"body", node->body}, {"tag", node->tag}, {"position", position}};
}

bool has_solids(const Model& model) {
  const auto& bodies = model.bodies();
  return std::any_of(bodies.begin(), bodies.end(), [](const Body& body) { return body.mesh != nullptr; });
}

json failure_object(const Failure& failure) {
  return {{"code", failure.code},
          {"message", failure.message},
          {"why", failure.why},
          {"step", failure.step},
          {"t", number(failure.t)},
          {"residual", number(failure.report.residual)},
          {"residual_scale", number(failure.report.residual_scale)},
          {"element", element_json(failure.element)},
          {"node", node_json(failure.node)},
          {"coordinate", failure.coordinate.empty() ? json(nullptr) : json(failure.coordinate)},
          {"advice", failure.advice}};
}

json warnings_json(const std::vector<Warning>& warnings) {
  json result = json::array();
  for (const Warning& w : warnings)
    result.push_back({{"code", w.code}, {"message", w.message}, {"t", number(w.t)}, {"count", w.count}});
  return result;
}

json energies_json(const RunFacts& facts) {
  json result;
  for (const char* name : {"energy", "kinetic", "potential", "discrete_energy", "energy_error"})
    result[name] = series_json(facts.recorder.series(name));
  result["energy_error"] = with_scale(result["energy_error"], energy_scale(facts.recorder, facts.model));
  return result;
}

json momenta_json(const RunFacts& facts) {
  const Quantities& quantities = facts.recorder.quantities();
  json result;
  const auto add = [&](const std::string& name, double scale) {
    result[name] = with_scale(vector_json(facts.recorder, name), scale);
    result[name + "_error"] = with_scale(series_json(facts.recorder.series(name + "_error")), scale);
  };
  add("linear_momentum", quantities.linear_scale());
  add("angular_momentum", quantities.angular_scale());
  result["symmetries"] = json::object();
  const auto& symmetries = facts.model.parts().symmetries;
  for (std::size_t k = 0; k < symmetries.size(); ++k) {
    json entry =
        with_scale(series_json(facts.recorder.series("symmetry." + symmetries[k].name)), quantities.symmetry_scale(k));
    entry["error"] = series_json(facts.recorder.series("symmetry_error." + symmetries[k].name));
    result["symmetries"][symmetries[k].name] = entry;
  }
  return result;
}

json ledger_json(const RunFacts& facts) {
  const Ledger& ledger = facts.integrator.ledger();
  json dissipated = {{"total", 0.0}, {"by_name", json::object()}}, work = dissipated;
  double taken = 0, done = ledger.time_work;
  for (std::size_t k = 0; k < facts.model.parts().forces.size(); ++k) {
    const Force& force = *facts.model.parts().forces[k];
    const bool takes = force.ledger_side() == LedgerSide::dissipated;
    // Blocks of one name are one force to the user.
    json& entry = (takes ? dissipated : work)["by_name"][force.name()];
    entry = number((entry.is_number() ? entry.get<double>() : 0.0) +
                   (takes ? ledger.energy_out[k] : 0.0 - ledger.energy_out[k]));
    if (takes)
      taken += ledger.energy_out[k];
    else
      done -= ledger.energy_out[k];
  }
  if (ledger.time_work != 0) work["by_name"]["time"] = number(ledger.time_work);
  dissipated["total"] = number(taken);
  work["total"] = number(done);
  return {{"dissipated", dissipated}, {"work", work}};
}

json iterations_json(const Counters& counters) {
  return {{"newton", counters.newton},
          {"newton_max", counters.newton_max},
          {"linear", counters.linear_iterations},
          {"evaluations", counters.evaluations},
          {"factorisations", counters.factorisations},
          {"line_search_cuts", counters.line_search_cuts},
          {"convexified", counters.convexified},
          {"residual_max", number(counters.residual_max)}};
}

json events_json(const Integrator& integrator) {
  json result = json::object();
  for (const auto& [name, count] : integrator.events()) result[name] = count;
  return result;
}

json probes_json(const Recorder& recorder) {
  json result = json::object();
  for (const Column& column : recorder.quantities().columns()) {
    if (column.name.rfind("probe.", 0) != 0) continue;
    const Series& series = recorder.series(column.name);
    if (series.count() == 0)
      result[column.name.substr(6)] = nullptr;
    else
      result[column.name.substr(6)] = {{"first", number(series.first())},
                                       {"last", number(series.last())},
                                       {"min", number(series.min())},
                                       {"max", number(series.max())}};
  }
  return result;
}

// Over all contacts; null without any.
json contact_json(const Recorder& recorder) {
  double depth = 0, force = 0, gap = std::numeric_limits<double>::infinity();
  bool any = false;
  for (const Column& column : recorder.quantities().columns()) {
    if (column.name.rfind("contact.", 0) != 0) continue;
    any = true;
    const Series& series = recorder.series(column.name);
    if (series.count() == 0) continue;
    if (column.name.ends_with(".gap")) gap = std::min(gap, series.min());
    if (column.name.ends_with(".depth")) depth = std::max(depth, series.max());
    if (column.name.ends_with(".force")) force = std::max(force, series.max());
  }
  if (!any) return nullptr;
  json result = {{"depth_max", number(depth)}, {"force_max", number(force)}};
  if (std::isfinite(gap)) result["gap_min"] = number(gap);
  return result;
}

// Null for other methods.
json asynchronous_json(const Integrator& integrator) {
  if (integrator.asynchronous() == nullptr) return nullptr;
  const AsynchronousFacts clocks = integrator.asynchronous()->facts();
  return {{"stencils", clocks.stencils},
          {"updates", clocks.updates},
          {"least_updates", clocks.least_updates},
          {"most_updates", clocks.most_updates},
          {"ideal_speedup", number(clocks.ideal_speedup)},
          {"attained_speedup", number(clocks.attained_speedup)},
          {"update_time", number(clocks.update_time)},
          {"queue_time", number(clocks.queue_time)}};
}

json columns_json(const Recorder& recorder) {
  json result = json::array();
  for (const Column& column : recorder.quantities().columns())
    result.push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  return result;
}

json first_files(const std::vector<std::string>& output_files) {
  json files = {"summary.json", "history.csv", "scene.toml"};
  for (const std::string& file : output_files) files.push_back(file);
  return files;
}

json files_json(const RunFacts& facts) {
  json files = first_files(facts.output_files);
  if (facts.status == "running") return files;
  files.insert(files.end(), {"state.json", "report.html"});
  if (facts.recorder.has_extremes()) files.push_back("extremes.csv");
  if (facts.failure) files.push_back("failure.json");
  if (facts.failure && has_solids(facts.model)) files.push_back("failure.vtu");
  return files;
}

json changes_json(const std::vector<Change>& changes) {
  json result = json::array();
  for (const Change& change : changes)
    result.push_back({{"step", change.step},
                      {"t", number(change.t)},
                      {"key", change.key},
                      {"before", change.before},
                      {"after", change.after}});
  return result;
}

// Seconds of wall time, only where they were asked for.
json profile_json(const Profile& profile) {
  json result;
  for (std::size_t k = 0; k < Profile::phases; ++k) {
    const auto phase = static_cast<Profile::Phase>(k);
    result[Profile::name(phase)] = profile.seconds(phase);
  }
  return result;
}

json timing_json(const Timing& timing) {
  json result = {
      {"started", timing.started},         {"finished", timing.finished},
      {"wall_time", timing.wall_time},     {"solve_time", std::max(0.0, timing.wall_time - timing.output_time)},
      {"output_time", timing.output_time}, {"threads", timing.threads},
      {"peak_memory", timing.peak_memory}};
  if (timing.profile.wanted()) result["profile"] = profile_json(timing.profile);
  return result;
}

void append(json& target, const json& more) {
  for (const auto& [key, value] : more.items()) target[key] = value;
}

json inputs_json(const std::vector<InputFile>& files) {
  json inputs = json::array();
  for (const InputFile& file : files)
    inputs.push_back({{"file", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  return inputs;
}

json identity_json(const RunFacts& facts) {
  json overrides = json::object();
  for (const auto& [key, value] : facts.scene.overrides) overrides[key] = value;
  return {{"scene", facts.scene.path.empty() ? facts.scene.name() : facts.scene.path},
          {"scene_sha256", facts.scene.sha256()},
          {"inputs", inputs_json(facts.inputs)},
          {"overrides", overrides},
          {"version", std::string(version())},
          {"integrator", settings_json(facts.plan.integrator)},
          {"solver", settings_json(facts.plan.solver)},
          {"claims", claims_json(facts.plan.claims)},
          {"model", model_json(facts)}};
}

json course_json(const RunFacts& facts) {
  const Counters& counters = facts.integrator.counters();
  return {
      {"t_begin", number(facts.recorder.t_begin())},
      {"t_end", number(facts.plan.t_end)},
      {"t_reached", number(facts.state.t)},
      {"steps", steps_done(facts.integrator)},
      {"step_min", number(counters.step_min)},
      {"step_max", number(counters.step_max)},
      {"retries", counters.retries},
      {"sampled_every", facts.recorder.every_step() && !facts.integrator.continuous() ? "step" : "row of history.csv"}};
}

}  // namespace

std::string first_summary_json(const std::vector<std::string>& output_files) {
  const json summary = {
      {"schema", schema}, {"status", "running"}, {"exit_code", nullptr}, {"files", first_files(output_files)}};
  return summary.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string summary_json(const RunFacts& facts) {
  json summary = {{"schema", schema},
                  {"status", facts.status},
                  {"exit_code", facts.status == "running" ? json(nullptr) : json(facts.exit_code)},
                  {"verdict", facts.judgement.verdict},
                  {"findings", facts.judgement.findings},
                  {"failure", facts.failure ? failure_object(*facts.failure) : json(nullptr)},
                  {"warnings", warnings_json(facts.warnings)}};
  append(summary, identity_json(facts));
  summary["changes"] = changes_json(facts.changes);
  append(summary, course_json(facts));
  append(summary, energies_json(facts));
  append(summary, momenta_json(facts));
  append(summary, ledger_json(facts));
  for (const char* column : {"constraint_position", "constraint_velocity"}) {
    const Series& series = facts.recorder.series(column);
    summary[column] = facts.model.constraint_count() > 0 && series.count() > 0 ? number(series.max()) : json(nullptr);
  }
  summary["iterations"] = iterations_json(facts.integrator.counters());
  summary["events"] = events_json(facts.integrator);
  summary["contact"] = contact_json(facts.recorder);
  summary["asynchronous"] = asynchronous_json(facts.integrator);
  summary["probes"] = probes_json(facts.recorder);
  summary["columns"] = columns_json(facts.recorder);
  summary["files"] = files_json(facts);
  summary["timing"] = timing_json(facts.timing);
  // File names need not be UTF-8.
  return summary.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string failure_json(const Failure& failure) {
  json result = {{"schema", "livens.failure/1"}};
  append(result, failure_object(failure));
  result["trace"] = json::array();
  for (const TraceLine& line : failure.report.trace)
    result["trace"].push_back({{"iteration", line.iteration},
                               {"residual", number(line.residual)},
                               {"objective", number(line.objective)},
                               {"step_length", number(line.step_length)}});
  return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace livens
