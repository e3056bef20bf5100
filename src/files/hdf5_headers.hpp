// The header of one object of an HDF5 file; for hdf5_reader.cpp.
#pragma once

#include <bit>
#include <cstring>
#include <deque>

#include "files/hdf5_reader.hpp"

namespace livens {

// Numbers and texts one after the other, out of bytes that must be there.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes = {}) : rest_(bytes) {}

  std::size_t left() const { return rest_.size(); }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw RunError("its header ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  void skip(std::uint64_t size) { take(size); }
  ByteCursor part(std::uint64_t size) { return ByteCursor(take(size)); }
  std::uint64_t number(std::size_t size) {  // little-endian, up to 8 bytes
    static_assert(std::endian::native == std::endian::little);
    const std::string_view bytes = take(size);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

 private:
  std::string_view rest_;
};

class Hdf5HeaderReader {
 public:
  Hdf5HeaderReader(const Hdf5Reader& file, Hdf5Object& object);
  void read(std::uint64_t address);

 private:
  struct ByteBlock {
    std::string bytes;
    bool second_version = false;
    unsigned flags = 0;
  };

  void read_first(std::uint64_t address);
  void read_second(std::uint64_t address);
  void add_checked(std::uint64_t address, std::size_t before, std::uint64_t size, unsigned flags);
  void read_messages(ByteCursor bytes, const ByteBlock& block);
  void read_message(int kind, ByteCursor message);
  void finish();
  void read_symbols(std::uint64_t tree, std::uint64_t heap);
  void read_symbol_tree(std::uint64_t address, const std::string& names, std::uint64_t above, long& left);
  void read_layout();
  void read_chunks(ByteCursor bytes);
  void read_chunk_tree(std::uint64_t address, std::uint64_t above, std::uint64_t wanted, long& left);

  const Hdf5Reader& file_;
  Hdf5Object& object_;
  std::deque<ByteBlock> blocks_;  // stay where they are: cursors point into them
  ByteCursor layout_;
  unsigned seen_ = 0;  // 1 size, 2 type, 4 layout
};

}  // namespace livens
