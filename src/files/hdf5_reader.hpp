// Reads the part of HDF5 that recordings of frames need, from bytes that may be damaged or forged: every address, size
// and count is checked against the file before it is used. Numbers that are in other files (external storage, external
// and soft links, virtual datasets) are refused. Faults are RunErrors that name the object.
//
// Read: superblocks 0 to 3; groups by link messages or symbol tables; numbers and texts of fixed size; contiguous and
// compact datasets, and chunks of whole rows, shuffled and deflated. That is what Livens writes (hdf5_log.hpp), and
// what the HDF5 library writes by default. Format: "HDF5 File Format Specification Version 3.0", sections named in the
// source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/files.hpp"
#include "files/hdf5_log.hpp"

namespace livens {

struct Hdf5Element {
  enum class Kind { whole, floating, text };
  Kind kind = Kind::whole;
  bool has_sign = true;
  std::size_t size = 0;  // bytes
};

struct Hdf5Array {
  Hdf5Element element;
  std::vector<std::uint64_t> shape;  // empty: one value
  std::uint64_t count() const;       // of values; no more than fit into 2^63 bytes
};

struct Hdf5Value : Hdf5Array {
  std::string bytes;
};

// Where the numbers of a dataset stand.
struct Hdf5Stored : Hdf5Array {
  std::string path;  // in the file
  bool chunked = false;
  std::string compact;              // the numbers themselves, if they are in the header
  std::uint64_t address = 0;        // of contiguous ones
  std::uint64_t rows_of_chunk = 0;  // indices of the first axis
  bool shuffled = false, deflated = false;
  std::vector<Hdf5Chunk> chunks;  // in the order of the first axis, without gaps
};

// What the header of an object says.
struct Hdf5Object {
  std::string path;
  std::map<std::string, std::uint64_t> members;  // of a group: addresses of their headers
  std::map<std::string, Hdf5Value> attributes;
  bool is_dataset = false;
  Hdf5Stored data;
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  Hdf5Object root() const;
  Hdf5Object member(const Hdf5Object& group, const std::string& name) const;

  // All numbers of a dataset, or those of one index of the first axis of one that is chunked. Several threads may read
  // rows.
  template <class T>
  std::vector<T> numbers(const Hdf5Stored& data) const;
  template <class T>
  std::vector<T> row(const Hdf5Stored& data, std::uint64_t index) const;

 private:
  std::string bytes_at(std::uint64_t address, std::uint64_t size) const;
  std::string all_bytes(const Hdf5Stored& data) const;
  std::string chunk(const Hdf5Stored& data, std::size_t index) const;
  Hdf5Object object_at(std::uint64_t address, const std::string& path) const;

  friend class Hdf5HeaderReader;

  File file_;
  std::uint64_t size_ = 0, root_ = 0;
  // Bytes that may still be read while the file is opened. Objects of an honest file do not overlap, those of a forged
  // one could all be the same large one.
  mutable std::uint64_t left_ = 0;
};

template <class T>
std::vector<T> numbers_of(const Hdf5Array& array, std::string_view bytes);
std::vector<std::string> texts_of(const Hdf5Value& value);

}  // namespace livens
