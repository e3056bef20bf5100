// A finished run as it can be drawn, from the files in its directory: frames are read when they are asked for, and
// nothing of a run is kept in memory besides the shape of its bodies. For the viewer, exports and the gallery.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <livens/scene.hpp>

#include "draw/drawn_field.hpp"
#include "files/frames_reader.hpp"
#include "run/finished_run.hpp"

namespace livens {

// What the files of a run have when they are read.
class RecordedMotion {
 public:
  RecordedMotion(const std::filesystem::path& directory, const std::optional<Scene>& scene);
  RecordedMotion(const RecordedMotion&) = delete;  // `recorded_` points into the file
  RecordedMotion& operator=(const RecordedMotion&) = delete;

  const SummaryJson& summary() const { return summary_; }
  const std::vector<Column>& columns() const { return columns_; }  // of the history
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::string& fault() const { return fault_; }  // why the recording of frames cannot be read; "" if it can

  const Drawing& drawing() const { return drawing_; }
  const std::vector<DrawnField>& fields() const { return fields_; }
  const DrawnField* find_field(const std::string& name) const;  // null if there is none
  std::vector<Obstacle> obstacles() const;
  const Eigen::Vector3d& up() const { return up_; }
  const std::vector<double>& box() const { return box_; }  // of all frames: least x y z, largest x y z

  int frames() const { return static_cast<int>(t_.size()); }
  const std::vector<double>& t() const { return t_; }
  std::vector<double> coordinates(int frame) const;  // of the bodies of the drawing
  FieldValues values(const DrawnField& field, int frame, const std::vector<double>& x) const;  // x: coordinates(frame)

  // Whether the file of frames has been written to since.
  bool outdated(const std::filesystem::path& directory) const;

 private:
  void read_frames(const std::filesystem::path& path, const std::optional<Scene>& scene);
  void read_places(const std::filesystem::path& history, const Scene& scene);
  void measure_ranges();

  SummaryJson summary_;
  std::filesystem::file_time_type changed_;
  Drawing drawing_;
  std::vector<DrawnField> fields_;
  std::vector<Column> columns_;
  std::vector<double> t_, box_;
  Eigen::Vector3d up_;
  std::vector<std::string> warnings_;
  std::string fault_;
  std::optional<FramesFile> file_;
  std::vector<const FrameBody*> recorded_;   // of each body of the drawing; null if there is none
  std::vector<std::vector<double>> places_;  // of systems without a recording, by frame: coordinates of the drawing
};

class Recording {
 public:
  explicit Recording(const std::filesystem::path& directory);  // throws RunError if there is no run

  const std::filesystem::path& directory() const { return directory_; }
  const std::string& name() const { return name_; }
  std::string title() const { return scene_ ? scene_->title() : name_; }
  const Scene* scene() const { return scene_ ? &*scene_ : nullptr; }  // null if scene.toml cannot be read
  // Read at the first use, and again when a run still in progress has advanced. May be called by several threads.
  std::shared_ptr<const RecordedMotion> motion();

 private:
  std::filesystem::path directory_;
  std::string name_;
  std::optional<Scene> scene_;
  std::mutex mutex_;
  std::shared_ptr<const RecordedMotion> motion_;
};

}  // namespace livens
