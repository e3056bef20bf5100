// What the fuzz targets share. Each is a program of libFuzzer: bytes go in, and a result or one of our own errors comes
// out; faults of memory, undefined behaviour, other exceptions and long runs are findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace livens::fuzz {

// The directory that run.sh made for the target.
inline const std::filesystem::path& scratch() {
  static const std::filesystem::path path = [] {
    const char* given = std::getenv("LIVENS_FUZZ_SCRATCH");
    return given != nullptr ? std::filesystem::path(given) : std::filesystem::temp_directory_path();
  }();
  return path;
}

inline std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

inline std::filesystem::path file_of(std::string_view bytes, const std::string& name) {
  const auto path = scratch() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

// A quantity that must hold whatever comes in.
inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace livens::fuzz
