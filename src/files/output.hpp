// An output besides history.csv: something that is written at times origin + k * every. To add a kind, write its file
// and name its record in output_records.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <livens/observer.hpp>
#include <livens/records.hpp>
#include <livens/settings.hpp>

#include "files/schedule.hpp"
#include "files/write_queue.hpp"

namespace livens {

// What outputs of one run share.
struct OutputContext {
  const Model& model;
  std::filesystem::path directory;
  double duration = 0;  // s, simulated
  std::string title;
  WriteQueue* queue = nullptr;  // null: everything is written at once
};

class Output : public Observer {
 public:
  // every: simulated time between frames; nothing: duration / parts.
  Output(std::string name, std::optional<double> every, double parts, const OutputContext& context)
      : name_(std::move(name)), given_(every), default_(context.duration / parts), queue_(context.queue) {}

  const std::string& name() const { return name_; }
  long frames() const { return static_cast<long>(t_.size()); }

  void begin(const Sample& sample) final;
  void observe(const Sample& sample) final;
  // The last state gets a frame even if none is due. The checkpoint does not include it, so that a run which
  // goes on has the frames of one that was never stopped.
  void end(const Sample& sample) final;
  double next_time() const final { return schedule_.next_time(); }
  void visit_memory(MemoryVisitor& visitor) final;

  // After visit_memory has read a checkpoint: goes on behind its frames. Throws RunError if there are fewer. Begins
  // anew where the files are gone altogether.
  void resume(const Sample& sample);
  // Before a checkpoint: everything it will refer to is on disk.
  virtual void sync() {}
  // What it writes, relative to the directory of the run; folders end with a slash.
  virtual std::vector<std::string> files() const = 0;

 protected:
  virtual void start() = 0;                         // an empty output
  virtual bool reopen(long frames) = 0;             // drops all later frames; false if the files are gone
  virtual void write(const Sample& sample) = 0;     // the frame t().back(): takes what it needs and writes it later
  virtual void finish() {}                          // after the last frame
  virtual void visit_own_memory(MemoryVisitor&) {}  // besides times and schedule

  // By the thread that writes, which meets nothing of what the run goes on with. bytes: what `write` keeps.
  void later(std::size_t bytes, std::function<void()> write) { write_by(queue_, bytes, std::move(write)); }
  // Until all of that is written; throws if something could not be.
  void wait() {
    if (queue_ != nullptr) queue_->finish();
  }

  const std::vector<double>& t() const { return t_; }
  const std::vector<long>& steps() const { return steps_; }

 private:
  void take(const Sample& sample);

  std::string name_;
  std::optional<double> given_;
  double default_;
  WriteQueue* queue_;
  Schedule schedule_;
  std::vector<double> t_;
  std::vector<long> steps_;
};

struct OutputRecord : Record {
  std::unique_ptr<Output> (*make)(const Settings& settings, const std::string& name,
                                  const OutputContext& context) = nullptr;  // null: every run has it
};

// history, frames, vtu, ...
Registry<OutputRecord>& output_records();

OutputRecord frames_record();
OutputRecord vtu_record();
OutputRecord obj_record();
OutputRecord ply_record();

// Bytes of a recording of frames before compression.
double frames_bytes(const Model& model, const std::vector<std::string>& fields, double frames);

}  // namespace livens
