// The bytes of a mesh file, and where in them something is wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace livens {

// Half of this machine's memory: what is larger is refused before it is read or unpacked.
std::size_t memory_limit();

struct MeshSource {
  std::string name;   // as the user wrote it
  std::string bytes;  // the whole file

  std::string line(std::size_t offset) const;  // "1042"
  std::string byte(std::size_t offset) const;  // " byte 5120"
  [[noreturn]] void fail_line(std::size_t offset, const std::string& text) const;
  [[noreturn]] void fail_byte(std::size_t offset, const std::string& text) const;
};

// Looks at the first bytes of a file, and at its size, before the rest is read; throws MeshError for what is something
// else. `head` has 4096 bytes, or all.
using HeadCheck = void (*)(const std::string& name, std::string_view head, std::size_t size);

// Throws MeshError for what cannot be read or does not fit.
MeshSource load_source(const std::filesystem::path& file, HeadCheck check);

}  // namespace livens
