// A scene that runs while the user watches it and intervenes.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "view/description.hpp"
#include "view/live_simulation.hpp"
#include "view/view_source.hpp"

namespace livens {

// A pace at which a scene lasts neither an instant nor an hour: real time, or a round multiple of it.
double suitable_pace(double duration);

class LiveSession final : public ViewSource {
 public:
  struct Options {
    int threads = 0;  // 0: all cores
    bool paused = false;
    bool waits = false;                         // starts when a page opens: a short scene would be over before that
    std::optional<double> pace = std::nullopt;  // suitable_pace without
  };
  explicit LiveSession(const Scene& scene) : LiveSession(scene, Options{}) {}
  LiveSession(const Scene& scene, const Options& options);  // throws SceneError

  void on_news(std::function<void()> tell) { simulation_->board().on_news(std::move(tell)); }
  LiveSimulation& simulation() { return *simulation_; }

  std::string session() override;
  int runs() const override { return 1; }
  std::string description(int id) override;
  std::string mesh(int id) override;
  std::string frames(int id, const FrameRequest& request) override;
  std::string history(int id, std::optional<long> after) override;
  bool live() const override { return true; }
  std::string live_state() override;
  std::optional<std::string> live_frame(long after, const FrameRequest& request) override;
  std::string command(const std::string& json) override;

 private:
  void set(const std::string& key, double value);
  void set_pace(double pace);
  void pull(const Pull& wished);
  void release();
  void restart();
  void send(LiveWishes wishes, std::string change);

  void begin_for_viewer();

  const Scene original_;
  std::atomic<bool> waits_;
  std::shared_ptr<void> thread_limit_;
  std::mutex edits_;  // one change at a time: what is wished for, which the simulation may not have reached yet
  std::shared_ptr<const Model> given_;
  Hands hands_;
  std::shared_ptr<const Drawing> drawing_;
  std::mutex mutex_;  // of what others read meanwhile
  Scene scene_;
  std::optional<Pull> pull_;
  double t_end_ = 0;
  std::unique_ptr<LiveSimulation> simulation_;
};

}  // namespace livens
