// STL, as text or binary: three points a facet. Normals are not needed; equal points are one vertex.
#include <bit>
#include <cctype>
#include <cstdint>

#include <fmt/format.h>

#include "mesh/files/surface_file.hpp"
#include "mesh/fill/surface_topology.hpp"

namespace livens::geometry {

namespace {

bool same_word(std::string_view word, std::string_view keyword) {
  if (word.size() != keyword.size()) return false;
  for (std::size_t k = 0; k < word.size(); ++k)
    if (std::tolower(static_cast<unsigned char>(word[k])) != keyword[k]) return false;
  return true;
}

void number_triangles(Surface& surface) {
  surface.triangles.resize(surface.X.size() / 3);
  for (std::size_t k = 0; k < surface.triangles.size(); ++k) surface.triangles[k] = static_cast<int>(k);
  merge_points(surface, 0);
}

}  // namespace

Surface read_stl_text(const SurfaceFile& file, MeshNotes&) {
  Surface surface;
  Words words(file.bytes);
  std::string_view word;
  const auto expect = [&](std::string_view keyword) {
    if (!words.next(word))
      file.fail_at_line(words.line(), fmt::format("the file ends where '{}' should follow.", keyword));
    if (!same_word(word, keyword))
      file.fail_at_line(words.line(), fmt::format("expected '{}', found {}.", keyword, excerpt(word)));
  };
  while (words.next(word)) {
    if (!same_word(word, "solid")) file.fail_at_line(words.line(), "expected 'solid', found " + excerpt(word) + ".");
    words.skip_line();
    while (true) {
      if (!words.next(word)) file.fail_at_line(words.line(), "the file ends inside a solid, before 'endsolid'.");
      if (same_word(word, "endsolid")) {
        words.skip_line();
        break;
      }
      if (!same_word(word, "facet"))
        file.fail_at_line(words.line(), "expected 'facet' or 'endsolid', found " + excerpt(word) + ".");
      expect("normal");
      for (int c = 0; c < 3; ++c) {
        double unused = 0;
        if (!words.next(word) || !parse_number(word, unused))
          file.fail_at_line(words.line(), "a normal needs 3 numbers, found " + excerpt(word) + ".");
      }
      expect("outer");
      expect("loop");
      for (int v = 0; v < 3; ++v) {
        expect("vertex");
        for (int c = 0; c < 3; ++c) {
          if (!words.next(word)) file.fail_at_line(words.line(), "the file ends inside a vertex.");
          surface.X.push_back(parse_coordinate(word, file, words.line()));
        }
      }
      expect("endloop");
      expect("endfacet");
    }
  }
  number_triangles(surface);
  return surface;
}

Surface read_stl_binary(const SurfaceFile& file, MeshNotes& notes) {
  const std::string_view bytes = file.bytes;
  if (bytes.size() < 84)
    file.fail(fmt::format("a binary STL has at least 84 bytes, this one {}: cut short?", bytes.size()));
  const auto word_at = [&](std::size_t byte) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[byte + k])) << (8 * k);
    return value;
  };
  const std::size_t count = word_at(80), needed = 84 + 50 * count;
  if (needed > bytes.size())
    file.fail_at_byte(80, fmt::format("{} triangles need {} bytes, the file has {}: cut short, or a wrong count.",
                                      count, needed, bytes.size()));
  if (bytes.size() - needed >= 50)
    file.fail_at_byte(
        80, fmt::format("{} triangles need {} bytes, the file has {}: a wrong count.", count, needed, bytes.size()));
  if (bytes.size() > needed)
    notes.warnings.push_back(
        fmt::format("{}: {} bytes after the last triangle skipped.", file.name, bytes.size() - needed));
  if (count > 0x7fffffff / 9) file.fail_at_byte(80, fmt::format("{} triangles are too many.", count));
  Surface surface;
  surface.X.reserve(9 * count);
  for (std::size_t t = 0; t < count; ++t)
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t byte = 84 + 50 * t + 12 + 4 * k;
      const double x = std::bit_cast<float>(word_at(byte));
      if (!(std::abs(x) < coordinate_max))
        file.fail_at_byte(byte,
                          fmt::format("triangle {}: a coordinate is {}: must be finite and below 1e30.", t + 1, x));
      surface.X.push_back(x);
    }
  number_triangles(surface);
  return surface;
}

}  // namespace livens::geometry
