// Arrays of VTK's XML files: text, base64 or raw bytes, plain or packed by zlib.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/files/source.hpp"

namespace livens {

struct VtuFormat {
  bool big_endian = false;
  int header_bytes = 4;    // of the counts before binary data
  std::string compressor;  // empty: plain
  bool appended_base64 = false;
  std::size_t appended = 0;  // offset behind the _, 0 if there is none
};

struct VtuArray {
  std::string name, type, format;
  int components = 1;
  std::size_t tag = 0;                 // offset of <DataArray
  std::size_t text = 0, text_end = 0;  // its inline data
  std::size_t offset = 0;              // of appended data
};

template <class T>
struct VtuValues {
  std::vector<T> values;
  std::vector<std::uint64_t> places;              // offsets in the file: one for each value in text, else one for all
  std::size_t stored_bytes = 0, used_memory = 0;  // what they take in the file, and unpacked
};
using VtuReals = VtuValues<double>;
using VtuIntegers = VtuValues<std::int64_t>;

// Exactly that many values.
VtuReals vtu_reals(const MeshSource& source, const VtuFormat& format, const VtuArray& array, std::size_t count);
VtuIntegers vtu_integers(const MeshSource& source, const VtuFormat& format, const VtuArray& array, std::size_t count);

}  // namespace livens
