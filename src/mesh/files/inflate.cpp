#include "mesh/files/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace livens {
namespace {

// Bits of the packed bytes, lowest first. Behind the end come zeros, and overrun() tells.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  std::uint32_t peek(int n) {
    while (held_ < n) {
      const std::uint64_t byte = at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : 0;
      ++at_;
      bits_ |= byte << held_;
      held_ += 8;
    }
    return static_cast<std::uint32_t>(bits_ & ((std::uint64_t{1} << n) - 1));
  }
  void drop(int n) {
    bits_ >>= n;
    held_ -= n;
  }
  std::uint32_t take(int n) {
    if (n == 0) return 0;
    const std::uint32_t value = peek(n);
    drop(n);
    return value;
  }
  // Gives up the rest of the current byte; the offset of the next one.
  std::size_t align() {
    drop(held_ % 8);
    at_ -= static_cast<std::size_t>(held_ / 8);
    bits_ = 0;
    held_ = 0;
    return at_;
  }
  void jump(std::size_t offset) { at_ = offset; }
  bool overrun() const { return at_ > bytes_.size() + static_cast<std::size_t>(held_ / 8); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint64_t bits_ = 0;
  int held_ = 0;
};

constexpr int longest_code = 15;
constexpr int quick_bits = 10;

// A canonical Huffman code: short codes by table, long ones by counting (RFC 1951, 3.2.2).
class Huffman {
 public:
  // False if the lengths are no prefix code. Incomplete codes are allowed: a single distance has one bit.
  bool build(std::span<const std::uint8_t> lengths) {
    count_.fill(0);
    quick_.fill(0);
    for (const std::uint8_t length : lengths) ++count_[length];
    count_[0] = 0;
    int left = 1;
    for (std::size_t n = 1; n <= longest_code; ++n) {
      left = 2 * left - count_[n];
      if (left < 0) return false;
    }
    std::array<int, longest_code + 2> offset{};
    for (std::size_t n = 1; n <= longest_code; ++n) offset[n + 1] = offset[n] + count_[n];
    std::array<std::uint32_t, longest_code + 2> code{};
    for (std::size_t n = 1; n <= longest_code; ++n)
      code[n + 1] = (code[n] + static_cast<std::uint32_t>(count_[n])) << 1;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      const std::size_t n = lengths[s];
      if (n == 0) continue;
      symbol_[offset[n]++] = static_cast<std::uint16_t>(s);
      const std::uint32_t own = code[n]++;
      if (n > quick_bits) continue;
      // The stream has the first bit of a code lowest: reversed, with every tail.
      std::uint32_t reversed = 0;
      for (std::size_t b = 0; b < n; ++b) reversed |= ((own >> b) & 1u) << (n - 1 - b);
      for (std::uint32_t tail = reversed; tail < (1u << quick_bits); tail += 1u << n)
        quick_[tail] = static_cast<std::uint16_t>(s << 4 | n);
    }
    return true;
  }

  // The next symbol, -1 for a code that there is not.
  int next(Bits& bits) const {
    const std::uint32_t ahead = bits.peek(longest_code);
    if (const std::uint16_t entry = quick_[ahead & ((1u << quick_bits) - 1)]; entry != 0) {
      bits.drop(entry & 15);
      return entry >> 4;
    }
    int code = 0, first = 0, index = 0;
    for (int n = 1; n <= longest_code; ++n) {
      code |= static_cast<int>((ahead >> (n - 1)) & 1u);
      const int count = count_[n];
      if (code - count < first) {
        bits.drop(n);
        return symbol_[index + code - first];
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return -1;
  }

 private:
  std::array<int, 16> count_{};
  std::array<std::uint16_t, 288> symbol_{};
  std::array<std::uint16_t, std::size_t{1} << quick_bits> quick_{};
};

constexpr std::array<int, 29> length_base{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                          31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<int, 29> length_bits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                          2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<int, 30> distance_base{1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                            33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                            1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<int, 30> distance_bits{0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                            6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

class Inflater {
 public:
  Inflater(std::string_view packed, std::span<char> out) : packed_(packed), bits_(packed), out_(out) {}

  // The offset behind the data, or 0 if they are broken.
  std::size_t run() {
    bits_.take(16);  // the header of zlib
    for (bool last = false; !last;) {
      last = bits_.take(1) != 0;
      const std::uint32_t kind = bits_.take(2);
      const bool good = kind == 0 ? copy_stored() : kind == 1 ? fixed() : kind == 2 ? dynamic() : false;
      if (!good || bits_.overrun()) return 0;
    }
    return filled_ == out_.size() ? bits_.align() : 0;
  }

 private:
  bool copy_stored() {
    const std::size_t at = bits_.align();
    if (at + 4 > packed_.size()) return false;
    const auto byte = [&](std::size_t k) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(packed_[at + k]));
    };
    const std::uint32_t length = byte(0) | byte(1) << 8, check = byte(2) | byte(3) << 8;
    if ((length ^ check) != 0xFFFFu || at + 4 + length > packed_.size() || length > out_.size() - filled_) return false;
    if (length > 0) std::memcpy(out_.data() + filled_, packed_.data() + at + 4, length);
    filled_ += length;
    bits_.jump(at + 4 + length);
    return true;
  }

  bool fixed() {
    std::array<std::uint8_t, 288> lengths;
    for (std::size_t s = 0; s < lengths.size(); ++s)
      lengths[s] = static_cast<std::uint8_t>(s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8);
    literals_.build(lengths);
    std::array<std::uint8_t, 30> five;
    five.fill(5);
    distances_.build(five);
    return copy_coded();
  }

  bool dynamic() {
    const std::size_t literals = 257 + bits_.take(5), distances = 1 + bits_.take(5), codes = 4 + bits_.take(4);
    if (literals > 286 || distances > 30) return false;
    constexpr std::array<std::size_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, 19> code_lengths{};
    for (std::size_t k = 0; k < codes; ++k) code_lengths[order[k]] = static_cast<std::uint8_t>(bits_.take(3));
    if (!literals_.build(code_lengths)) return false;
    std::array<std::uint8_t, 316> lengths{};
    for (std::size_t k = 0; k < literals + distances;) {
      const int symbol = literals_.next(bits_);
      if (symbol < 0 || bits_.overrun()) return false;
      if (symbol < 16) {
        lengths[k++] = static_cast<std::uint8_t>(symbol);
        continue;
      }
      if (symbol == 16 && k == 0) return false;
      const std::uint8_t value = symbol == 16 ? lengths[k - 1] : std::uint8_t{0};
      std::size_t repeat = symbol == 16 ? 3 + bits_.take(2) : symbol == 17 ? 3 + bits_.take(3) : 11 + bits_.take(7);
      if (k + repeat > literals + distances) return false;
      while (repeat-- > 0) lengths[k++] = value;
    }
    const std::span<const std::uint8_t> all(lengths);
    return literals_.build(all.first(literals)) && distances_.build(all.subspan(literals, distances)) && copy_coded();
  }

  bool copy_coded() {
    while (!bits_.overrun()) {
      const int symbol = literals_.next(bits_);
      if (symbol < 0) return false;
      if (symbol == 256) return true;
      if (symbol < 256) {
        if (filled_ >= out_.size()) return false;
        out_[filled_++] = static_cast<char>(symbol);
        continue;
      }
      const std::size_t l = static_cast<std::size_t>(symbol) - 257;
      if (l >= length_base.size()) return false;
      const std::size_t length = static_cast<std::size_t>(length_base[l]) + bits_.take(length_bits[l]);
      const int coded = distances_.next(bits_);
      if (coded < 0 || coded >= 30) return false;
      const auto d = static_cast<std::size_t>(coded);
      const std::size_t distance = static_cast<std::size_t>(distance_base[d]) + bits_.take(distance_bits[d]);
      if (distance > filled_ || length > out_.size() - filled_) return false;
      // Byte by byte: source and target overlap where a pattern repeats.
      for (std::size_t k = 0; k < length; ++k, ++filled_) out_[filled_] = out_[filled_ - distance];
    }
    return false;
  }

  std::string_view packed_;
  Bits bits_;
  std::span<char> out_;
  std::size_t filled_ = 0;
  Huffman literals_, distances_;
};

std::uint32_t adler32(std::span<const char> bytes) {
  std::uint32_t a = 1, b = 0;
  for (std::size_t k = 0; k < bytes.size();) {
    // 5552 is the longest run whose sums fit into 32 bits.
    const std::size_t end = std::min<std::size_t>(bytes.size(), k + 5552);
    for (; k < end; ++k) {
      a += static_cast<unsigned char>(bytes[k]);
      b += a;
    }
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}

}  // namespace

bool inflate_zlib(std::string_view packed, std::span<char> unpacked) {
  if (packed.size() < 6) return false;
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(packed[k])); };
  const bool deflate = (byte(0) & 15) == 8, dictionary = (byte(1) & 32) != 0;
  if (!deflate || dictionary || (byte(0) << 8 | byte(1)) % 31 != 0) return false;
  const std::size_t end = Inflater(packed, unpacked).run();
  if (end == 0 || end + 4 > packed.size()) return false;
  const std::uint32_t check = byte(end) << 24 | byte(end + 1) << 16 | byte(end + 2) << 8 | byte(end + 3);
  return check == adler32(unpacked);
}

}  // namespace livens
