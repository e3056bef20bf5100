#include "modes/modes_report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <livens/observer.hpp>
#include <livens/version.hpp>

#include "files/files.hpp"
#include "files/history.hpp"
#include "files/output.hpp"
#include "mesh/files/vtu_writer.hpp"

namespace livens {
namespace {

using json = nlohmann::ordered_json;

constexpr double two_pi = 6.283185307179586477;
constexpr int frames_of_swing = 24;
constexpr double balanced = 1e-6;  // unbalanced force over the largest sum of forces: rest

// Names of the rigid motions, in the order of `Mode::effective_mass`.
std::vector<std::string> motions_of(const ModesFacts& facts) {
  if (facts.modes.free_mass.size() == 6) return {"x", "y", "z", "rotation_x", "rotation_y", "rotation_z"};
  if (facts.modes.free_mass.size() == 3) return {"x", "y", "rotation_z"};
  return facts.modes.free_mass.empty() ? std::vector<std::string>{} : std::vector<std::string>{"x"};
}
bool is_rotation(const std::string& motion) { return motion.starts_with("rotation"); }

double extent(const ModesFacts& facts) {
  double largest = 0;
  for (int c = 0; c < 3; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Body& body : facts.model->bodies())
      for (int a = 0; c < body.dimension && a < body.nodes; ++a) {
        const double x = facts.at.q[body.first + a * body.dimension + c];
        low = std::min(low, x);
        high = std::max(high, x);
      }
    if (high > low) largest = std::max(largest, high - low);
  }
  return largest > 0 ? largest : 1;
}

// Largest displacement of a node; of generalised coordinates the largest change of one.
double largest_displacement(const Model& model, const std::vector<double>& shape) {
  double largest = 0;
  for (const Body& body : model.bodies()) {
    const int d = std::max(body.dimension, 1);
    for (int a = 0; a < body.nodes; ++a) {
      double square = 0;
      for (int c = 0; c < d; ++c) square += std::pow(shape[body.first + a * d + c], 2);
      largest = std::max(largest, std::sqrt(square));
    }
  }
  return largest;
}

std::string kind_of(const Mode& mode) { return mode.zero ? "zero" : mode.growth > 0 ? "unstable" : "swings"; }

std::string number_text(double value) { return fmt::format("{:.17g}", value); }

json object_of(const std::vector<std::string>& names, const std::vector<double>& values) {
  json object = json::object();
  for (std::size_t k = 0; k < names.size(); ++k) object[names[k]] = values[k];
  return object;
}

double cumulated(const ModesFacts& facts, std::size_t motion) {
  double sum = 0;
  for (const Mode& mode : facts.modes.modes) sum += mode.effective_mass[motion];
  return facts.modes.free_mass[motion] > 0 ? sum / facts.modes.free_mass[motion] : 0;
}

Table table_of(const ModesFacts& facts) {
  Table table;
  const std::vector<std::string> motions = motions_of(facts);
  table.columns = {"mode", "frequency (Hz)", "period (s)", "omega (1/s)", "damping ratio"};
  for (const std::string& motion : motions)
    table.columns.push_back(is_rotation(motion) ? "about " + motion.substr(9) : "mass along " + motion);
  table.columns.push_back("residual");
  for (std::size_t k = 0; k < facts.modes.modes.size(); ++k) {
    const Mode& mode = facts.modes.modes[k];
    std::vector<std::string> row = {std::to_string(k + 1)};
    if (mode.frequency > 0)
      row.insert(row.end(), {fmt::format("{:.7g}", mode.frequency), fmt::format("{:.5g}", 1 / mode.frequency),
                             fmt::format("{:.7g}", two_pi * mode.frequency),
                             mode.damping != 0 ? fmt::format("{:.3g}", mode.damping) : ""});
    else if (mode.zero)
      row.insert(row.end(), {"0", "", "0", ""});
    else
      row.insert(row.end(), {fmt::format("grows by e in {:.4g} s", 1 / mode.growth), "", "", ""});
    for (std::size_t m = 0; m < motions.size(); ++m) {
      const double all = facts.modes.free_mass[m];
      row.push_back(all > 0 ? fmt::format("{:.2f} %", 100 * mode.effective_mass[m] / all) : "");
    }
    row.push_back(fmt::format("{:.1e}", mode.residual));
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> last = {"all", "", "", "", ""};
  for (std::size_t m = 0; m < motions.size(); ++m) last.push_back(fmt::format("{:.2f} %", 100 * cumulated(facts, m)));
  last.push_back("");
  table.rows.push_back(std::move(last));
  table.note =
      "Effective masses are shares of what moves without the supports; rotations are about axes through the centre of "
      "mass. Residual: |K x - w^2 M x| over |K| |x|.";
  return table;
}

}  // namespace

double ModesFacts::scale(std::size_t k) const {
  const double largest = largest_displacement(*model, modes.modes[k].shape);
  return largest > 0 ? amplitude * extent(*this) / largest : 0;
}

std::string ModesFacts::name(std::size_t k) const {
  const Mode& mode = modes.modes[k];
  const std::string what = mode.zero ? "zero" : mode.growth > 0 ? "unstable" : fmt::format("{:.4g}_Hz", mode.frequency);
  return fmt::format("mode_{:02}_{}", k + 1, what);
}

std::vector<std::size_t> ModesFacts::shown() const {
  std::vector<std::size_t> all, moving;
  for (std::size_t k = 0; k < modes.modes.size(); ++k) {
    all.push_back(k);
    if (!modes.modes[k].zero) moving.push_back(k);
  }
  return moving.empty() ? all : moving;
}

std::string modes_csv(const ModesFacts& facts) {
  std::string text = "mode,kind,frequency_Hz,omega_per_s,eigenvalue_per_s2,growth_per_s,damping_ratio,residual";
  const std::vector<std::string> motions = motions_of(facts);
  for (const std::string& motion : motions)
    text +=
        is_rotation(motion) ? ",effective_inertia_" + motion.substr(9) + "_kg_m2" : ",effective_mass_" + motion + "_kg";
  text += "\n";
  for (std::size_t k = 0; k < facts.modes.modes.size(); ++k) {
    const Mode& mode = facts.modes.modes[k];
    text += fmt::format("{},{},{},{},{},{},{},{}", k + 1, kind_of(mode), number_text(mode.frequency),
                        number_text(two_pi * mode.frequency), number_text(mode.eigenvalue), number_text(mode.growth),
                        number_text(mode.damping), number_text(mode.residual));
    for (const double mass : mode.effective_mass) text += "," + number_text(mass);
    text += "\n";
  }
  return text;
}

std::string modes_json(const ModesFacts& facts) {
  const std::vector<std::string> motions = motions_of(facts);
  json list = json::array();
  for (const Mode& mode : facts.modes.modes)
    list.push_back({{"kind", kind_of(mode)},
                    {"frequency", mode.frequency},
                    {"eigenvalue", mode.eigenvalue},
                    {"growth", mode.growth},
                    {"damping", mode.damping},
                    {"residual", mode.residual},
                    {"effective_mass", object_of(motions, mode.effective_mass)}});
  const json summary = {{"schema", "livens.modes/1"},
                        {"scene", facts.scene},
                        {"title", facts.title},
                        {"version", version()},
                        {"state", facts.state},
                        {"t", facts.at.t},
                        {"unbalanced", facts.modes.unbalanced},
                        {"near", facts.near},
                        {"modes", list},
                        {"zero", facts.modes.zero},
                        {"unstable", facts.modes.unstable},
                        {"complete", facts.modes.complete},
                        {"free_mass", object_of(motions, facts.modes.free_mass)},
                        {"center", facts.modes.center},
                        {"notes", sentences(facts)},
                        {"unknowns", facts.model->size()},
                        {"solves", facts.modes.solves},
                        {"factorisations", facts.modes.factorisations},
                        {"wall_time", facts.wall_time}};
  return summary.dump(2) + "\n";
}

std::vector<std::string> sentences(const ModesFacts& facts) {
  const Modes& modes = facts.modes;
  std::vector<std::string> result = modes.notes;
  if (modes.unbalanced > balanced)
    result.push_back(fmt::format(
        "{} is not in equilibrium: {:.2g} of the largest force is not balanced. These are oscillations about "
        "a state that does not last; for those about the equilibrium: --set integrator.kind=static",
        facts.state, modes.unbalanced));
  if (modes.unstable > 0) result.push_back(fmt::format("{} is unstable: {} modes grow", facts.state, modes.unstable));
  return result;
}

Report modes_report(const ModesFacts& facts, const std::vector<Picture>& pictures) {
  Report report;
  report.title = facts.title;
  report.subtitle = "Normal modes about " + facts.state;
  report.warnings = sentences(facts);
  const Modes& modes = facts.modes;
  const std::string held = facts.near > 0 ? fmt::format("closest to {:.6g} Hz", facts.near) : "the lowest";
  report.facts = {{"Modes", fmt::format("{}, {}", modes.modes.size(), held)},
                  {"Zero modes", std::to_string(modes.zero)},
                  {"Complete", modes.complete ? "yes: the modes below the highest were counted" : "not counted"},
                  {"Unknowns", std::to_string(facts.model->size() - facts.model->supported_count())},
                  {"Factorisations, solves", fmt::format("{}, {}", modes.factorisations, modes.solves)},
                  {"Wall time", fmt::format("{:.3g} s", facts.wall_time)}};
  ReportSection table;
  table.title = "Frequencies";
  table.tables = {table_of(facts)};
  report.sections.push_back(std::move(table));
  if (!pictures.empty()) {
    ReportSection shapes;
    shapes.title = "Shapes";
    shapes.text = fmt::format(
        "One swing of each, its largest displacement {:.3g} of the size of the scene, coloured by the displacement. To "
        "turn and "
        "stop them, give this directory to livens view.",
        facts.amplitude);
    shapes.pictures = pictures;
    report.sections.push_back(std::move(shapes));
  }
  report.footer = fmt::format("Livens {}. Scene {}.", version(), facts.scene);
  return report;
}

std::string modes_vtu(const ModesFacts& facts, int body) {
  const Body& shown = facts.model->bodies()[body];
  std::vector<MeshField> fields;
  for (std::size_t k = 0; k < facts.modes.modes.size(); ++k) {
    const auto first = facts.modes.modes[k].shape.begin() + shown.first;
    MeshField field{facts.name(k), shown.dimension, false, {first, first + shown.size()}};
    const double scale = facts.scale(k);
    for (double& value : field.values) value *= scale;
    fields.push_back(std::move(field));
  }
  const auto place =
      ConstVector(facts.at.q).subspan(static_cast<std::size_t>(shown.first), static_cast<std::size_t>(shown.size()));
  return vtu_bytes(*shown.mesh, place, fields, facts.at.t);
}

void write_swing(const ModesFacts& facts, std::size_t k, Integrator& integrator, const std::string& scene_toml,
                 const std::filesystem::path& directory) {
  const Mode& mode = facts.modes.modes[k];
  RunDirectory run = RunDirectory::create_at(directory, false);
  write_file(run.file("scene.toml"), scene_toml);
  std::vector<Column> columns = {{"t", "s", "part of a swing, in seconds"},
                                 {"swing", "-", "displacement over its largest"}};
  for (const std::string& name : facts.model->parts().coordinates) columns.push_back({name, "", "coordinate"});
  HistoryFile history;
  history.create(run.file("history.csv"), columns);
  std::unique_ptr<Output> frames;
  if (facts.model->dimension() > 0) {
    Settings settings;
    settings.values["every"] = 1.0 / frames_of_swing;
    settings.values["fields"] = std::vector<std::string>{};
    frames = output_records().at("frames").make(
        settings, "frames", {.model = *facts.model, .directory = run.path(), .duration = 1, .title = facts.title});
  }
  State state = facts.at;
  const double scale = facts.scale(k);
  StepReport report;
  report.h = 1.0 / frames_of_swing;
  std::fill(state.v.begin(), state.v.end(), 0.0);
  for (int frame = 0; frame <= frames_of_swing; ++frame) {
    state.t = static_cast<double>(frame) / frames_of_swing;
    const double swing = std::cos(two_pi * state.t);
    for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] = facts.at.q[i] + scale * swing * mode.shape[i];
    const Sample sample{*facts.model, state, report, integrator};
    if (frames) frame == 0 ? frames->begin(sample) : frames->observe(sample);
    if (frames && frame == frames_of_swing) frames->end(sample);
    std::vector<double> row = {state.t, swing};
    for (const Body& body : facts.model->bodies())
      for (int c = 0; body.dimension == 0 && c < body.nodes; ++c) row.push_back(state.q[body.first + c]);
    history.add(row);
  }
  history.flush();
  const std::string what = mode.zero         ? "nothing resists it"
                           : mode.growth > 0 ? fmt::format("grows by e in {:.4g} s", 1 / mode.growth)
                                             : fmt::format("{:.6g} Hz, slowed down to 1 s", mode.frequency);
  json files = json::array({"summary.json", "history.csv", "scene.toml"});
  if (frames) files.push_back("frames.h5");
  json listed = json::array();
  for (const Column& column : columns)
    listed.push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  const json summary = {{"schema", "livens.summary/1"},
                        {"status", "done"},
                        {"verdict", "not judged"},
                        {"findings", json::array({fmt::format("mode {}: {}", k + 1, what)})},
                        {"scene", facts.scene},
                        {"version", version()},
                        {"integrator", {{"kind", "modes"}}},
                        {"t_begin", 0.0},
                        {"t_end", 1.0},
                        {"t_reached", 1.0},
                        {"columns", listed},
                        {"files", files}};
  write_file(run.file("summary.json"), summary.dump(2) + "\n");
}

}  // namespace livens
