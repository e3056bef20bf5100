#include "export/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include <livens/run.hpp>

#include "diagnostics/statistics.hpp"
#include "export/decay.hpp"
#include "files/history.hpp"
#include "records/values.hpp"
#include "run/finished_run.hpp"
#include "run/scene_difference.hpp"
#include "run/verdict.hpp"
#include "scene/kinds.hpp"
#include "scene/schema.hpp"
#include "scene/sections.hpp"

namespace livens {
namespace {

constexpr std::size_t most_rows = 200'000;  // of a history; longer ones are thinned
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_keys_in_sentence = 3;
constexpr double little_work = 0.01;  // of the energy scale: then a vibration is free

using Curve = std::vector<double>;

struct ComparedRun {
  std::string name;
  SummaryJson summary;
  std::optional<Scene> scene;
  std::vector<Column> columns;
  History history;
  Curve t;

  const Curve* curve(const std::string& column) const { return history.find(column); }
};

ComparedRun read_run(const std::string& directory) {
  require_run(directory, "a directory that livens run wrote");
  ComparedRun run{run_name(directory), read_summary(directory), read_scene(directory), {}, {}, {}};
  run.columns = columns_of(run.summary, directory);
  run.history = read_history(directory + "/history.csv", most_rows);
  const Curve* t = run.curve("t");
  if (t == nullptr || t->empty()) throw RunError("'" + directory + "' has no history.csv with a column t");
  run.t = *t;
  return run;
}

// By a straight line between the neighbouring rows; nan outside.
double value_at(const Curve& t, const Curve& y, double time) {
  const auto after = std::lower_bound(t.begin(), t.end(), time);
  if (after == t.end()) return none;
  const auto k = static_cast<std::size_t>(after - t.begin());
  if (*after == time) return y[k];
  if (k == 0) return none;
  return y[k - 1] + (y[k] - y[k - 1]) * (time - t[k - 1]) / (t[k] - t[k - 1]);
}

// --- keys -----------------------------------------------------------------------------------------------------------

const Node* entry_of(const Scene& scene, const std::string& section, const std::string& name) {
  const Node* list = scene.root.find(section);
  if (list == nullptr) return nullptr;
  if (list->kind == Node::Kind::table) return list;
  for (std::size_t k = 0; k < list->items.size(); ++k)
    if (entry_name(list->items[k]) == name || std::to_string(k + 1) == name) return &list->items[k];
  return nullptr;
}

// The unit of force.internal.damping_time; "" where there is none, or below nested tables.
std::string unit_of(const Scene& scene, const std::string& path) {
  const std::string section_name = path.substr(0, path.find('.'));
  const Section* section = find_section(section_name);
  if (section == nullptr || path == section_name) return "";
  std::string rest = path.substr(section_name.size() + 1), name;
  if (section->shape == Section::Shape::list && rest.find('.') != std::string::npos) {
    name = rest.substr(0, rest.find('.'));
    rest = rest.substr(name.size() + 1);
  }
  const Node* entry = entry_of(scene, section_name, name);
  const Node* kind = entry != nullptr ? entry->find("kind") : nullptr;
  std::vector<Parameter> parameters = section->parameters;
  if (section->kinds && kind != nullptr)
    for (const Record* record : records_of(section_name))
      if (record->name == kind->text)
        parameters.insert(parameters.end(), record->parameters.begin(), record->parameters.end());
  for (const Parameter& parameter : parameters)
    if (parameter.key == rest && parameter.unit != "-" && parameter.unit != "any") return parameter.unit;
  return "";
}

std::vector<ComparedKey> compared_keys(const std::vector<ComparedRun>& runs) {
  std::vector<ComparedKey> keys;
  const Scene& first = *runs.front().scene;
  for (std::size_t k = 1; k < runs.size(); ++k)
    for (const SceneDifference& difference : scene_differences(first, *runs[k].scene)) {
      auto key = std::find_if(keys.begin(), keys.end(), [&](const auto& each) { return each.path == difference.path; });
      if (key == keys.end()) {
        const std::string unit = unit_of(first, difference.path);
        keys.push_back({difference.path, unit.empty() ? unit_of(*runs[k].scene, difference.path) : unit,
                        std::vector<std::string>(runs.size(), difference.there)});
        key = keys.end() - 1;
      }
      key->values[k] = difference.here;
    }
  return keys;
}

std::set<std::string> bodies_of(const Scene& scene) {
  std::set<std::string> names;
  const Node *system = scene.root.find("system"), *bodies = scene.root.find("body");
  if (system != nullptr) names.insert("system" + (system->find("kind") ? " " + system->find("kind")->text : ""));
  for (const Node& body : bodies != nullptr ? bodies->items : std::vector<Node>{}) names.insert(entry_name(body));
  return names;
}

// --- numbers --------------------------------------------------------------------------------------------------------

class Comparing {
 public:
  explicit Comparing(const std::vector<std::string>& directories) {
    for (const std::string& directory : directories) {
      runs_.push_back(read_run(directory));
      result_.paths.push_back(directory);
    }
    name_runs();
    result_.begin = runs_.front().t.front();
    result_.end = runs_.front().t.back();
    for (const ComparedRun& run : runs_) {
      result_.begin = std::max(result_.begin, run.t.front());
      result_.end = std::min(result_.end, run.t.back());
    }
    if (!(result_.end >= result_.begin)) throw RunError("the runs have no time in common");
  }

  Comparison result() {
    compare_keys();
    outcome();
    energies();
    momenta();
    decay();
    probes();
    cost();
    result_.sentence = sentence();
    return std::move(result_);
  }

 private:
  // Their directories' names; the paths if these are equal.
  void name_runs() {
    std::set<std::string> names;
    for (const ComparedRun& run : runs_) names.insert(run.name);
    for (std::size_t k = 0; k < runs_.size(); ++k)
      result_.names.push_back(names.size() == runs_.size() ? runs_[k].name : result_.paths[k]);
  }

  void compare_keys() {
    for (std::size_t k = 0; k < runs_.size(); ++k)
      if (!runs_[k].scene) {
        result_.keys_known = false;
        result_.notes.push_back("scene.toml of " + result_.names[k] + " cannot be read: keys are not compared");
      }
    if (!result_.keys_known) return;
    result_.keys = compared_keys(runs_);
    for (std::size_t k = 1; k < runs_.size(); ++k) {
      const auto here = bodies_of(*runs_[k].scene), there = bodies_of(*runs_[0].scene);
      if (here == there) continue;
      result_.notes.push_back(
          fmt::format("{} and {} are runs of different scenes ({} | {}): what they share is compared", result_.names[0],
                      result_.names[k], fmt::join(there, ", "), fmt::join(here, ", ")));
    }
    if (runs_.size() > 1 && result_.end < longest()) {
      std::vector<std::string> ends;
      for (const ComparedRun& run : runs_) ends.push_back(fmt::format("{:.6g} s", run.t.back()));
      result_.notes.push_back(
          fmt::format("the runs end at {}: compared up to {:.6g} s", fmt::join(ends, " | "), result_.end));
    }
  }
  double longest() const {
    double end = 0;
    for (const ComparedRun& run : runs_) end = std::max(end, run.t.back());
    return end;
  }

  ComparedRow& add(const std::string& group, const std::string& name, const std::string& unit) {
    result_.rows.push_back({group, name, unit, Curve(runs_.size(), none), {}, none, none});
    return result_.rows.back();
  }

  template <class Value>
  void add_numbers(const std::string& group, const std::string& name, const std::string& unit, const Value& value) {
    Curve values;
    for (const ComparedRun& run : runs_) values.push_back(value(run));
    if (std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) return;
    add(group, name, unit).values = std::move(values);
  }
  template <class Text>
  void add_texts(const std::string& group, const std::string& name, const Text& text) {
    std::vector<std::string> texts;
    for (const ComparedRun& run : runs_) texts.push_back(text(run));
    if (std::all_of(texts.begin(), texts.end(), [](const std::string& t) { return t.empty(); })) return;
    add(group, name, "").texts = std::move(texts);
  }

  double at_end(const ComparedRun& run, const std::string& column) const {
    const Curve* y = run.curve(column);
    return y != nullptr ? value_at(run.t, *y, result_.end) : none;
  }
  // Largest size within the common time.
  double largest(const ComparedRun& run, const std::string& column) const {
    const Curve* y = run.curve(column);
    double size = none;
    for (std::size_t k = 0; y != nullptr && k < run.t.size() && run.t[k] <= result_.end; ++k)
      if (std::isfinite((*y)[k])) size = std::fmax(size, std::abs((*y)[k]));
    return size;
  }
  std::string unit_of_column(const std::string& column) const {
    for (const ComparedRun& run : runs_)
      for (const Column& each : run.columns)
        if (each.name == column) return each.unit == "-" || each.unit == "any" ? "" : each.unit;
    return "";
  }

  void outcome() {
    add_texts("Outcome", "status", [](const ComparedRun& run) { return text_in(run.summary, "status", "running"); });
    add_texts("Outcome", "verdict", [](const ComparedRun& run) { return text_in(run.summary, "verdict"); });
    add_texts("Outcome", "integrator",
              [](const ComparedRun& run) { return text_in(part_of(run.summary, "integrator"), "kind"); });
  }

  double scale_of(const ComparedRun& run, const char* error) const {
    return number_in(part_of(run.summary, error), "scale");
  }

  void energies() {
    for (const char* column : {"energy", "kinetic", "potential", "dissipated", "work"})
      add_numbers("Energy", column, "J", [&](const ComparedRun& run) { return at_end(run, column); });
    add_numbers("Energy", "largest energy error", "J",
                [&](const ComparedRun& run) { return largest(run, "energy_error"); });
    add_numbers("Energy", "of the energy scale", "", [&](const ComparedRun& run) {
      const double scale = scale_of(run, "energy_error");
      return scale > 0 ? largest(run, "energy_error") / scale : none;
    });
    add_texts("Energy", "drifts", [&](const ComparedRun& run) { return drift(run); });
  }

  std::string drift(const ComparedRun& run) const {
    const Curve* error = run.curve("energy_error");
    if (error == nullptr) return "";
    Series series;
    for (std::size_t k = 0; k < run.t.size() && run.t[k] <= result_.end; ++k)
      if (std::isfinite((*error)[k])) series.add(run.t[k], (*error)[k]);
    const Trend trend = series.late_trend();
    if (std::isnan(trend.slope)) return "too few rows";
    return is_trend(trend, 1e-8 * scale_of(run, "energy_error")) ? fmt::format("{:.2g} J/s", trend.slope) : "no";
  }

  void momenta() {
    add_numbers("Momentum", "linear, ledger closes to", "N s",
                [&](const ComparedRun& run) { return largest(run, "linear_momentum_error"); });
    add_numbers("Momentum", "angular, ledger closes to", "N m s",
                [&](const ComparedRun& run) { return largest(run, "angular_momentum_error"); });
    for (const char* error : {"constraint_position", "constraint_velocity"})
      add_numbers("Momentum", std::string(error) + " error", unit_of_column(error),
                  [&](const ComparedRun& run) { return largest(run, error); });
  }

  // --- free vibration -----------------------------------------------------------------------------------------------

  bool is_free(const ComparedRun& run) const {
    const double work = largest(run, "work"), scale = scale_of(run, "energy_error");
    return !(work > little_work * scale);
  }

  // Coordinates and probes that may swing, and the kinetic energy.
  std::vector<std::string> candidates() const {
    std::vector<std::string> names;
    for (const Column& column : runs_.front().columns) {
      const bool swings = column.unit == "m" || column.unit == "rad" || column.unit == "m/s" || column.unit == "rad/s";
      if (column.meaning == "coordinate" || (column.name.rfind("probe.", 0) == 0 && swings))
        names.push_back(column.name);
    }
    names.push_back("kinetic");
    return names;
  }

  std::vector<Decay> decays_of(const std::string& column) const {
    std::vector<Decay> decays;
    for (const ComparedRun& run : runs_) {
      const Curve* y = run.curve(column);
      if (y == nullptr) return {};
      const auto rows = std::upper_bound(run.t.begin(), run.t.end(), result_.end) - run.t.begin();
      const Curve t(run.t.begin(), run.t.begin() + rows), values(y->begin(), y->begin() + rows);
      decays.push_back(column == "kinetic" ? measure_decay_of_energy(t, values) : measure_decay(t, values));
    }
    return decays;
  }

  // The curve in which most runs have a clear vibration; among these the one with the least scatter.
  void decay() {
    if (!std::all_of(runs_.begin(), runs_.end(), [&](const ComparedRun& run) { return is_free(run); })) return;
    std::vector<Decay> best;
    std::string of;
    long most = 0;
    double least_scatter = 0;
    for (const std::string& column : candidates()) {
      const std::vector<Decay> decays = decays_of(column);
      const auto clear = std::count_if(decays.begin(), decays.end(), [](const Decay& d) { return d.clear; });
      double scatter = 0;
      for (const Decay& each : decays) scatter += each.clear ? each.scatter : 0;
      if (clear == 0 || clear < most || (clear == most && scatter >= least_scatter)) continue;
      best = decays, of = column, most = clear, least_scatter = scatter;
    }
    if (std::none_of(best.begin(), best.end(), [](const Decay& d) { return d.decays; })) return;
    ComparedRow frequency{"Decay", "frequency, of " + of, "Hz", {}, {}, none, none};
    ComparedRow ratio{"Decay", "damping ratio", "", {}, {}, none, none};
    ComparedRow error{"Decay", "its standard error", "", {}, {}, none, none};
    for (const Decay& each : best) {
      frequency.values.push_back(each.clear ? each.frequency : none);
      ratio.values.push_back(each.clear ? (each.decays ? each.ratio : 0.0) : none);
      error.values.push_back(each.clear ? each.ratio_error : none);
    }
    result_.rows.insert(result_.rows.end(), {frequency, ratio, error});
  }

  // --- probes -------------------------------------------------------------------------------------------------------

  void probes() {
    std::vector<std::string> seen;
    for (const ComparedRun& run : runs_)
      for (const Column& column : run.columns) {
        const bool shown = column.name.rfind("probe.", 0) == 0 || column.meaning == "coordinate";
        if (!shown || std::find(seen.begin(), seen.end(), column.name) != seen.end()) continue;
        seen.push_back(column.name);
        compare_curves(column);
      }
  }

  void compare_curves(const Column& column) {
    const bool probe = column.name.rfind("probe.", 0) == 0;
    ComparedRow& row = add("Probes", probe ? column.name.substr(6) : column.name, unit_of_column(column.name));
    for (std::size_t k = 0; k < runs_.size(); ++k) row.values[k] = at_end(runs_[k], column.name);
    const Curve* first = runs_.front().curve(column.name);
    if (first == nullptr) return;
    for (std::size_t k = 1; k < runs_.size(); ++k) {
      const Curve* other = runs_[k].curve(column.name);
      if (other == nullptr) continue;
      for (std::size_t i = 0; i < runs_[0].t.size() && runs_[0].t[i] <= result_.end; ++i) {
        const double difference = std::abs((*first)[i] - value_at(runs_[k].t, *other, runs_[0].t[i]));
        if (std::isnan(difference) || difference <= row.difference) continue;
        row.difference = difference;
        row.difference_at = runs_[0].t[i];
      }
    }
  }

  void cost() {
    add_numbers("Cost", "steps", "", [](const ComparedRun& run) { return number_in(run.summary, "steps"); });
    add_numbers("Cost", "simulated up to", "s", [](const ComparedRun& run) { return run.t.back(); });
    add_numbers("Cost", "wall time", "s",
                [](const ComparedRun& run) { return number_in(part_of(run.summary, "timing"), "wall_time"); });
    add_numbers("Cost", "threads", "",
                [](const ComparedRun& run) { return number_in(part_of(run.summary, "timing"), "threads"); });
    add_numbers("Cost", "Newton iterations", "", [](const ComparedRun& run) {
      const double count = number_in(part_of(run.summary, "iterations"), "newton");
      return count > 0 ? count : none;
    });
  }

  // --- the essence --------------------------------------------------------------------------------------------------

  const ComparedRow* row(const std::string& group, const std::string& name) const {
    for (const ComparedRow& each : result_.rows)
      if (each.group == group && each.name.rfind(name, 0) == 0) return &each;
    return nullptr;
  }

  static std::string side_by_side(const ComparedRow& row) {
    std::vector<std::string> texts;
    for (const double value : row.values)
      texts.push_back(std::isnan(value) ? "-" : fmt::format("{:.3g}{}", value, row.unit.empty() ? "" : " " + row.unit));
    return fmt::format("{}", fmt::join(texts, " | "));
  }

  std::string keys_sentence() const {
    if (!result_.keys_known) return "Scenes are not compared.";
    if (result_.keys.empty()) return "No key differs.";
    if (result_.keys.size() > most_keys_in_sentence) return fmt::format("{} keys differ.", result_.keys.size());
    std::vector<std::string> parts;
    for (const ComparedKey& key : result_.keys) {
      std::vector<std::string> values;
      for (const std::string& value : key.values) values.push_back(key.unit.empty() ? value : value + " " + key.unit);
      parts.push_back(key.path + " " + fmt::format("{}", fmt::join(values, " | ")));
    }
    return fmt::format("{}, all else equal.", fmt::join(parts, "; "));
  }

  std::string sentence() const {
    std::string text = keys_sentence();
    const ComparedRow *ratio = row("Decay", "damping ratio"), *frequency = row("Decay", "frequency");
    if (ratio != nullptr && frequency != nullptr) {
      std::vector<double> known;
      for (const double f : frequency->values)
        if (!std::isnan(f)) known.push_back(f);
      const auto [low, high] = std::minmax_element(known.begin(), known.end());
      const std::string at =
          *high - *low < 0.02 * *high ? fmt::format("{:.2g} Hz", known.front()) : side_by_side(*frequency);
      text += fmt::format(" Damping ratio at {} {}.", at, side_by_side(*ratio));
    }
    const ComparedRow* dissipated = row("Energy", "dissipated");
    const auto some = [](double value) { return std::abs(value) > 0; };
    if (dissipated != nullptr && std::any_of(dissipated->values.begin(), dissipated->values.end(), some))
      text += fmt::format(" Dissipated by {:.3g} s {}.", result_.end, side_by_side(*dissipated));
    else if (const ComparedRow* error = row("Energy", "largest energy error"))
      text += fmt::format(" Largest energy error up to {:.3g} s {}.", result_.end, side_by_side(*error));
    return text;
  }

  std::vector<ComparedRun> runs_;
  Comparison result_;
};

}  // namespace

Comparison compare_runs(const std::vector<std::string>& directories) {
  if (directories.size() < 2) throw RunError("livens compare takes two runs or more");
  return Comparing(directories).result();
}

}  // namespace livens
