// Numbers and texts with names as bytes, little-endian, for checkpoints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <livens/integrator.hpp>
#include <livens/run.hpp>

namespace livens {

class MemoryWriter final : public MemoryVisitor {
 public:
  void visit(const char* name, double& value) override;
  void visit(const char* name, long& value) override;
  void visit(const char* name, std::vector<double>& values) override;
  void add_text(const char* name, std::string_view text);

  const std::string& bytes() const { return bytes_; }

 private:
  void add_head(char type, const char* name);

  std::string bytes_;
};

// Throws RunError if the bytes do not hold what is asked for, in this order.
class MemoryReader final : public MemoryVisitor {
 public:
  explicit MemoryReader(std::string_view bytes) : rest_(bytes) {}
  void visit(const char* name, double& value) override;
  void visit(const char* name, long& value) override;
  void visit(const char* name, std::vector<double>& values) override;
  std::string text(const char* name);

 private:
  void take_head(char type, const char* name);
  void take(void* target, std::size_t size);

  std::string_view rest_;
};

void visit_state(State& state, MemoryVisitor& visitor);

}  // namespace livens
