#include "run/recording.hpp"

#include <algorithm>
#include <set>

#include "draw/system_picture.hpp"
#include "draw/up.hpp"
#include "files/history.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_places = 4000;  // frames of systems that are drawn from their history
constexpr double sampled_values = 2e7;     // of a field, read for its range
constexpr int most_samples = 8;            // frames

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

// Whether there is more to draw than solids, such as the boxes of contacts: then the model knows what.
bool has_more_than_solids(const FramesFile& file, const Scene& scene) {
  const auto any = [&](const char* section, const auto& predicate) {
    const Node* list = scene.root.find(section);
    return list != nullptr && std::any_of(list->items.begin(), list->items.end(), predicate);
  };
  const auto no_solid = [](const FrameBody& body) { return body.elements.empty(); };
  const auto connects = [](const Node& entry) { return entry.find("bodies") != nullptr; };
  return scene.root.find("system") != nullptr || std::any_of(file.bodies().begin(), file.bodies().end(), no_solid) ||
         any("constraint", connects) || any("force", connects);
}

bool is_recording_of(const FramesFile& file, const Model& model) {
  const auto recorded = [&](const Body& body) {
    return body.dimension == 0 || std::any_of(file.bodies().begin(), file.bodies().end(), [&](const FrameBody& each) {
             return each.name == body.name && each.nodes == body.nodes && each.dimension == body.dimension;
           });
  };
  return std::all_of(model.bodies().begin(), model.bodies().end(), recorded);
}

Drawing drawing_of(const FramesFile& file, const std::optional<Scene>& scene, std::vector<std::string>& warnings) {
  if (scene && has_more_than_solids(file, *scene)) {
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
std::vector<DrawnField> recorded_fields(const FramesFile& file) {
  std::set<std::string> recorded = {"displacement"};
  for (const FrameBody& body : file.bodies()) recorded.insert(body.fields.begin(), body.fields.end());
  std::vector<DrawnField> fields;
  for (const FieldRecord& record : field_records()) {
    DrawnField field = drawn_field(record);
    if (record.name == "von_mises" && recorded.count("von_mises") == 0) field.source = "stress";
    if (record.name != "stress" && recorded.count(field.source) != 0) fields.push_back(field);
  }
  return fields;
}

void enlarge(std::vector<double>& box, const std::vector<double>& by) {
  if (box.empty()) box = by;
  for (std::size_t c = 0; c < 3; ++c) {
    box[c] = std::min(box[c], by[c]);
    box[3 + c] = std::max(box[3 + c], by[3 + c]);
  }
}

}  // namespace

RecordedMotion::RecordedMotion(const fs::path& directory, const std::optional<Scene>& scene)
    : summary_(read_summary(directory)), columns_(columns_of(summary_, directory)) {
  if (const auto path = frames_file(summary_, directory)) {
    std::error_code ignored;
    changed_ = fs::last_write_time(*path, ignored);
    try {
      read_frames(*path, scene);
    } catch (const RunError& error) {
      fault_ = error.what();
      warnings_.push_back(fault_);
    }
  } else if (scene) {
    read_places(directory / "history.csv", *scene);
  }
  if (box_.empty()) box_ = box_of({}, {});
  up_ = up_direction(drawing_.dimension, scene ? against_gravity(*scene) : std::nullopt, obstacles());
  if (!scene) warnings_.push_back("scene.toml cannot be read: colours and plots are all there is");
  // Systems in generalised coordinates have no nodes to record.
  const bool has_bodies = !scene || scene->root.find("system") == nullptr || scene->root.find("body") != nullptr;
  if (frames() == 0 && has_bodies && fault_.empty())
    warnings_.push_back(
        "the run has no recording of frames, so that only its plots can be shown. Record them with "
        "output = [{ kind = \"frames\" }] in the scene");
}

const DrawnField* RecordedMotion::find_field(const std::string& name) const {
  const auto found =
      std::find_if(fields_.begin(), fields_.end(), [&](const DrawnField& each) { return each.name == name; });
  return found != fields_.end() ? &*found : nullptr;
}

std::vector<Obstacle> RecordedMotion::obstacles() const { return file_ ? file_->obstacles() : std::vector<Obstacle>{}; }

bool RecordedMotion::outdated(const fs::path& directory) const {
  const auto path = frames_file(summary_, directory);
  std::error_code ignored;
  return path && fs::last_write_time(*path, ignored) != changed_;
}

std::vector<double> RecordedMotion::coordinates(int frame) const {
  if (!file_) return places_[frame];
  std::vector<double> x = drawing_.reference();
  for (std::size_t k = 0; k < recorded_.size(); ++k) {
    if (recorded_[k] == nullptr) continue;
    const auto positions = file_->positions(*recorded_[k], frame);
    std::copy(positions.begin(), positions.end(), x.begin() + drawing_.bodies[k].first);
  }
  return x;
}

FieldValues RecordedMotion::values(const DrawnField& field, int frame, const std::vector<double>& x) const {
  const FieldRecord& record = field_record(field.source);
  FieldValues result{record.per_cell, record.components, {}};
  const std::vector<double> reference = drawing_.reference();
  for (std::size_t k = 0; k < drawing_.bodies.size(); ++k) {
    const Body& body = drawing_.bodies[k];
    if (record.components == 0 && body.dimension > 0) result.components = body.dimension;
    std::vector<float> list;
    if (body.dimension == 0) {
      result.of_body.push_back({});
      continue;
    }
    if (field.source == "displacement") {
      for (int i = body.first; i < body.first + body.size(); ++i)
        list.push_back(static_cast<float>(x[i] - reference[i]));
    } else if (recorded_[k] != nullptr) {
      const auto& names = recorded_[k]->fields;
      if (std::find(names.begin(), names.end(), field.source) != names.end())
        list = file_->values(*recorded_[k], field.source, frame);
    }
    result.of_body.push_back(std::move(list));
  }
  return result;
}

// Bounds over some frames, evenly spread; of what is drawn and of fields.
void RecordedMotion::measure_ranges() {
  if (frames() == 0) return;
  const auto size = static_cast<double>(std::max<std::size_t>(drawing_.reference().size(), 1));
  const int samples = std::clamp(static_cast<int>(sampled_values / size), 2, most_samples);
  // The recorded box is that of nodes, which are not at the corners of rigid bodies.
  const bool has_shapes = std::any_of(drawing_.bodies.begin(), drawing_.bodies.end(),
                                      [](const Body& body) { return body.rigid != nullptr; });
  int last = -1;
  for (int k = 0; k < samples; ++k) {
    const int frame = static_cast<int>(static_cast<long>(k) * (frames() - 1) / (samples - 1));
    if (frame == std::exchange(last, frame)) continue;
    const std::vector<double> x = coordinates(frame);
    if (has_shapes) enlarge(box_, box_of(drawing_, x));
    for (DrawnField& each : fields_) each.range.add(drawn_values(drawing_, values(each, frame, x)));
  }
}

void RecordedMotion::read_frames(const fs::path& path, const std::optional<Scene>& scene) {
  file_.emplace(path);
  drawing_ = drawing_of(*file_, scene, warnings_);
  for (const Body& body : drawing_.bodies) {
    const auto found = std::find_if(file_->bodies().begin(), file_->bodies().end(),
                                    [&](const FrameBody& each) { return each.name == body.name; });
    recorded_.push_back(found != file_->bodies().end() ? &*found : nullptr);
  }
  t_ = file_->t();
  box_ = file_->box();
  fields_ = recorded_fields(*file_);
  measure_ranges();
}

// Systems in generalised coordinates are drawn from the rows of the history.
void RecordedMotion::read_places(const fs::path& path, const Scene& scene) {
  const auto picture = system_picture(scene);
  if (!picture) return;
  const History history = read_history_with_extremes(path, most_places);
  std::vector<const std::vector<double>*> columns_of_q;
  for (const std::string& name : picture->columns) columns_of_q.push_back(history.find(name));
  const auto* times = history.find("t");
  if (times == nullptr || std::count(columns_of_q.begin(), columns_of_q.end(), nullptr) > 0) return;
  drawing_ = picture->drawing;
  recorded_.assign(drawing_.bodies.size(), nullptr);
  t_ = *times;
  for (std::size_t row = 0; row < t_.size(); ++row) {
    std::vector<double> q;
    for (const auto* column : columns_of_q) q.push_back((*column)[row]);
    places_.push_back(drawing_.coordinates(q));
    enlarge(box_, box_of(drawing_, places_.back()));
  }
}

Recording::Recording(const fs::path& directory) : directory_(directory) {
  require_run(directory, "a directory that livens run wrote, or a scene (.toml) to run it live");
  name_ = run_name(directory);
  scene_ = read_scene(directory);
}

std::shared_ptr<const RecordedMotion> Recording::motion() {
  const std::lock_guard lock(mutex_);
  if (motion_ == nullptr || motion_->outdated(directory_))
    motion_ = std::make_shared<RecordedMotion>(directory_, scene_);
  return motion_;
}

}  // namespace livens
