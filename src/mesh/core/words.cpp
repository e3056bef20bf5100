#include "mesh/core/words.hpp"

#include <charconv>
#include <fstream>
#include <system_error>

namespace livens {

std::string grouped(long number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > first + 3; place -= 3) digits.insert(place - 3, 1, ' ');
  return digits;
}

std::string short_number(double value, int digits) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
  return std::string(text, end);
}

std::string quoted_excerpt(std::string_view text) {
  constexpr std::size_t longest = 24;
  std::string excerpt = "'";
  for (const char c : text.substr(0, longest)) excerpt += c >= ' ' && c <= '~' ? c : '?';
  return excerpt + (text.size() > longest ? "..." : "") + "'";
}

bool write_whole(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::path temporary = path;
  temporary += ".part";
  std::error_code error;
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.flush();
    if (!stream) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(temporary, path, error);
  if (!error) return true;
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  return false;
}

}  // namespace livens
