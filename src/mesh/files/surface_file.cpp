#include "mesh/files/surface_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "mesh/files/source.hpp"
#include "mesh/fill/surface_topology.hpp"

namespace livens {

namespace geometry {

namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

}  // namespace

void SurfaceFile::fail(const std::string& message) const { throw MeshError(name + ": " + message); }
void SurfaceFile::fail_at_line(long line, const std::string& message) const {
  throw MeshError(fmt::format("{}:{}: {}", name, line, message));
}
void SurfaceFile::fail_at_byte(std::size_t byte, const std::string& message) const {
  throw MeshError(fmt::format("{}: byte {}: {}", name, byte, message));
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t shown = 40;
  std::string out = "'";
  for (const char c : text.substr(0, shown)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > shown ? "...'" : "'");
}

bool Words::next_on_line(std::string_view& word) {
  std::size_t begin = 0;
  while (begin < rest_.size() && blank(rest_[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest_.size() && !blank(rest_[end]) && rest_[end] != '\n') ++end;
  word = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return !word.empty();
}

void Words::skip_line() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) {
    rest_ = {};
    return;
  }
  rest_.remove_prefix(end + 1);
  ++line_;
}

bool Words::next(std::string_view& word) {
  while (!next_on_line(word)) {
    if (rest_.empty()) return false;
    skip_line();
  }
  return true;
}

bool Words::at_end() {
  Words ahead = *this;
  std::string_view word;
  return !ahead.next(word);
}

bool parse_number(std::string_view word, double& value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  if (word.empty() || word.front() == '+') return false;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return false;
  // Too large or too small for a double: infinite or 0, as strtod says.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
  return error == std::errc() || error == std::errc::result_out_of_range;
}

double parse_coordinate(std::string_view word, const SurfaceFile& file, long line) {
  double value = 0;
  if (!parse_number(word, value)) file.fail_at_line(line, "expected a number, found " + excerpt(word) + ".");
  if (!(std::abs(value) < coordinate_max))
    file.fail_at_line(line, excerpt(word) + " is not a coordinate: must be finite and below 1e30.");
  return value;
}

bool parse_whole(std::string_view word, long long& value) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  if (word.empty() || word.front() == '+') return false;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace geometry

using namespace geometry;

namespace {

std::size_t stl_count(std::string_view bytes) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < 4; ++k)
    count |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[80 + k])) << (8 * k);
  return count;
}

bool is_obj_keyword(std::string_view word) {
  for (const char* known : {"v", "vn", "vt", "vp", "f", "o", "g", "s", "l", "p", "mtllib", "usemtl"})
    if (word == known) return true;
  return false;
}

// By the first line that is no comment; a head may have none.
bool looks_like_obj(std::string_view bytes, bool whole) {
  Words words(bytes);
  std::string_view word;
  for (int lines = 0; lines < 1000 && words.next(word); ++lines) {
    if (word.front() != '#') return is_obj_keyword(word);
    words.skip_line();
  }
  return !whole;
}

enum class SurfaceFormat { obj, stl_text, stl_binary, ply };

// From the first bytes of a file, or all of them, and its size.
SurfaceFormat format_of(const SurfaceFile& file, std::string_view bytes, std::size_t size) {
  if (size == 0) file.fail("is empty.");
  if (bytes.substr(0, 3) == "ply" && bytes.size() > 3 && (bytes[3] == '\n' || bytes[3] == '\r'))
    return SurfaceFormat::ply;
  // Some binary STL files begin with "solid" too: the size tells.
  if (bytes.size() >= 84 && size == 84 + 50 * stl_count(bytes)) return SurfaceFormat::stl_binary;
  std::string_view word;
  const bool text = bytes.find('\0') == std::string_view::npos;
  const bool solid = Words(bytes).next(word) && (word == "solid" || word == "SOLID" || word == "Solid");
  if (text && solid) return SurfaceFormat::stl_text;
  if (text && looks_like_obj(bytes, bytes.size() == size)) return SurfaceFormat::obj;
  const std::string extension = std::filesystem::path(file.name).extension().string();
  if (extension == ".stl" || extension == ".STL" || (solid && !text)) return SurfaceFormat::stl_binary;
  if (text && extension == ".obj") return SurfaceFormat::obj;
  file.fail("is not a surface: neither OBJ nor STL nor PLY. It begins with " + excerpt(bytes.substr(0, 16)) + ".");
}

// Texts of some programs end in a NUL.
std::string_view without_end(std::string_view bytes) {
  std::string_view text = bytes;
  while (text.ends_with('\0')) text.remove_suffix(1);
  return text.find('\0') == std::string_view::npos ? text : bytes;
}

// Lines of old programs end in a carriage return alone.
std::string with_line_feeds(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), '\r', '\n');
  return result;
}

Surface read_by_content(SurfaceFile file, MeshNotes& notes) {
  file.bytes = without_end(file.bytes);
  std::string lines;
  if (const auto find = [&](char c) { return file.bytes.find(c); }; find('\0') == std::string_view::npos &&
                                                                    find('\n') == std::string_view::npos &&
                                                                    find('\r') != std::string_view::npos)
    file.bytes = lines = with_line_feeds(file.bytes);
  switch (format_of(file, file.bytes, file.bytes.size())) {
    case SurfaceFormat::obj: return read_obj(file, notes);
    case SurfaceFormat::stl_text: return read_stl_text(file, notes);
    case SurfaceFormat::stl_binary: return read_stl_binary(file, notes);
    case SurfaceFormat::ply: break;
  }
  return read_ply(file, notes);
}

}  // namespace

Surface geometry::read_surface_bytes(const SurfaceFile& file, MeshNotes& notes) {
  Surface surface = read_by_content(file, notes);
  if (surface.triangles.empty()) file.fail("has no triangles.");
  return surface;
}

Surface read_surface(const std::filesystem::path& path, MeshNotes& notes) {
  const auto check = [](const std::string& name, std::string_view head, std::size_t size) {
    const std::string_view text = head.size() == size ? without_end(head) : head;
    format_of({name, {}}, text, size - (head.size() - text.size()));
  };
  const MeshSource source = load_source(path, check);
  return read_surface_bytes({source.name, source.bytes}, notes);
}

}  // namespace livens
