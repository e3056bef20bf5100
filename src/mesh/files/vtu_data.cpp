#include "mesh/files/vtu_data.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "mesh/core/words.hpp"
#include "mesh/files/inflate.hpp"

namespace livens {
namespace {

constexpr std::array<int, 256> base64_values = [] {
  std::array<int, 256> values{};
  values.fill(-1);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t k = 0; k < alphabet.size(); ++k)
    values[static_cast<unsigned char>(alphabet[k])] = static_cast<int>(k);
  return values;
}();

struct TypeSize {
  std::string_view name;
  std::size_t bytes;
  char kind;  // i, u or f
};
constexpr std::array<TypeSize, 10> type_sizes{{{"Int8", 1, 'i'},
                                               {"UInt8", 1, 'u'},
                                               {"Int16", 2, 'i'},
                                               {"UInt16", 2, 'u'},
                                               {"Int32", 4, 'i'},
                                               {"UInt32", 4, 'u'},
                                               {"Int64", 8, 'i'},
                                               {"UInt64", 8, 'u'},
                                               {"Float32", 4, 'f'},
                                               {"Float64", 8, 'f'}}};

// Reads one array; all faults name the byte and the array.
class ArrayReader {
 public:
  ArrayReader(const MeshSource& source, const VtuFormat& format, const VtuArray& array, std::size_t count)
      : source_(source), format_(format), array_(array), count_(count), text_(source.bytes) {
    const auto type = std::find_if(type_sizes.begin(), type_sizes.end(),
                                   [&](const TypeSize& known) { return known.name == array.type; });
    if (type == type_sizes.end()) fail_tag("has the type " + quoted_excerpt(array.type) + ", which is not read");
    type_ = *type;
  }

  char kind() const { return type_.kind; }

  template <class T>
  void read(VtuValues<T>& result) {
    result.used_memory = count_ * sizeof(T);
    if (array_.format == "ascii") {
      result.stored_bytes = array_.text_end - array_.text;
      return read_text(result.values, result.places);
    }
    if (array_.format == "binary") {
      at_ = array_.text;
      end_ = array_.text_end;
      base64_ = true;
    } else if (array_.format == "appended") {
      if (format_.appended == 0) fail_tag("refers to <AppendedData>, which the file does not have");
      if (array_.offset >= text_.size() - format_.appended)
        fail_tag("lies behind the end of the file: is it complete?");
      at_ = format_.appended + array_.offset;
      end_ = text_.size();
      base64_ = format_.appended_base64;
    } else {
      fail_tag("has the format " + quoted_excerpt(array_.format) + ", not ascii, binary or appended");
    }
    if (base64_)
      while (at_ < end_ && is_space(text_[at_])) ++at_;
    result.places.assign(1, at_);
    const std::vector<char> bytes = format_.compressor.empty() ? plain_bytes() : unpacked_bytes();
    result.stored_bytes = at_ - result.places.front();
    convert(bytes, result.values);
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  [[noreturn]] void fail_tag(const std::string& text) const {
    source_.fail_line(array_.tag, "the array " + quoted_excerpt(array_.name) + " " + text);
  }
  [[noreturn]] void fail_here(const std::string& text) const {
    source_.fail_byte(at_, "the array " + quoted_excerpt(array_.name) + " " + text);
  }

  template <class T>
  void read_text(std::vector<T>& values, std::vector<std::uint64_t>& places) {
    const char* const data = text_.data();
    const char* at = data + array_.text;
    const char* const end = data + array_.text_end;
    if (count_ > (array_.text_end - array_.text + 1) / 2) fail_count_of_text();
    values.reserve(count_);
    places.reserve(count_);
    for (;; ++at) {
      while (at < end && is_space(*at)) ++at;
      if (at >= end) break;
      T value{};
      const auto parsed = std::from_chars(at, end, value);
      if (parsed.ec != std::errc() || (parsed.ptr != end && !is_space(*parsed.ptr))) {
        const char* stop = at;
        while (stop < end && !is_space(*stop)) ++stop;
        source_.fail_line(at - data, "expected a number of " + quoted_excerpt(array_.name) + ", found " +
                                         quoted_excerpt(std::string_view(at, stop - at)));
      }
      if (values.size() == count_)
        fail_tag("holds more than the " + grouped(static_cast<long>(count_)) + " numbers announced");
      values.push_back(value);
      places.push_back(static_cast<std::uint64_t>(at - data));
      at = parsed.ptr;
      if (at >= end) break;
    }
    if (values.size() != count_) fail_count_of_text();
  }
  [[noreturn]] void fail_count_of_text() const {
    fail_tag("holds fewer than the " + grouped(static_cast<long>(count_)) + " numbers announced");
  }

  // --- bytes ---------------------------------------------------------------------------------------------------------

  // At most that many bytes can still come.
  std::size_t capacity() const { return base64_ ? (end_ - at_) / 4 * 3 + held_ : end_ - at_; }

  void read_bytes(char* to, std::size_t n) {
    if (n > capacity()) fail_here("ends early: is the file complete?");
    if (!base64_) {
      if (n > 0) std::memcpy(to, text_.data() + at_, n);
      at_ += n;
      return;
    }
    while (n > 0) {
      if (held_ == 0) decode_group();
      const std::size_t part = std::min(n, held_);
      std::memcpy(to, group_.data() + used_, part);
      to += part;
      n -= part;
      used_ += part;
      held_ -= part;
    }
  }

  // Four characters, up to three bytes; a padded group may be followed by others, as headers are encoded on their own.
  void decode_group() {
    std::uint32_t bits = 0;
    int padding = 0;
    for (int k = 0; k < 4; ++k) {
      if (at_ >= end_) fail_here("ends early: is the file complete?");
      const char c = text_[at_];
      const int value = base64_values[static_cast<unsigned char>(c)];
      const bool pad = c == '=' && k >= 2;
      if ((value < 0 && !pad) || (padding > 0 && !pad))
        fail_here("is not base64 here: found " + quoted_excerpt(text_.substr(at_, 1)));
      if (pad) ++padding;
      bits = bits << 6 | (pad ? 0u : static_cast<std::uint32_t>(value));
      ++at_;
    }
    for (std::size_t k = 0; k < 3; ++k) group_[k] = static_cast<char>(bits >> (16 - 8 * k) & 255u);
    held_ = 3 - static_cast<std::size_t>(padding);
    used_ = 0;
  }

  std::uint64_t header_word() {
    std::array<char, 8> bytes{};
    const auto n = static_cast<std::size_t>(format_.header_bytes);
    read_bytes(bytes.data(), n);
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::uint64_t byte = static_cast<unsigned char>(bytes[k]);
      word |= byte << 8 * (format_.big_endian ? n - 1 - k : k);
    }
    return word;
  }

  std::size_t bytes_needed() const { return count_ * type_.bytes; }
  void check_size(std::uint64_t announced) const {
    if (announced != bytes_needed())
      fail_here("has " + std::to_string(announced) + " bytes; " + std::to_string(bytes_needed()) + " are needed for " +
                grouped(static_cast<long>(count_)) + " numbers of type " + array_.type);
  }

  std::vector<char> plain_bytes() {
    check_size(header_word());
    if (bytes_needed() > capacity()) fail_here("ends early: is the file complete?");
    std::vector<char> bytes(bytes_needed());
    read_bytes(bytes.data(), bytes.size());
    return bytes;
  }

  // Header: number of blocks, size of a block, size of the last one if it is smaller (0 if not), packed sizes.
  std::vector<char> unpacked_bytes() {
    const std::uint64_t blocks = header_word(), block = header_word(), last = header_word();
    const auto word = static_cast<std::uint64_t>(format_.header_bytes);
    if (blocks > capacity() / word)
      fail_here("announces " + std::to_string(blocks) + " blocks, more than the file holds");
    const bool short_last = last > 0 && last != block;
    const std::uint64_t most = std::uint64_t{1} << 48;
    if (block > most || last > block || (blocks > 0 && block > most / blocks))
      fail_here("has blocks of impossible size");
    check_size(blocks == 0 ? 0 : short_last ? (blocks - 1) * block + last : blocks * block);
    std::vector<std::uint64_t> sizes(blocks);
    std::uint64_t total = 0;
    for (std::uint64_t& size : sizes) {
      size = header_word();
      if (size > capacity() || (total += size) > capacity()) fail_here("ends early: is the file complete?");
    }
    if (bytes_needed() / most_inflation > total || bytes_needed() > memory_limit() / 8)
      fail_here("announces " + std::to_string(bytes_needed()) + " bytes, more than can be in it or in memory");
    if (base64_) held_ = 0;  // the blocks begin a new group
    std::vector<char> bytes(bytes_needed());
    std::string packed;
    std::size_t filled = 0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::size_t begin = at_;
      packed.resize(sizes[k]);
      read_bytes(packed.data(), packed.size());
      const std::size_t size = short_last && k + 1 == sizes.size() ? last : block;
      if (!inflate_zlib(packed, std::span(bytes).subspan(filled, size))) {
        at_ = begin;
        fail_here("holds a block that zlib did not pack or that was damaged");
      }
      filled += size;
    }
    return bytes;
  }

  template <class Stored, class T>
  void convert_as(const std::vector<char>& bytes, std::vector<T>& values) const {
    values.resize(count_);
    for (std::size_t k = 0; k < count_; ++k) {
      std::array<char, sizeof(Stored)> raw;
      std::memcpy(raw.data(), bytes.data() + k * sizeof(Stored), sizeof(Stored));
      if (format_.big_endian) std::reverse(raw.begin(), raw.end());
      values[k] = static_cast<T>(+std::bit_cast<Stored>(raw));
    }
  }

  template <class T>
  void convert(const std::vector<char>& bytes, std::vector<T>& values) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (type_.kind == 'f')
        return type_.bytes == 4 ? convert_as<float>(bytes, values) : convert_as<double>(bytes, values);
    }
    if (type_.kind == 'i') {
      switch (type_.bytes) {
        case 1: return convert_as<std::int8_t>(bytes, values);
        case 2: return convert_as<std::int16_t>(bytes, values);
        case 4: return convert_as<std::int32_t>(bytes, values);
        default: return convert_as<std::int64_t>(bytes, values);
      }
    }
    switch (type_.bytes) {
      case 1: return convert_as<std::uint8_t>(bytes, values);
      case 2: return convert_as<std::uint16_t>(bytes, values);
      case 4: return convert_as<std::uint32_t>(bytes, values);
      default: return convert_as<std::uint64_t>(bytes, values);
    }
  }

  const MeshSource& source_;
  const VtuFormat& format_;
  const VtuArray& array_;
  std::size_t count_;
  std::string_view text_;
  TypeSize type_{};
  std::size_t at_ = 0, end_ = 0;
  bool base64_ = false;
  std::array<char, 3> group_{};
  std::size_t held_ = 0, used_ = 0;
};

}  // namespace

VtuReals vtu_reals(const MeshSource& source, const VtuFormat& format, const VtuArray& array, std::size_t count) {
  VtuReals reals;
  ArrayReader(source, format, array, count).read(reals);
  return reals;
}

VtuIntegers vtu_integers(const MeshSource& source, const VtuFormat& format, const VtuArray& array, std::size_t count) {
  VtuIntegers integers;
  ArrayReader reader(source, format, array, count);
  if (reader.kind() == 'f')
    source.fail_line(array.tag, "the array " + quoted_excerpt(array.name) + " must hold integers, not " + array.type);
  reader.read(integers);
  return integers;
}

}  // namespace livens
