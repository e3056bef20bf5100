// Checkpoints: all that a bit-identical continuation needs, in one file that guards itself by a checksum.
//
//   "livensCP", version (4 bytes), scene, names and SHA-256 of the files that it reads, state, memory of the
//   integrator, memory of the observers, SHA-256 of all before
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <livens/observer.hpp>
#include <livens/setup.hpp>

#include "scene/files.hpp"

namespace livens {

// The content of a sound checkpoint.
struct Checkpoint {
  std::filesystem::path path;
  std::string scene;                               // as TOML
  std::vector<std::string> inputs, inputs_sha256;  // files that the scene reads, as they were when the run began
  double t_end = 0;                                // s, where it was to end
  std::string memory;                              // state, integrator, observers

  State state() const;
  // Throws RunError if the memory does not fit.
  void restore(State& state, Integrator& integrator, std::span<Observer* const> observers) const;
};

// Throws RunError with the reason if the file is damaged.
Checkpoint load_checkpoint(const std::filesystem::path& path);

// Writes checkpoints/step-N of a run directory and keeps the newest ones.
class CheckpointWriter {
 public:
  CheckpointWriter(const std::filesystem::path& run, const Scene& scene, const std::vector<InputFile>& inputs,
                   const RunPlan& plan);
  void write(const Sample& sample, std::span<Observer* const> observers);
  // In memory, so that there is a good state to return to if what follows is not; and on disk.
  void keep(const Sample& sample, std::span<Observer* const> observers);
  void write_kept();

 private:
  void write(long step, const std::string& memory);

  std::filesystem::path folder_;
  std::string scene_;
  std::vector<InputFile> inputs_;
  int keep_;
  double t_end_;
  long written_ = -1, kept_step_ = -1;
  std::string kept_;
};

// Paths of a run's checkpoints, newest first.
std::vector<std::filesystem::path> checkpoints_of(const std::filesystem::path& run);

// Tries the newest one that loads and that `accept` takes without a RunError; removes those that are newer than it.
// `damage` says what was wrong with them. Throws RunError if none is left.
struct Found {
  Checkpoint checkpoint;
  std::string damage;  // "" if the newest one was sound
};
Found newest_sound_checkpoint(const std::filesystem::path& run, const std::function<void(const Checkpoint&)>& accept);

}  // namespace livens
