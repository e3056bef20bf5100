#include "report/image.hpp"

#include <cstdlib>
#include <limits>
#include <string_view>

#include "files/deflate.hpp"

namespace livens {
namespace {

constexpr int bytes_of_pixel = 4;

void put_big_endian(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
}

void add_piece(std::string& png, std::string_view type, std::string_view content) {
  put_big_endian(png, static_cast<std::uint32_t>(content.size()));
  std::string piece(type);
  piece += content;
  png += piece;
  put_big_endian(png, crc32_of(piece));
}

// The neighbour that is nearest to left + above - corner.
int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left), to_above = std::abs(guess - above), to_corner = std::abs(guess - corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

// One row as differences from what its neighbours let expect: expected(left, above, corner).
template <class Expected>
std::string filtered(const std::uint8_t* row, const std::uint8_t* above, int size, int rule, const Expected& expected) {
  std::string result(static_cast<std::size_t>(size) + 1, static_cast<char>(rule));
  char* to = result.data() + 1;
  for (int i = 0; i < bytes_of_pixel; ++i) to[i] = static_cast<char>(row[i] - expected(0, above[i], 0));
  for (int i = bytes_of_pixel; i < size; ++i)
    to[i] = static_cast<char>(row[i] - expected(row[i - bytes_of_pixel], above[i], above[i - bytes_of_pixel]));
  return result;
}

// The rule with the smallest differences compresses best, as a rule of thumb. There are five in the format.
std::string best_filtered(const std::uint8_t* row, const std::uint8_t* above, int size) {
  std::string best;
  int least = std::numeric_limits<int>::max();
  const auto consider = [&](int rule, const auto& expected) {
    std::string candidate = filtered(row, above, size, rule, expected);
    int sum = 0;
    for (const char c : candidate) sum += std::abs(static_cast<int>(static_cast<signed char>(c)));
    if (sum < least) least = sum, best = std::move(candidate);
  };
  consider(0, [](int, int, int) { return 0; });
  consider(1, [](int a, int, int) { return a; });
  consider(2, [](int, int b, int) { return b; });
  consider(3, [](int a, int b, int) { return (a + b) / 2; });
  consider(4, [](int a, int b, int c) { return paeth(a, b, c); });
  return best;
}

constexpr const char* signature = "\x89PNG\r\n\x1a\n";

std::string head_of(const Image& image) {
  std::string head;
  put_big_endian(head, static_cast<std::uint32_t>(image.width));
  put_big_endian(head, static_cast<std::uint32_t>(image.height));
  head += {8, 6, 0, 0, 0};  // 8 bits, RGBA
  return head;
}

std::string rows_of(const Image& image) {
  std::string rows;
  const int size = image.width * bytes_of_pixel;
  const std::vector<std::uint8_t> nothing(static_cast<std::size_t>(size), 0);  // above the first row
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.rgba.data() + static_cast<std::ptrdiff_t>(y) * size;
    rows += best_filtered(row, y > 0 ? row - size : nothing.data(), size);
  }
  return rows;
}

}  // namespace

std::string png_bytes(const Image& image) {
  std::string png = signature;
  add_piece(png, "IHDR", head_of(image));
  add_piece(png, "IDAT", deflated(rows_of(image)));
  add_piece(png, "IEND", "");
  return png;
}

// https://www.w3.org/TR/png-3: the first image is the IDAT, the others are fdAT; one sequence number for all pieces.
std::string apng_bytes(const std::vector<Image>& images, double seconds) {
  if (images.size() < 2) return png_bytes(images.at(0));
  std::string png = signature;
  add_piece(png, "IHDR", head_of(images.front()));
  std::string control;
  put_big_endian(control, static_cast<std::uint32_t>(images.size()));
  put_big_endian(control, 0);  // plays without end
  add_piece(png, "acTL", control);
  std::uint32_t number = 0;
  for (const Image& image : images) {
    std::string frame;
    put_big_endian(frame, number++);
    put_big_endian(frame, static_cast<std::uint32_t>(image.width));
    put_big_endian(frame, static_cast<std::uint32_t>(image.height));
    put_big_endian(frame, 0);  // offset
    put_big_endian(frame, 0);
    const auto milliseconds = static_cast<std::uint32_t>(1000 * seconds + 0.5);
    frame += {static_cast<char>(milliseconds >> 8), static_cast<char>(milliseconds & 0xFF)};
    frame += {0x03, static_cast<char>(0xE8)};  // of 1000
    frame += {1, 0};                           // cleared afterwards, not blended
    add_piece(png, "fcTL", frame);
    std::string data;
    if (&image != &images.front()) put_big_endian(data, number++);
    data += deflated(rows_of(image));
    add_piece(png, &image == &images.front() ? "IDAT" : "fdAT", data);
  }
  add_piece(png, "IEND", "");
  return png;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= bytes.size() - i ? letters[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace livens
