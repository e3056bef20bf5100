#include "view/recording.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <livens/version.hpp>

#include "files/frames_reader.hpp"
#include "mesh/core/words.hpp"
#include "run/finished_run.hpp"
#include "run/scene_difference.hpp"
#include "view/description.hpp"
#include "view/system_picture.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t history_rows = 4000;
constexpr double sampled_values = 2e7;  // of a field, read for its range
constexpr int most_samples = 8;         // frames

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

ViewJson phase_pairs(const std::vector<Column>& columns, const std::optional<Scene>& scene) {
  ViewJson pairs = phase_json(columns);
  const auto known = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
  };
  const Node* report = scene ? scene->root.find("report") : nullptr;
  const Node* portraits = report != nullptr ? report->find("portraits") : nullptr;
  for (const Node& pair : portraits != nullptr ? portraits->items : std::vector<Node>{})
    if (pair.items.size() == 2 && known(pair.items[0].text) && known(pair.items[1].text))
      pairs.push_back({pair.items[0].text, pair.items[1].text});
  return pairs;
}

std::vector<Body> recorded_bodies(const FramesFile& file) {
  std::vector<Body> bodies;
  int first = 0;
  for (const FrameBody& recorded : file.bodies()) {
    Body body;
    body.name = recorded.name;
    body.first = first;
    body.nodes = recorded.nodes;
    body.dimension = recorded.dimension;
    body.reference = recorded.reference;
    body.mesh = recorded_mesh(recorded);
    first += body.size();
    bodies.push_back(std::move(body));
  }
  return bodies;
}

// Whether there is more to draw than solids: then the model knows what.
bool has_more_than_solids(const Scene& scene) {
  const auto any = [&](const char* section, const auto& predicate) {
    const Node* list = scene.root.find(section);
    return list != nullptr && std::any_of(list->items.begin(), list->items.end(), predicate);
  };
  const auto no_solid = [](const Node& body) {
    return body.find("kind") == nullptr || body.find("kind")->text != "solid";
  };
  const auto connects = [](const Node& entry) { return entry.find("bodies") != nullptr; };
  return scene.root.find("system") != nullptr || any("body", no_solid) || any("constraint", connects) ||
         any("force", connects);
}

bool is_recording_of(const FramesFile& file, const Model& model) {
  const auto recorded = [&](const Body& body) {
    return std::any_of(file.bodies().begin(), file.bodies().end(), [&](const FrameBody& each) {
      return each.name == body.name && each.nodes == body.nodes && each.dimension == body.dimension;
    });
  };
  return std::all_of(model.bodies().begin(), model.bodies().end(), recorded);
}

Drawing drawing_of(const FramesFile& file, const std::optional<Scene>& scene, std::vector<std::string>& warnings) {
  if (scene && has_more_than_solids(*scene)) {
    try {
      const Model model = make_model(*scene);
      if (is_recording_of(file, model)) return draw(model);
      warnings.push_back("frames and scene.toml have different bodies: only nodes are shown");
    } catch (const std::exception& error) {
      warnings.push_back(std::string("springs, rods and rigid bodies are not shown, since the scene cannot be read: ") +
                         error.what());
    }
  }
  return draw(recorded_bodies(file));
}

// Everything that was recorded and makes a picture; the equivalent stress also out of the stress.
std::vector<ViewField> recorded_fields(const FramesFile& file) {
  std::set<std::string> recorded = {"displacement"};
  for (const FrameBody& body : file.bodies()) recorded.insert(body.fields.begin(), body.fields.end());
  std::vector<ViewField> fields;
  for (const FieldRecord& record : field_records()) {
    ViewField field = view_field(record);
    if (record.name == "von_mises" && recorded.count("von_mises") == 0) field.source = "stress";
    if (record.name != "stress" && recorded.count(field.source) != 0) fields.push_back(field);
  }
  return fields;
}

}  // namespace

// What is known of the run when its files are read.
struct Recording::Content {
  ViewJson summary;
  fs::file_time_type changed;
  Drawing drawing;
  std::vector<ViewField> fields;
  std::vector<Column> columns;
  std::vector<double> t, box;
  std::vector<std::string> warnings;
  std::optional<FramesFile> file;
  std::vector<const FrameBody*> recorded;   // of each body of the drawing; null if there is none
  std::vector<std::vector<double>> places;  // of systems without a recording, by frame: coordinates of the drawing

  int frames() const { return static_cast<int>(t.size()); }

  std::vector<double> coordinates(int frame) const {
    if (!file) return places[frame];
    std::vector<double> x = drawing.reference();
    for (std::size_t k = 0; k < recorded.size(); ++k) {
      if (recorded[k] == nullptr) continue;
      const auto positions = file->positions(*recorded[k], frame);
      std::copy(positions.begin(), positions.end(), x.begin() + drawing.bodies[k].first);
    }
    return x;
  }

  FieldValues values(const ViewField& field, int frame, const std::vector<double>& x) const {
    const FieldRecord& record = field_record(field.source);
    FieldValues result{record.per_cell, record.components, {}};
    const std::vector<double> reference = drawing.reference();
    for (std::size_t k = 0; k < drawing.bodies.size(); ++k) {
      const Body& body = drawing.bodies[k];
      if (record.components == 0) result.components = body.dimension;
      std::vector<float> list;
      if (field.source == "displacement") {
        for (int i = body.first; i < body.first + body.size(); ++i)
          list.push_back(static_cast<float>(x[i] - reference[i]));
      } else if (recorded[k] != nullptr) {
        const auto& names = recorded[k]->fields;
        if (std::find(names.begin(), names.end(), field.source) != names.end())
          list = file->values(*recorded[k], field.source, frame);
      }
      result.of_body.push_back(std::move(list));
    }
    return result;
  }

  const ViewField& field(const std::string& name) const {
    for (const ViewField& each : fields)
      if (each.name == name) return each;
    throw ViewError(404, "the run has no field '" + name + "'");
  }

  // Bounds over some frames, evenly spread.
  void measure_ranges() {
    if (frames() == 0) return;
    const auto size = static_cast<double>(std::max<std::size_t>(drawing.reference().size(), 1));
    const int samples = std::clamp(static_cast<int>(sampled_values / size), 2, most_samples);
    int last = -1;
    for (int k = 0; k < samples; ++k) {
      const int frame = static_cast<int>(static_cast<long>(k) * (frames() - 1) / (samples - 1));
      if (frame == std::exchange(last, frame)) continue;
      const std::vector<double> x = coordinates(frame);
      for (ViewField& each : fields) {
        std::string bytes;
        append_field(drawing, values(each, frame, x), bytes);
        each.range.add(bytes);
      }
    }
  }

  void read_frames(const fs::path& path, const std::optional<Scene>& scene) {
    file.emplace(path);
    drawing = drawing_of(*file, scene, warnings);
    for (const Body& body : drawing.bodies) {
      const auto found = std::find_if(file->bodies().begin(), file->bodies().end(),
                                      [&](const FrameBody& each) { return each.name == body.name; });
      recorded.push_back(found != file->bodies().end() ? &*found : nullptr);
    }
    t = file->t();
    box = file->box();
    fields = recorded_fields(*file);
    measure_ranges();
  }

  // Systems in generalised coordinates are drawn from the rows of the history.
  void read_places(const fs::path& history_path, const Scene& scene) {
    const auto picture = system_picture(scene);
    if (!picture) return;
    const History history = read_history_with_extremes(history_path, history_rows);
    std::vector<const std::vector<double>*> columns_of_q;
    for (const std::string& name : picture->columns) columns_of_q.push_back(history.find(name));
    const auto* times = history.find("t");
    if (times == nullptr || std::count(columns_of_q.begin(), columns_of_q.end(), nullptr) > 0) return;
    drawing = picture->drawing;
    recorded.assign(drawing.bodies.size(), nullptr);
    t = *times;
    for (std::size_t row = 0; row < t.size(); ++row) {
      std::vector<double> q;
      for (const auto* column : columns_of_q) q.push_back((*column)[row]);
      places.push_back(drawing.coordinates(q));
      const std::vector<double> here = box_of(drawing, places.back());
      if (box.empty()) box = here;
      for (std::size_t c = 0; c < 3; ++c) {
        box[c] = std::min(box[c], here[c]);
        box[3 + c] = std::max(box[3 + c], here[c]);
      }
    }
  }
};

Recording::Recording(const fs::path& directory) : directory_(directory) {
  require_run(directory, "a directory that livens run wrote, or a scene (.toml) to run it live");
  name_ = run_name(directory);
  scene_ = read_scene(directory);
}

Recording::~Recording() = default;

std::string Recording::title() const { return scene_ ? scene_->title() : name_; }

std::shared_ptr<const Recording::Content> Recording::content() {
  const std::lock_guard lock(mutex_);
  const auto frames = content_ != nullptr ? frames_file(content_->summary, directory_) : std::nullopt;
  std::error_code ignored;
  if (content_ != nullptr && (!frames || fs::last_write_time(*frames, ignored) == content_->changed)) return content_;
  auto fresh = std::make_shared<Content>();
  fresh->summary = read_summary(directory_);
  fresh->columns = columns_of(fresh->summary, directory_);
  if (const auto path = frames_file(fresh->summary, directory_)) {
    fresh->changed = fs::last_write_time(*path, ignored);
    try {
      fresh->read_frames(*path, scene_);
    } catch (const RunError& error) {
      fresh->warnings.push_back(error.what());
    }
  } else if (scene_) {
    fresh->read_places(directory_ / "history.csv", *scene_);
  }
  if (!scene_) fresh->warnings.push_back("scene.toml cannot be read: colours and plots are all there is");
  const bool has_bodies = !scene_ || scene_->root.find("system") == nullptr;  // other systems have no nodes to record
  if (fresh->frames() == 0 && has_bodies)
    fresh->warnings.push_back(
        "the run has no recording of frames, so that only its plots can be shown. Record them with "
        "output = [{ kind = \"frames\" }] in the scene");
  content_ = fresh;
  return content_;
}

std::vector<std::string> Recording::warnings() { return content()->warnings; }

std::string Recording::description(int id, const SceneValues& differs) {
  const auto now = content();
  const ViewJson& summary = now->summary;
  ViewJson warnings = now->warnings;
  for (const ViewJson& warning : part_of(summary, "warnings"))
    if (warning.is_object()) warnings.push_back(text_in(warning, "message"));
  const std::vector<Obstacle> obstacles = now->file ? now->file->obstacles() : std::vector<Obstacle>{};
  const ViewJson& findings = part_of(summary, "findings");
  ViewJson json = {{"id", id},
                   {"name", name_},
                   {"title", title()},
                   {"directory", directory_.string()},
                   {"status", text_in(summary, "status", "running")},
                   {"verdict", text_in(summary, "verdict")},
                   {"integrator", text_in(part_of(summary, "integrator"), "kind")},
                   {"command", command_of(summary)},
                   {"facts", facts_of(summary)},
                   {"findings", findings.is_array() ? findings : ViewJson::array()},
                   {"warnings", warnings},
                   {"differs", ViewJson::array()},
                   {"dimension", now->drawing.dimension},
                   {"up", up_json(now->drawing, scene(), obstacles)},
                   {"frames", now->frames()},
                   {"t", now->t},
                   {"box", now->box.empty() ? box_of({}, {}) : now->box},
                   {"drawables", drawables_json(now->drawing)},
                   {"obstacles", obstacles_json(obstacles)},
                   {"fields", view_fields_json(now->fields)},
                   {"columns", columns_json(now->columns)},
                   {"phase", phase_pairs(now->columns, scene_)}};
  for (const auto& [key, value] : differs) json["differs"].push_back({key, value});
  return text_of(json);
}

std::string Recording::mesh() { return mesh_bytes(content()->drawing); }

std::string Recording::frames(const FrameRequest& request) {
  const auto now = content();
  if (request.from >= now->frames())
    throw ViewError(404, fmt::format("there is no frame {}: the run has {}", request.from, now->frames()));
  const ViewField* field = request.field.empty() ? nullptr : &now->field(request.field);
  const ViewField* arrows = request.arrows.empty() ? nullptr : &now->field(request.arrows);
  if (arrows != nullptr && !arrows->arrows) throw ViewError(400, "'" + request.arrows + "' is not a field of vectors");
  std::string bytes;
  for (int frame = request.from; frame < now->frames() && frame - request.from < request.count; ++frame) {
    const std::size_t before = bytes.size();
    const std::vector<double> x = now->coordinates(frame);
    append_bytes(&now->t[frame], 1, bytes);
    append_positions(now->drawing, x, bytes);
    if (field != nullptr) append_field(now->drawing, now->values(*field, frame, x), bytes);
    if (arrows != nullptr) append_arrows(now->drawing, now->values(*arrows, frame, x), bytes);
    if (bytes.size() + (bytes.size() - before) > request.largest) break;
  }
  return bytes;
}

std::string Recording::history() {
  const History history = read_history_with_extremes(directory_ / "history.csv", history_rows);
  return history_bytes(history.columns, history.values, 0);
}

// --- runs side by side ----------------------------------------------------------------------------------------------

RecordedRuns::RecordedRuns(const std::vector<std::string>& directories) : differs_(directories.size()) {
  for (const std::string& directory : directories) runs_.push_back(std::make_unique<Recording>(directory));
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
