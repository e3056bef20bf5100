#include "run/checkpoint.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "files/files.hpp"
#include "files/memory.hpp"
#include "scene/files.hpp"
#include "scene/sha256.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "livensCP";
constexpr std::uint32_t format_version = 2;
constexpr std::size_t head_size = magic.size() + sizeof format_version;
constexpr std::size_t digest_size = 32;

std::string digest_of(std::string_view bytes) {
  Sha256 sha;
  sha.add(bytes);
  const auto digest = sha.digest();
  return std::string(digest.begin(), digest.end());
}

std::string head() {
  std::string bytes(magic);
  bytes.append(reinterpret_cast<const char*>(&format_version), sizeof format_version);
  return bytes;
}

void check_head(std::string_view bytes) {
  if (bytes.size() < head_size + digest_size || bytes.substr(0, magic.size()) != magic) throw RunError("no checkpoint");
  std::uint32_t found = 0;
  std::memcpy(&found, bytes.data() + magic.size(), sizeof found);
  if (found != format_version) throw RunError(fmt::format("version {}, this program reads {}", found, format_version));
}

std::string memory_of(const Sample& sample, std::span<Observer* const> observers) {
  MemoryWriter memory;
  State copy = sample.state;
  visit_state(copy, memory);
  sample.integrator.visit_memory(memory);
  for (Observer* observer : observers) observer->visit_memory(memory);
  return memory.bytes();
}

}  // namespace

State Checkpoint::state() const {
  State state;
  MemoryReader reader(memory);
  visit_state(state, reader);
  return state;
}

void Checkpoint::restore(State& state, Integrator& integrator, std::span<Observer* const> observers) const {
  MemoryReader reader(memory);
  const std::size_t coordinates = state.q.size();
  visit_state(state, reader);
  if (state.q.size() != coordinates || state.p.size() != coordinates || state.v.size() != coordinates)
    throw RunError(fmt::format("it has {} coordinates, and the model has {}", state.q.size(), coordinates));
  integrator.visit_memory(reader);
  for (Observer* observer : observers) observer->visit_memory(reader);
}

Checkpoint load_checkpoint(const fs::path& path) {
  const std::string bytes = file_content(path);
  const std::string_view all(bytes);
  if (all.size() < digest_size) throw RunError("checksum");
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  if (digest_of(all.substr(0, all.size() - digest_size)) != all.substr(all.size() - digest_size))
    throw RunError("checksum");
#endif
  check_head(all);
  MemoryReader reader(all.substr(head_size, all.size() - head_size - digest_size));
  Checkpoint checkpoint;
  checkpoint.path = path;
  checkpoint.scene = reader.text("scene");
  long inputs = 0;
  reader.visit("inputs", inputs);
  for (long k = 0; k < inputs; ++k) {
    checkpoint.inputs.push_back(reader.text("input"));
    checkpoint.inputs_sha256.push_back(reader.text("sha256"));
  }
  reader.visit("t_end", checkpoint.t_end);
  checkpoint.memory = reader.text("memory");
  return checkpoint;
}

CheckpointWriter::CheckpointWriter(const fs::path& run, const Scene& scene, const std::vector<InputFile>& inputs,
                                   const RunPlan& plan)
    : folder_(run / "checkpoints"),
      scene_(toml_for(scene, run)),
      inputs_(inputs),
      keep_(plan.checkpoints_kept),
      t_end_(plan.t_end) {}

void CheckpointWriter::write(const Sample& sample, std::span<Observer* const> observers) {
  const long step = sample.integrator.counters().steps;
  if (step != written_) write(step, memory_of(sample, observers));
}

void CheckpointWriter::keep(const Sample& sample, std::span<Observer* const> observers) {
  kept_step_ = sample.integrator.counters().steps;
  kept_ = memory_of(sample, observers);
}

void CheckpointWriter::write_kept() {
  if (kept_step_ > written_) write(kept_step_, kept_);
}

void CheckpointWriter::write(long step, const std::string& memory) {
  MemoryWriter content;
  content.add_text("scene", scene_);
  auto count = static_cast<long>(inputs_.size());
  content.visit("inputs", count);
  for (const InputFile& input : inputs_) {
    content.add_text("input", input.name);
    content.add_text("sha256", input.sha256);
  }
  content.visit("t_end", t_end_);
  content.add_text("memory", memory);
  std::string bytes = head() + content.bytes();
  bytes += digest_of(bytes);
  make_folder(folder_);
  write_file(folder_ / fmt::format("step-{:012}", step), bytes);
  written_ = step;
  const auto all = checkpoints_of(folder_.parent_path());
  std::error_code error;
  for (std::size_t k = static_cast<std::size_t>(keep_); k < all.size(); ++k) fs::remove(all[k], error);
}

std::vector<fs::path> checkpoints_of(const fs::path& run) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints", error)) {
    if (is_checkpoint_name(entry.path().filename().string())) paths.push_back(entry.path());
  }
  std::sort(paths.rbegin(), paths.rend());
  return paths;
}

Found newest_sound_checkpoint(const fs::path& run, const std::function<void(const Checkpoint&)>& accept) {
  const auto paths = checkpoints_of(run);
  if (paths.empty()) throw RunError("refused   " + run.string() + " has no checkpoint to resume from");
  std::string damage;
  for (const fs::path& path : paths) {
    try {
      Found found{load_checkpoint(path), damage};
      accept(found.checkpoint);
      std::error_code ignored;
      for (const fs::path& newer : paths) {
        if (newer == path) break;
        fs::remove(newer, ignored);
      }
      return found;
    } catch (const RunError& error) {
      damage += (damage.empty() ? "" : ", ") + std::string(error.what());
    }
  }
  throw RunError(fmt::format("refused   {}: all {} checkpoints are damaged: {}", run.string(), paths.size(), damage));
}

}  // namespace livens
