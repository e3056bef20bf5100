// HDF5 files that only grow, and that are complete at every instant.
//
// The HDF5 library changes the index of a file in place, so that a process which is killed in between can leave a file
// that nobody can open. Here, numbers are only ever appended; commit() appends a new index of everything (object
// headers and chunk trees) and then switches to it by overwriting the 48 bytes of the superblock. Whoever opens the
// file sees all of the last commit and nothing else. Any HDF5 library from 1.8 on reads it.
// Format: "HDF5 File Format Specification Version 3.0", sections named in the source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "files/files.hpp"

namespace livens {

enum class Hdf5Type { float32, float64, int32, int64 };
std::size_t size_of(Hdf5Type type);

struct Hdf5Attribute {
  std::string name;
  std::variant<std::string, std::vector<double>, std::vector<long>, std::vector<std::string>> value;
};

// A piece of a dataset: all of one index of the first axis, shuffled and deflated.
struct Hdf5Chunk {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

struct Hdf5Dataset {
  std::string name;
  Hdf5Type type = Hdf5Type::float64;
  std::vector<std::uint64_t> shape;  // of chunked ones without the first axis
  bool chunked = false;
  std::uint64_t address = 0;      // of the numbers, if not chunked
  std::vector<Hdf5Chunk> chunks;  // one for each index of the first axis
  std::vector<Hdf5Attribute> attributes = {};
};

struct Hdf5Group {
  std::string name;
  std::vector<Hdf5Attribute> attributes;
  std::vector<Hdf5Dataset> datasets;
  std::vector<Hdf5Group> groups;
};

// Jenkins' lookup3 over bytes, with 0 as the start: the checksum of all metadata.
std::uint32_t hdf5_checksum(std::string_view bytes);

class Hdf5Log {
 public:
  static Hdf5Log create(const std::filesystem::path& path);
  // Continues after the last commit; throws RunError if the file is not one of these.
  static Hdf5Log reopen(const std::filesystem::path& path);

  std::uint64_t append(std::string_view bytes);                // returns the address
  Hdf5Chunk append_chunk(std::string_view numbers, int size);  // size: bytes of a number
  // Makes `root` the content of the file. durable: also after a power cut.
  void commit(const Hdf5Group& root, bool durable);
  std::uint64_t size() const { return end_; }

 private:
  Hdf5Log(File file, std::uint64_t end) : file_(std::move(file)), end_(end) {}

  File file_;
  std::uint64_t end_;
};

}  // namespace livens
