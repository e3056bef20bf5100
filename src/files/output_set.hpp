// All outputs of a run besides history.csv.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "files/output.hpp"

namespace livens {

class OutputSet final : public Observer {
 public:
  // key: kind and name, by which a checkpoint knows an output.
  void add(std::string key, std::unique_ptr<Output> output) { outputs_.push_back({std::move(key), std::move(output)}); }

  void begin(const Sample& sample) override;
  void observe(const Sample& sample) override;
  bool takes_blocks() const override { return true; }  // frames are due at times
  void end(const Sample& sample) override;
  // Outputs may come and go between a run and its continuation, so each has a memory of its own.
  double next_time() const override;
  void visit_memory(MemoryVisitor& visitor) override;

  void sync();
  // After visit_memory has read a checkpoint: known outputs go on, new ones begin here.
  void resume(const Sample& sample);
  std::vector<std::string> files() const;

 private:
  struct OutputEntry {
    std::string key;
    std::unique_ptr<Output> output;
  };

  std::vector<OutputEntry> outputs_;
  std::set<std::string> remembered_;
};

}  // namespace livens
