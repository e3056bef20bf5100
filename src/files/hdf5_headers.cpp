// Object headers of HDF5: groups, attributes, and what datasets are.
#include "files/hdf5_headers.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace livens {
namespace {

constexpr std::uint64_t no_address = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t most_axes = 4;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
constexpr int most_blocks = 4096;     // of one header
constexpr long most_members = 65536;  // of a group

enum Message { space = 1, link_info = 2, type = 3, external = 7, layout = 8, filters = 11, attribute = 12, more = 16 };
enum { link_message = 6, symbol_table = 17 };

// II.A.2.d. Datatype
Hdf5Element element_of(ByteCursor bytes) {
  const std::uint64_t head = bytes.number(1), bits = bytes.number(1), sign_place = bytes.number(1);
  bytes.skip(1);
  Hdf5Element element;
  element.size = bytes.number(4);
  const auto is_whole_width = [&] { return bytes.number(2) == 0 && bytes.number(2) == 8 * element.size; };
  switch (head & 15u) {
    case 0:
      element.has_sign = (bits & 8u) != 0;
      if ((bits & 1u) == 0 && element.size <= 8 && std::has_single_bit(element.size) && is_whole_width())
        return element;
      break;
    case 1: {
      element.kind = Hdf5Element::Kind::floating;
      const bool is_single = element.size == 4;
      const bool is_ours = (bits & 0x41u) == 0 && (is_single || element.size == 8) && is_whole_width() &&
                           sign_place == (is_single ? 31u : 63u) && bytes.number(1) == (is_single ? 23u : 52u) &&
                           bytes.number(1) == (is_single ? 8u : 11u) && bytes.number(1) == 0 &&
                           bytes.number(1) == (is_single ? 23u : 52u) && bytes.number(4) == (is_single ? 127u : 1023u);
      if (is_ours) return element;
      break;
    }
    case 3:
      element.kind = Hdf5Element::Kind::text;
      if (element.size > 0) return element;
      break;
    default: break;
  }
  throw RunError("its values are of a type that recordings do not have");
}

// II.A.2.b. Dataspace
std::vector<std::uint64_t> shape_of(ByteCursor bytes) {
  const std::uint64_t version = bytes.number(1), axes = bytes.number(1);
  bytes.skip(1);
  if (version == 1)
    bytes.skip(5);
  else if (version != 2 || bytes.number(1) > 1)
    throw RunError("its size is not described in a known way");
  if (axes > most_axes) throw RunError("it has too many axes");
  std::vector<std::uint64_t> shape;
  for (std::uint64_t k = 0; k < axes; ++k) shape.push_back(bytes.number(8));
  return shape;
}

void check_size(const Hdf5Array& array) {
  std::uint64_t bytes = array.element.size;
  for (const std::uint64_t length : array.shape) {
    if (length > 0 && bytes > most_bytes / length) throw RunError("its size is absurd");
    bytes *= length;
  }
}

std::size_t padded(std::size_t size, bool pads) { return pads ? (size + 7) / 8 * 8 : size; }

// II.A.2.m. Attribute
std::pair<std::string, Hdf5Value> attribute_of(ByteCursor bytes) {
  const std::uint64_t version = bytes.number(1), flags = bytes.number(1);
  if (version < 1 || version > 3 || (version > 1 && flags != 0))
    throw RunError("it has an attribute of an unknown form");
  const std::size_t name_size = bytes.number(2), type_size = bytes.number(2), space_size = bytes.number(2);
  if (version == 3) bytes.skip(1);
  const bool pads = version == 1;
  const std::string_view name = bytes.take(padded(name_size, pads));
  Hdf5Value value;
  value.element = element_of(bytes.part(padded(type_size, pads)));
  value.shape = shape_of(bytes.part(padded(space_size, pads)));
  check_size(value);
  value.bytes = bytes.take(value.count() * value.element.size);
  return {std::string(name.substr(0, name.find('\0'))), std::move(value)};
}

// II.A.2.g. Link
std::pair<std::string, std::uint64_t> link_of(ByteCursor bytes) {
  if (bytes.number(1) != 1) throw RunError("it has a link of an unknown form");
  const std::uint64_t flags = bytes.number(1);
  const std::uint64_t kind = (flags & 8u) != 0 ? bytes.number(1) : 0;
  if ((flags & 4u) != 0) bytes.skip(8);
  if ((flags & 16u) != 0) bytes.skip(1);
  const std::uint64_t size = bytes.number(std::size_t{1} << (flags & 3u));
  const std::string name(bytes.take(size));
  if (kind != 0) throw RunError("'" + name + "' is a link to another place or file; recordings have none");
  return {name, bytes.number(8)};
}

// II.A.2.l. Filter pipeline
void read_filters(ByteCursor bytes, Hdf5Stored& data) {
  constexpr std::uint64_t deflate = 1, shuffle = 2, first_own = 256;
  const std::uint64_t version = bytes.number(1), count = bytes.number(1);
  if (version == 1) bytes.skip(6);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t id = bytes.number(2), name = version == 1 || id >= first_own ? bytes.number(2) : 0;
    bytes.skip(2);
    const std::uint64_t values = bytes.number(2);
    bytes.skip(padded(name, version == 1));
    bytes.skip(4 * (version == 1 ? values + values % 2 : values));
    const bool is_in_order = id == shuffle ? !data.shuffled && !data.deflated : id == deflate && !data.deflated;
    if (!is_in_order) throw RunError("it is packed in a way that recordings are not");
    (id == shuffle ? data.shuffled : data.deflated) = true;
  }
}

}  // namespace

Hdf5HeaderReader::Hdf5HeaderReader(const Hdf5Reader& file, Hdf5Object& object) : file_(file), object_(object) {}

void Hdf5HeaderReader::read(std::uint64_t address) {
  if (file_.bytes_at(address, 4) == "OHDR")
    read_second(address);
  else
    read_first(address);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {  // grows while it is read
    const ByteBlock& block = blocks_[k];
    read_messages(ByteCursor(block.bytes), block);
  }
  finish();
}

// II.A.1.a. Version 1
void Hdf5HeaderReader::read_first(std::uint64_t address) {
  const std::string head = file_.bytes_at(address, 16);
  ByteCursor bytes(head);
  if (bytes.number(1) != 1) throw RunError("there is no object where it should stand");
  bytes.skip(7);
  blocks_.push_back({file_.bytes_at(address + 16, bytes.number(4)), false, 0});
}

// II.A.1.b. Version 2
void Hdf5HeaderReader::read_second(std::uint64_t address) {
  const std::string head = file_.bytes_at(address, 6);
  if (head[4] != 2) throw RunError("its header is of an unknown version");
  const auto flags = static_cast<unsigned char>(head[5]);
  const std::size_t before = 6 + ((flags & 32u) != 0 ? 16 : 0) + ((flags & 16u) != 0 ? 4 : 0);
  const std::size_t width = std::size_t{1} << (flags & 3u);
  const std::string start = file_.bytes_at(address, before + width);
  ByteCursor bytes(start);
  bytes.skip(before);
  add_checked(address, before + width, bytes.number(width), flags);
}

void Hdf5HeaderReader::add_checked(std::uint64_t address, std::size_t before, std::uint64_t size, unsigned flags) {
  if (size > most_bytes) throw RunError("its header is damaged");
  const std::string all = file_.bytes_at(address, before + size + 4);
  const std::string_view content = std::string_view(all).substr(0, before + size);
  ByteCursor end(std::string_view(all).substr(before + size));
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  if (end.number(4) != hdf5_checksum(content)) throw RunError("its header is damaged (checksum)");
#endif
  blocks_.push_back({std::string(content.substr(before)), true, flags});
}

void Hdf5HeaderReader::read_messages(ByteCursor bytes, const ByteBlock& block) {
  const std::size_t head = block.second_version ? 4 + ((block.flags & 4u) != 0 ? 2 : 0) : 8;
  while (bytes.left() >= head) {
    const auto kind = static_cast<int>(bytes.number(block.second_version ? 1 : 2));
    const std::uint64_t size = bytes.number(2), flags = bytes.number(1);
    bytes.skip(head - (block.second_version ? 4 : 5));
    ByteCursor message = bytes.part(size);
    if ((flags & 2u) != 0 && kind != 0) throw RunError("it shares parts of its header, which recordings do not");
    if (kind == more) {
      const std::uint64_t address = message.number(8), length = message.number(8);
      if (blocks_.size() >= most_blocks) throw RunError("its header is damaged");
      if (!block.second_version)
        blocks_.push_back({file_.bytes_at(address, length), false, 0});
      else if (length < 8 || file_.bytes_at(address, 4) != "OCHK")
        throw RunError("its header is damaged");
      else
        add_checked(address, 4, length - 8, block.flags);
    } else {
      read_message(kind, message);
    }
  }
}

void Hdf5HeaderReader::read_message(int kind, ByteCursor message) {
  switch (kind) {
    case space:
      object_.data.shape = shape_of(message);
      seen_ |= 1u;
      break;
    case type:
      object_.data.element = element_of(message);
      seen_ |= 2u;
      break;
    case external: throw RunError("its numbers are in another file (external storage), which is not opened");
    case layout:
      layout_ = message;
      seen_ |= 4u;
      break;
    case filters: read_filters(message, object_.data); break;
    case attribute: object_.attributes.insert(attribute_of(message)); break;
    case link_message: object_.members.insert(link_of(message)); break;
    case symbol_table: {
      const std::uint64_t tree = message.number(8), heap = message.number(8);
      read_symbols(tree, heap);
      break;
    }
    case link_info:
      message.skip(1);
      if (const std::uint64_t flags = message.number(1); (flags & 1u) != 0) message.skip(8);
      if (message.number(8) != no_address)
        throw RunError("its members are in a heap, which those of recordings never are");
      break;
    default: break;
  }
}

void Hdf5HeaderReader::finish() {
  object_.is_dataset = (seen_ & 4u) != 0;
  if (!object_.is_dataset) return;
  if (seen_ != 7u) throw RunError("its header is damaged");
  check_size(object_.data);
  read_layout();
}

// III.C. and III.B.: names are in a heap, entries in tables that a tree lists
void Hdf5HeaderReader::read_symbols(std::uint64_t tree, std::uint64_t heap) {
  const std::string head = file_.bytes_at(heap, 32);
  ByteCursor bytes(head);
  if (bytes.take(4) != "HEAP") throw RunError("its list of members is damaged");
  bytes.skip(4);
  const std::uint64_t size = bytes.number(8);
  bytes.skip(8);
  const std::string names = file_.bytes_at(bytes.number(8), size);
  long left = most_members;
  read_symbol_tree(tree, names, 256, left);
}

void Hdf5HeaderReader::read_symbol_tree(std::uint64_t address, const std::string& names, std::uint64_t above,
                                        long& left) {
  constexpr std::size_t entry_size = 40;
  const std::string head = file_.bytes_at(address, 8);
  ByteCursor bytes(head);
  const std::string_view word = bytes.take(4);
  const std::uint64_t kind = bytes.number(1), level = bytes.number(1), count = bytes.number(2);
  left -= static_cast<long>(count) + 1;
  if (left < 0) throw RunError("it has too many members");
  if (word == "SNOD" && kind == 1) {
    const std::string table = file_.bytes_at(address + 8, count * entry_size);
    for (std::uint64_t k = 0; k < count; ++k) {
      ByteCursor entry(std::string_view(table).substr(k * entry_size, entry_size));
      const std::uint64_t name = entry.number(8), place = entry.number(8), cached = entry.number(4);
      const std::size_t end = name < names.size() ? names.find('\0', name) : std::string::npos;
      if (end == std::string::npos) throw RunError("its list of members is damaged");
      if (cached == 2) throw RunError("it has a link to another place; recordings have none");
      object_.members[names.substr(name, end - name)] = place;
    }
  } else if (word == "TREE" && kind == 0 && level < above) {
    const std::string nodes = file_.bytes_at(address + 24, count * 16);
    for (std::uint64_t k = 0; k < count; ++k) {
      ByteCursor entry(std::string_view(nodes).substr(k * 16 + 8, 8));
      read_symbol_tree(entry.number(8), names, level, left);
    }
  } else {
    throw RunError("its list of members is damaged");
  }
}

// II.A.2.i. Data layout, version 3
void Hdf5HeaderReader::read_layout() {
  constexpr std::uint64_t compact = 0, contiguous = 1, chunked = 2;
  Hdf5Stored& data = object_.data;
  ByteCursor bytes = layout_;
  const std::uint64_t version = bytes.number(1), kind = bytes.number(1);
  const std::uint64_t needed = data.count() * data.element.size;
  if (version != 3 || kind > chunked) throw RunError("its numbers are laid out in a way that recordings are not");
  if (kind == compact) {
    data.compact = bytes.take(bytes.number(2));
    if (data.compact.size() != needed) throw RunError("it has fewer numbers than it says");
  } else if (kind == contiguous) {
    data.address = bytes.number(8);
    const std::uint64_t size = bytes.number(8);
    if (needed > 0 && (size < needed || data.address > file_.size_ || needed > file_.size_ - data.address))
      throw RunError("it has fewer numbers than it says");
  } else {
    read_chunks(bytes);
  }
}

void Hdf5HeaderReader::read_chunks(ByteCursor bytes) {
  Hdf5Stored& data = object_.data;
  data.chunked = true;
  const std::uint64_t axes = bytes.number(1), tree = bytes.number(8);
  bool is_of_rows = axes == data.shape.size() + 1 && axes > 1;
  data.rows_of_chunk = bytes.number(4);
  for (std::size_t k = 1; is_of_rows && k < data.shape.size(); ++k) is_of_rows = bytes.number(4) == data.shape[k];
  if (!is_of_rows || data.rows_of_chunk == 0)
    throw RunError("its chunks are not whole rows, as those of recordings are");
  const std::uint64_t rows = data.shape[0];
  const std::uint64_t wanted = rows / data.rows_of_chunk + (rows % data.rows_of_chunk != 0 ? 1 : 0);
  // Each has an entry of its own in the tree.
  if (wanted > file_.size_ / 16) throw RunError("it has fewer numbers than it says");
  long left = 2 * static_cast<long>(wanted) + most_blocks;  // entries of all nodes
  if (wanted > 0) read_chunk_tree(tree, 256, wanted, left);
  if (data.chunks.size() != wanted) throw RunError("it has fewer numbers than it says");
}

// III.A.1. B-tree, version 1, of chunks
void Hdf5HeaderReader::read_chunk_tree(std::uint64_t address, std::uint64_t above, std::uint64_t wanted, long& left) {
  Hdf5Stored& data = object_.data;
  const std::size_t key = 8 + 8 * (data.shape.size() + 1), entry_size = key + 8;
  const std::string head = file_.bytes_at(address, 24);
  ByteCursor bytes(head);
  const bool is_tree = bytes.take(4) == "TREE" && bytes.number(1) == 1;
  const std::uint64_t level = bytes.number(1), count = bytes.number(2);
  left -= static_cast<long>(count) + 1;
  if (!is_tree || level >= above || left < 0) throw RunError("its list of chunks is damaged");
  const std::string entries = file_.bytes_at(address + 24, count * entry_size);
  for (std::uint64_t k = 0; k < count; ++k) {
    ByteCursor entry(std::string_view(entries).substr(k * entry_size, entry_size));
    const std::uint64_t size = entry.number(4), left_out = entry.number(4), row = entry.number(8);
    entry.skip(key - 16);
    const std::uint64_t place = entry.number(8);
    if (level > 0) {
      read_chunk_tree(place, level, wanted, left);
      continue;
    }
    if (row / data.rows_of_chunk >= wanted && row % data.rows_of_chunk == 0) continue;  // behind the end
    if (left_out != 0 || row != data.chunks.size() * data.rows_of_chunk || place > file_.size_ ||
        size > file_.size_ - place)
      throw RunError("its list of chunks is damaged");
    data.chunks.push_back({place, static_cast<std::uint32_t>(size)});
  }
}

}  // namespace livens
