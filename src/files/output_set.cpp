#include "files/output_set.hpp"

#include <algorithm>
#include <cstring>

#include "files/memory.hpp"

namespace livens {
namespace {

// Texts as numbers, since that is what a memory has.
void visit_text(MemoryVisitor& visitor, const char* name, std::string& text) {
  auto size = static_cast<long>(text.size());
  visitor.visit(name, size);
  std::vector<double> words((text.size() + sizeof(double) - 1) / sizeof(double), 0.0);
  if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
  visitor.visit(name, words);
  if (size < 0 || static_cast<std::size_t>(size) > words.size() * sizeof(double))
    throw RunError("the checkpoint has a text that is cut off");
  text.resize(size);
  if (!text.empty()) std::memcpy(text.data(), words.data(), text.size());
}

}  // namespace

void OutputSet::begin(const Sample& sample) {
  for (OutputEntry& each : outputs_) each.output->begin(sample);
}

void OutputSet::observe(const Sample& sample) {
  for (OutputEntry& each : outputs_) each.output->observe(sample);
}

void OutputSet::end(const Sample& sample) {
  for (OutputEntry& each : outputs_) each.output->end(sample);
}

double OutputSet::next_time() const {
  double t = std::numeric_limits<double>::infinity();
  for (const OutputEntry& each : outputs_) t = std::min(t, each.output->next_time());
  return t;
}

void OutputSet::visit_memory(MemoryVisitor& visitor) {
  std::vector<std::string> keys, memories;
  for (OutputEntry& each : outputs_) {
    MemoryWriter own;
    each.output->visit_memory(own);
    keys.push_back(each.key);
    memories.push_back(own.bytes());
  }
  auto count = static_cast<long>(keys.size());
  visitor.visit("outputs", count);
  keys.resize(count);
  memories.resize(count);
  remembered_.clear();
  for (std::size_t k = 0; k < keys.size(); ++k) {
    visit_text(visitor, "output", keys[k]);
    visit_text(visitor, "output_memory", memories[k]);
    const auto found =
        std::find_if(outputs_.begin(), outputs_.end(), [&](const OutputEntry& each) { return each.key == keys[k]; });
    if (found == outputs_.end()) continue;
    MemoryReader own(memories[k]);
    found->output->visit_memory(own);
    remembered_.insert(keys[k]);
  }
}

void OutputSet::sync() {
  for (OutputEntry& each : outputs_) each.output->sync();
}

void OutputSet::resume(const Sample& sample) {
  for (OutputEntry& each : outputs_)
    if (remembered_.count(each.key) != 0)
      each.output->resume(sample);
    else
      each.output->begin(sample);
}

std::vector<std::string> OutputSet::files() const {
  std::vector<std::string> all;
  for (const OutputEntry& each : outputs_)
    for (std::string& file : each.output->files()) all.push_back(std::move(file));
  return all;
}

}  // namespace livens
