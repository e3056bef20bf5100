// Finished runs in the texts and bytes of docs/view_protocol.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "run/recording.hpp"
#include "view/view_source.hpp"

namespace livens {

using SceneValues = std::vector<std::pair<std::string, std::string>>;  // keys and what they are set to

class RecordingView {
 public:
  explicit RecordingView(const std::filesystem::path& directory) : recording_(directory) {}  // throws RunError

  Recording& recording() { return recording_; }
  const std::string& name() const { return recording_.name(); }
  std::string title() const { return recording_.title(); }
  const Scene* scene() const { return recording_.scene(); }
  std::vector<std::string> warnings() { return recording_.motion()->warnings(); }  // what is missing

  std::string description(int id, const SceneValues& differs);
  std::string mesh();
  std::string frames(const FrameRequest& request);
  std::string history();

 private:
  Recording recording_;
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
  Recording& recording(int id) { return run(id).recording(); }

 private:
  RecordingView& run(int id) { return *runs_[id]; }

  std::vector<std::unique_ptr<RecordingView>> runs_;
  std::vector<SceneValues> differs_;
};

}  // namespace livens
