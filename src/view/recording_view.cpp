#include "view/recording_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <livens/version.hpp>

#include "files/history.hpp"
#include "mesh/core/words.hpp"
#include "run/finished_run.hpp"
#include "run/scene_difference.hpp"
#include "view/bytes.hpp"
#include "view/description.hpp"

namespace livens {
namespace {

// Rows of a history that a page gets: all steps that a portrait may have (Quantities::default_rows), of many columns
// fewer.
std::size_t history_rows(std::size_t columns) {
  return std::clamp<std::size_t>(300'000 / std::max<std::size_t>(columns, 1), 4000, 20'500);
}

ViewJson facts_of(const ViewJson& summary) {
  ViewJson facts = ViewJson::array();
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) facts.push_back({label, value});
  };
  const auto count = [&](const ViewJson& object, const char* key) {
    const double value = number_in(object, key);
    return value > 0 ? grouped(static_cast<long>(value)) : std::string();
  };
  const ViewJson &integrator = part_of(summary, "integrator"), &model = part_of(summary, "model"),
                 &timing = part_of(summary, "timing");
  const double step = number_in(integrator, "step"), mass = number_in(model, "mass");
  add("Integrator", text_in(integrator, "kind") + (step > 0 ? fmt::format(", step {:.6g} s", step) : ""));
  const double begin = number_in(summary, "t_begin"), reached = number_in(summary, "t_reached");
  if (std::isfinite(reached)) add("Time", fmt::format("{:.6g} s to {:.6g} s", begin, reached));
  add("Steps", count(summary, "steps"));
  add("Nodes", count(model, "nodes"));
  add("Elements", count(model, "elements"));
  add("Unknowns", count(model, "unknowns"));
  add("Constraints", count(model, "constraints"));
  if (std::isfinite(mass)) add("Mass", fmt::format("{:.6g} kg", mass));
  const double wall = number_in(timing, "wall_time");
  if (std::isfinite(wall)) add("Wall time", fmt::format("{:.3g} s", wall));
  add("Started", text_in(timing, "started"));
  add("Scene", text_in(summary, "scene"));
  add("Version", text_in(summary, "version"));
  return facts;
}

std::string command_of(const ViewJson& summary) {
  std::string command = "livens run " + text_in(summary, "scene");
  const ViewJson& overrides = part_of(summary, "overrides");
  for (const auto& [key, value] : overrides.items())
    if (value.is_string()) command += fmt::format(" --set {}={}", key, value.get<std::string>());
  return command;
}

const DrawnField* field_of(const RecordedMotion& motion, const std::string& name) {
  if (name.empty()) return nullptr;
  const DrawnField* field = motion.find_field(name);
  if (field == nullptr) throw ViewError(404, "the run has no field '" + name + "'");
  return field;
}

}  // namespace

std::string RecordingView::description(int id, const SceneValues& differs) {
  const auto now = recording_.motion();
  const ViewJson& summary = now->summary();
  ViewJson warnings = now->warnings();
  for (const ViewJson& warning : part_of(summary, "warnings"))
    if (warning.is_object()) warnings.push_back(text_in(warning, "message"));
  const ViewJson& findings = part_of(summary, "findings");
  ViewJson json = {{"id", id},
                   {"name", name()},
                   {"title", title()},
                   {"directory", recording_.directory().string()},
                   {"status", text_in(summary, "status", "running")},
                   {"verdict", text_in(summary, "verdict")},
                   {"integrator", text_in(part_of(summary, "integrator"), "kind")},
                   {"command", command_of(summary)},
                   {"facts", facts_of(summary)},
                   {"findings", findings.is_array() ? findings : ViewJson::array()},
                   {"warnings", warnings},
                   {"differs", ViewJson::array()},
                   {"dimension", now->drawing().dimension},
                   {"up", three(now->up())},
                   {"frames", now->frames()},
                   {"t", now->t()},
                   {"box", now->box()},
                   {"drawables", drawables_json(now->drawing())},
                   {"obstacles", obstacles_json(now->obstacles(), now->drawing())},
                   {"fields", fields_json(now->fields())},
                   {"columns", columns_json(now->columns())},
                   {"phase", phase_json(now->columns(), scene())}};
  for (const auto& [key, value] : differs) json["differs"].push_back({key, value});
  return text_of(json);
}

std::string RecordingView::mesh() { return mesh_bytes(recording_.motion()->drawing()); }

std::string RecordingView::frames(const FrameRequest& request) {
  const auto now = recording_.motion();
  if (request.from >= now->frames())
    throw ViewError(404, fmt::format("there is no frame {}: the run has {}", request.from, now->frames()));
  const DrawnField *field = field_of(*now, request.field), *arrows = field_of(*now, request.arrows);
  if (arrows != nullptr && !arrows->vectors) throw ViewError(400, "'" + request.arrows + "' is not a field of vectors");
  std::string bytes;
  for (int frame = request.from; frame < now->frames() && frame - request.from < request.count; ++frame) {
    const std::size_t before = bytes.size();
    const std::vector<double> x = now->coordinates(frame);
    append_bytes(&now->t()[frame], 1, bytes);
    append_bytes(drawn_positions(now->drawing(), x), bytes);
    if (field != nullptr) append_bytes(drawn_values(now->drawing(), now->values(*field, frame, x)), bytes);
    if (arrows != nullptr) append_bytes(drawn_vectors(now->drawing(), now->values(*arrows, frame, x)), bytes);
    if (bytes.size() + (bytes.size() - before) > request.largest) break;
  }
  return bytes;
}

std::string RecordingView::history() {
  const std::size_t rows = history_rows(recording_.motion()->columns().size());
  const History history = read_run_history(recording_.directory(), rows);
  return history_bytes(history.columns, history.values, 0);
}

// --- runs side by side ----------------------------------------------------------------------------------------------

RecordedRuns::RecordedRuns(const std::vector<std::string>& directories) : differs_(directories.size()) {
  for (const std::string& directory : directories) runs_.push_back(std::make_unique<RecordingView>(directory));
  for (std::size_t here = 0; here < runs_.size(); ++here)
    for (const auto& there : runs_) {
      if (there->scene() == nullptr || runs_[here]->scene() == nullptr) continue;
      for (const SceneDifference& difference : scene_differences(*there->scene(), *runs_[here]->scene())) {
        auto& list = differs_[here];
        const auto same = [&](const auto& entry) { return entry.first == difference.path; };
        if (std::none_of(list.begin(), list.end(), same)) list.emplace_back(difference.path, difference.here);
      }
    }
}

std::string RecordedRuns::session() {
  ViewJson runs = ViewJson::array();
  for (std::size_t k = 0; k < runs_.size(); ++k)
    runs.push_back({{"id", k}, {"name", runs_[k]->name()}, {"title", runs_[k]->title()}});
  return text_of({{"version", std::string(version())}, {"live", false}, {"runs", runs}});
}

std::string RecordedRuns::description(int id) { return run(id).description(id, differs_[id]); }

std::vector<std::string> RecordedRuns::warnings() {
  std::vector<std::string> all;
  for (const auto& each : runs_)
    for (const std::string& warning : each->warnings()) all.push_back(each->name() + ": " + warning);
  return all;
}

}  // namespace livens
