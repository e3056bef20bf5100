// A finished run as the viewer shows it, from the files in its directory: frames are read when they are asked for, and
// nothing of a run is kept in memory besides the shape of its bodies.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <livens/scene.hpp>

#include "files/history.hpp"
#include "view/view_source.hpp"

namespace livens {

using SceneValues = std::vector<std::pair<std::string, std::string>>;  // keys and what they are set to

class Recording {
 public:
  explicit Recording(const std::filesystem::path& directory);  // throws RunError if there is no run
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  const std::string& name() const { return name_; }
  std::string title() const;
  const Scene* scene() const { return scene_ ? &*scene_ : nullptr; }  // null if scene.toml cannot be read
  std::vector<std::string> warnings();                                // what is missing

  std::string description(int id, const SceneValues& differs);
  std::string mesh();
  std::string frames(const FrameRequest& request);
  std::string history();

 private:
  struct Content;
  std::shared_ptr<const Content> content();  // read at the first use, and again when a run that goes on has got further

  std::filesystem::path directory_;
  std::string name_;
  std::optional<Scene> scene_;
  std::mutex mutex_;
  std::shared_ptr<const Content> content_;
};

// Finished runs side by side.
class RecordedRuns final : public ViewSource {
 public:
  explicit RecordedRuns(const std::vector<std::string>& directories);  // throws RunError

  std::string session() override;
  int runs() const override { return static_cast<int>(runs_.size()); }
  std::string description(int id) override;
  std::string mesh(int id) override { return run(id).mesh(); }
  std::string frames(int id, const FrameRequest& request) override { return run(id).frames(request); }
  std::string history(int id, std::optional<long>) override { return run(id).history(); }
  std::vector<std::string> warnings();

 private:
  Recording& run(int id) { return *runs_[id]; }

  std::vector<std::unique_ptr<Recording>> runs_;
  std::vector<SceneValues> differs_;
};

}  // namespace livens
