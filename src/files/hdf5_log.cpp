#include "files/hdf5_log.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "files/bytes.hpp"
#include "files/deflate.hpp"

namespace livens {
namespace {

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t superblock_size = 48, end_of_file_at = 28;
constexpr std::uint64_t undefined = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t entries_of_node = 64;  // what readers assume where the file says nothing else
constexpr int deflate_level = 1;
constexpr std::uint8_t utf8 = 1;

void put8(std::string& bytes, int value) { append_bytes(bytes, static_cast<std::uint8_t>(value)); }
void put16(std::string& bytes, std::size_t value) { append_bytes(bytes, static_cast<std::uint16_t>(value)); }
void put32(std::string& bytes, std::size_t value) { append_bytes(bytes, static_cast<std::uint32_t>(value)); }
void put64(std::string& bytes, std::uint64_t value) { append_bytes(bytes, value); }

// II.A. Superblock, version 2
std::string superblock(std::uint64_t end, std::uint64_t root) {
  std::string bytes(signature);
  put8(bytes, 2), put8(bytes, 8), put8(bytes, 8), put8(bytes, 0);  // version, size of offsets and lengths, flags
  put64(bytes, 0), put64(bytes, undefined), put64(bytes, end), put64(bytes, root);
  put32(bytes, hdf5_checksum(bytes));
  return bytes;
}

// IV.A.2.d. Datatype
std::string datatype(Hdf5Type type) {
  const auto size = size_of(type);
  std::string bytes;
  if (type == Hdf5Type::int32 || type == Hdf5Type::int64) {
    put8(bytes, 0x10), put8(bytes, 0x08), put16(bytes, 0), put32(bytes, size);  // signed, little-endian
    put16(bytes, 0), put16(bytes, 8 * size);
    return bytes;
  }
  const bool is_single = type == Hdf5Type::float32;
  put8(bytes, 0x11), put8(bytes, 0x20), put8(bytes, is_single ? 31 : 63), put8(bytes, 0), put32(bytes, size);
  put16(bytes, 0), put16(bytes, 8 * size);
  put8(bytes, is_single ? 23 : 52), put8(bytes, is_single ? 8 : 11), put8(bytes, 0), put8(bytes, is_single ? 23 : 52);
  put32(bytes, is_single ? 127 : 1023);
  return bytes;
}

std::string text_datatype(std::size_t size) {
  std::string bytes;
  put8(bytes, 0x13), put8(bytes, 1 | utf8 << 4), put16(bytes, 0), put32(bytes, size);  // padded with zeros
  return bytes;
}

// IV.A.2.b. Dataspace, version 2; no dimensions: a scalar
std::string dataspace(const std::vector<std::uint64_t>& shape, bool grows = false) {
  std::string bytes;
  put8(bytes, 2), put8(bytes, static_cast<int>(shape.size())), put8(bytes, grows ? 1 : 0);
  put8(bytes, shape.empty() ? 0 : 1);
  for (const auto length : shape) put64(bytes, length);
  if (!grows) return bytes;
  put64(bytes, undefined);
  for (std::size_t k = 1; k < shape.size(); ++k) put64(bytes, shape[k]);
  return bytes;
}

struct AttributeParts {
  std::string type, space, data;
};

AttributeParts parts_of(const std::string& text) {
  const std::size_t size = std::max<std::size_t>(text.size(), 1);
  return {text_datatype(size), dataspace({}), text + std::string(size - text.size(), '\0')};
}
AttributeParts parts_of(const std::vector<double>& values) {
  return {datatype(Hdf5Type::float64), values.size() == 1 ? dataspace({}) : dataspace({values.size()}),
          std::string(bytes_of(values))};
}
AttributeParts parts_of(const std::vector<long>& values) {
  return {datatype(Hdf5Type::int64), values.size() == 1 ? dataspace({}) : dataspace({values.size()}),
          std::string(bytes_of(values))};
}
AttributeParts parts_of(const std::vector<std::string>& texts) {
  std::size_t size = 1;
  for (const std::string& text : texts) size = std::max(size, text.size());
  std::string data;
  for (const std::string& text : texts) data += text + std::string(size - text.size(), '\0');
  return {text_datatype(size), dataspace({texts.size()}), data};
}

// IV.A.2.m. Attribute, version 3
std::string attribute_message(const Hdf5Attribute& attribute) {
  const auto [type, space, data] = std::visit([](const auto& value) { return parts_of(value); }, attribute.value);
  std::string bytes;
  put8(bytes, 3), put8(bytes, 0);
  put16(bytes, attribute.name.size() + 1), put16(bytes, type.size()), put16(bytes, space.size());
  put8(bytes, utf8);
  return bytes + attribute.name + '\0' + type + space + data;
}

// IV.A.2.g. Link, version 1: a hard link with its name in UTF-8
std::string link(const std::string& name, std::uint64_t address) {
  std::string bytes;
  put8(bytes, 1), put8(bytes, 0x10 | 2), put8(bytes, utf8), put32(bytes, name.size());
  bytes += name;
  put64(bytes, address);
  return bytes;
}

// IV.A.1.b. Object header, version 2, in one piece
class ObjectHeader {
 public:
  void add(int type, const std::string& message) {
    put8(messages_, type), put16(messages_, message.size()), put8(messages_, 0);
    messages_ += message;
  }
  void add(const std::vector<Hdf5Attribute>& attributes) {
    for (const Hdf5Attribute& each : attributes) add(0x0C, attribute_message(each));
  }
  std::string bytes() const {
    std::string bytes = "OHDR";
    put8(bytes, 2), put8(bytes, 2), put32(bytes, messages_.size());
    bytes += messages_;
    put32(bytes, hdf5_checksum(bytes));
    return bytes;
  }

 private:
  std::string messages_;
};

// Everything that a commit appends behind `base`.
class Index {
 public:
  explicit Index(std::uint64_t base) : base_(base) {}

  std::uint64_t add(const Hdf5Group& group) {
    ObjectHeader header;
    std::string none;  // IV.A.2.c. Link info: the links are in the header itself
    put8(none, 0), put8(none, 0), put64(none, undefined), put64(none, undefined);
    header.add(0x02, none);
    header.add(0x0A, std::string(2, '\0'));  // IV.A.2.k. Group info
    for (const Hdf5Group& child : group.groups) header.add(0x06, link(child.name, add(child)));
    for (const Hdf5Dataset& child : group.datasets) header.add(0x06, link(child.name, add(child)));
    header.add(group.attributes);
    return place(header.bytes());
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::uint64_t place(const std::string& block) {
    bytes_.append((8 - bytes_.size() % 8) % 8, '\0');
    const std::uint64_t address = base_ + bytes_.size();
    bytes_ += block;
    return address;
  }

  std::uint64_t add(const Hdf5Dataset& data) {
    ObjectHeader header;
    std::vector<std::uint64_t> shape = data.shape;
    if (data.chunked) shape.insert(shape.begin(), data.chunks.size());
    header.add(0x01, dataspace(shape, data.chunked));
    header.add(0x03, datatype(data.type));
    std::string fill;  // IV.A.2.f. Fill value, version 3: none; space comes with the chunks, or late
    put8(fill, 3), put8(fill, (data.chunked ? 3 : 2) | 2 << 2);
    header.add(0x05, fill);
    header.add(0x08, data.chunked ? chunked_layout(data) : contiguous_layout(data));
    if (data.chunked) header.add(0x0B, filters(data));
    header.add(data.attributes);
    return place(header.bytes());
  }

  // IV.A.2.i. Data layout, version 3
  static std::string contiguous_layout(const Hdf5Dataset& data) {
    std::uint64_t size = size_of(data.type);
    for (const auto length : data.shape) size *= length;
    std::string bytes;
    put8(bytes, 3), put8(bytes, 1), put64(bytes, size > 0 ? data.address : undefined), put64(bytes, size);
    return bytes;
  }

  std::string chunked_layout(const Hdf5Dataset& data) {
    std::string bytes;
    put8(bytes, 3), put8(bytes, 2), put8(bytes, static_cast<int>(data.shape.size() + 2));
    put64(bytes, data.chunks.empty() ? undefined : chunk_tree(data));
    put32(bytes, 1);
    for (const auto length : data.shape) put32(bytes, length);
    put32(bytes, size_of(data.type));
    return bytes;
  }

  // IV.A.2.l. Filter pipeline, version 2
  static std::string filters(const Hdf5Dataset& data) {
    std::string bytes;
    put8(bytes, 2), put8(bytes, 2);
    put16(bytes, 2), put16(bytes, 1), put16(bytes, 1), put32(bytes, size_of(data.type));  // shuffle
    put16(bytes, 1), put16(bytes, 1), put16(bytes, 1), put32(bytes, deflate_level);       // deflate
    return bytes;
  }

  // III.A.1. B-tree, version 1, of raw data chunks. The key of a chunk is its size and its first index; the key behind
  // the last one is larger than all.
  std::string chunk_key(const Hdf5Dataset& data, std::size_t index) const {
    const bool is_last = index == data.chunks.size();
    std::string key;
    put32(key, is_last ? 0 : data.chunks[index].bytes), put32(key, 0);
    put64(key, index);
    for (const auto length : data.shape) put64(key, is_last ? length : 0);
    put64(key, is_last ? size_of(data.type) : 0);
    return key;
  }

  std::uint64_t chunk_tree(const Hdf5Dataset& data) {
    std::vector<std::uint64_t> children;
    for (const Hdf5Chunk& chunk : data.chunks) children.push_back(chunk.address);
    std::size_t chunks_of_child = 1;
    for (int level = 0;; ++level) {
      children = add_level(data, level, children, chunks_of_child);
      if (children.size() == 1) return children[0];
      chunks_of_child *= entries_of_node;
    }
  }

  std::vector<std::uint64_t> add_level(const Hdf5Dataset& data, int level, const std::vector<std::uint64_t>& children,
                                       std::size_t chunks_of_child) {
    const std::size_t key_size = chunk_key(data, 0).size();
    const std::size_t node_size = 24 + entries_of_node * 8 + (entries_of_node + 1) * key_size;
    const std::size_t nodes = (children.size() + entries_of_node - 1) / entries_of_node;
    bytes_.append((8 - bytes_.size() % 8) % 8, '\0');
    const std::uint64_t first = base_ + bytes_.size(), stride = (node_size + 7) / 8 * 8;
    std::vector<std::uint64_t> addresses;
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::size_t begin = n * entries_of_node, end = std::min(begin + entries_of_node, children.size());
      const auto key = [&](std::size_t child) {
        return chunk_key(data, std::min(child * chunks_of_child, data.chunks.size()));
      };
      std::string node = "TREE";
      put8(node, 1), put8(node, level), put16(node, end - begin);
      put64(node, n == 0 ? undefined : first + (n - 1) * stride);
      put64(node, n + 1 == nodes ? undefined : first + (n + 1) * stride);
      for (std::size_t child = begin; child < end; ++child) {
        node += key(child);
        put64(node, children[child]);
      }
      node += key(end);
      node.resize(node_size, '\0');
      addresses.push_back(place(node));
    }
    return addresses;
  }

  std::uint64_t base_;
  std::string bytes_;
};

// First all first bytes, then all second ones: neighbours then have much in common.
std::string shuffled(std::string_view numbers, std::size_t size) {
  const std::size_t count = numbers.size() / size;
  std::string result(numbers.size(), '\0');
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < count; ++i) result[k * count + i] = numbers[i * size + k];
  return result;
}

}  // namespace

std::uint32_t hdf5_checksum(std::string_view bytes) {
  std::uint32_t a = 0xdeadbeefu + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  const auto take = [&bytes] {  // up to 12 bytes into three words
    std::uint32_t words[3] = {0, 0, 0};
    const std::size_t count = std::min<std::size_t>(bytes.size(), 12);
    std::memcpy(words, bytes.data(), count);
    bytes.remove_prefix(count);
    return std::to_array(words);
  };
  const auto add = [&](const std::array<std::uint32_t, 3>& words) { a += words[0], b += words[1], c += words[2]; };
  const auto mix = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, int shift) {
    x -= z;
    x ^= std::rotl(z, shift);
    z += y;
  };
  while (bytes.size() > 12) {
    add(take());
    mix(a, b, c, 4), mix(b, c, a, 6), mix(c, a, b, 8), mix(a, b, c, 16), mix(b, c, a, 19), mix(c, a, b, 4);
  }
  if (bytes.empty()) return c;
  add(take());
  const auto last = [](std::uint32_t& x, std::uint32_t y, int shift) {
    x ^= y;
    x -= std::rotl(y, shift);
  };
  last(c, b, 14), last(a, c, 11), last(b, a, 25), last(c, b, 16), last(a, c, 4), last(b, a, 14), last(c, b, 24);
  return c;
}

std::size_t size_of(Hdf5Type type) { return type == Hdf5Type::float32 || type == Hdf5Type::int32 ? 4 : 8; }

Hdf5Log Hdf5Log::create(const std::filesystem::path& path) {
  Hdf5Log log(File(path, File::Mode::create), 0);
  log.append(std::string(superblock_size, '\0'));
  log.commit({}, false);
  return log;
}

Hdf5Log Hdf5Log::reopen(const std::filesystem::path& path) {
  File file(path, File::Mode::update);
  const std::string head = file.read_at(0, superblock_size);
  std::uint64_t end = 0;
  if (head.size() == superblock_size) std::memcpy(&end, head.data() + end_of_file_at, sizeof end);
  if (head.size() < superblock_size || head.compare(0, signature.size(), signature) != 0 ||
      end > static_cast<std::uint64_t>(file.size()))
    throw RunError(path.filename().string() + " is damaged");
  file.truncate(static_cast<long>(end));
  return {std::move(file), end};
}

std::uint64_t Hdf5Log::append(std::string_view bytes) {
  const std::uint64_t address = (end_ + 7) / 8 * 8;
  file_.write_at(static_cast<long>(address), bytes);
  end_ = address + bytes.size();
  return address;
}

Hdf5Chunk Hdf5Log::append_chunk(std::string_view numbers, int size) {
  const std::string bytes = deflated_fast(shuffled(numbers, size));
  return {append(bytes), static_cast<std::uint32_t>(bytes.size())};
}

void Hdf5Log::commit(const Hdf5Group& root, bool durable) {
  const std::uint64_t base = (end_ + 7) / 8 * 8;
  Index index(base);
  const std::uint64_t root_address = index.add(root);
  append(index.bytes());
  if (durable) file_.sync();
  file_.write_at(0, superblock(end_, root_address));
  if (durable) file_.sync();
}

}  // namespace livens
