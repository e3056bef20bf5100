#include "files/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "files/bytes.hpp"

namespace livens {
namespace {

static_assert(sizeof(long) == 8 && sizeof(double) == 8);

// Whether it can be printed; the bytes of a damaged file cannot.
bool is_name(const std::string& text) {
  return text.size() < 64 && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

void MemoryWriter::add_head(char type, const char* name) {
  bytes_ += type;
  bytes_ += name;
  bytes_ += '\0';
}

void MemoryWriter::visit(const char* name, double& value) {
  add_head('d', name);
  append_bytes(bytes_, value);
}

void MemoryWriter::visit(const char* name, long& value) {
  add_head('i', name);
  append_bytes(bytes_, value);
}

void MemoryWriter::visit(const char* name, std::vector<double>& values) {
  add_head('v', name);
  append_bytes(bytes_, std::uint64_t{values.size()});
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

void MemoryWriter::add_text(const char* name, std::string_view text) {
  add_head('t', name);
  append_bytes(bytes_, std::uint64_t{text.size()});
  bytes_ += text;
}

void MemoryReader::take(void* target, std::size_t size) {
  if (rest_.size() < size) throw RunError("the checkpoint ends too early");
  if (size == 0) return;  // an empty vector has no place to copy to
  std::memcpy(target, rest_.data(), size);
  rest_.remove_prefix(size);
}

void MemoryReader::take_head(char type, const char* name) {
  const std::string wanted = std::string(1, type) + name;
  const std::string found(rest_.substr(0, std::min(rest_.find('\0'), rest_.size())));
  if (found != wanted)
    throw RunError("the checkpoint has " + (is_name(found) ? "'" + found + "'" : "no name") +
                   " where this version expects '" + wanted + "'");
  rest_.remove_prefix(wanted.size());
  char zero = 1;
  take(&zero, 1);
}

void MemoryReader::visit(const char* name, double& value) {
  take_head('d', name);
  take(&value, sizeof value);
}

void MemoryReader::visit(const char* name, long& value) {
  take_head('i', name);
  take(&value, sizeof value);
}

void MemoryReader::visit(const char* name, std::vector<double>& values) {
  take_head('v', name);
  std::uint64_t size = 0;
  take(&size, sizeof size);
  if (size > rest_.size() / sizeof(double)) throw RunError("the checkpoint ends too early");
  values.resize(size);
  take(values.data(), size * sizeof(double));
}

std::string MemoryReader::text(const char* name) {
  take_head('t', name);
  std::uint64_t size = 0;
  take(&size, sizeof size);
  if (size > rest_.size()) throw RunError("the checkpoint ends too early");
  std::string result(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return result;
}

void visit_state(State& state, MemoryVisitor& visitor) {
  visitor.visit("t", state.t);
  visitor.visit("q", state.q);
  visitor.visit("p", state.p);
  visitor.visit("v", state.v);
  visitor.visit("lambda", state.lambda);
}

}  // namespace livens
