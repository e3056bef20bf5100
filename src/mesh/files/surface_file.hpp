// Pieces that the readers of surface files share. No count in a file is believed before it is held against the file's
// size.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/fill/surface_geometry.hpp"

namespace livens::geometry {

struct SurfaceFile {
  std::string name;
  std::string_view bytes;

  [[noreturn]] void fail(const std::string& message) const;
  [[noreturn]] void fail_at_line(long line, const std::string& message) const;
  [[noreturn]] void fail_at_byte(std::size_t byte, const std::string& message) const;
};

// 'abc', shortened, with unprintable bytes as ?.
std::string excerpt(std::string_view text);

// Words of a text, each with its line number.
class Words {
 public:
  explicit Words(std::string_view text, long line = 1) : rest_(text), line_(line) {}
  bool next(std::string_view& word);          // false at the end
  bool next_on_line(std::string_view& word);  // false at the end of the line
  void skip_line();
  long line() const { return line_; }  // of the last word
  bool at_end();                       // nothing but blanks follows
  std::size_t rest() const { return rest_.size(); }

 private:
  std::string_view rest_;
  long line_;
};

// A coordinate: finite and below coordinate_max. `fail(message)` must not return.
double parse_coordinate(std::string_view word, const SurfaceFile& file, long line);
// An integer; false if it is not one or does not fit.
bool parse_whole(std::string_view word, long long& value);
// Any number, also nan and inf.
bool parse_number(std::string_view word, double& value);

// Cuts polygons into triangles: by ears in the plane of the polygon, large ones as fans.
class Polygons {
 public:
  explicit Polygons(Surface& surface) : surface_(surface) {}
  void add(const std::vector<int>& polygon);

 private:
  Surface& surface_;
  std::vector<int> left_;
  std::vector<std::array<double, 2>> flat_;
};

// By content.
Surface read_surface_bytes(const SurfaceFile& file, MeshNotes& notes);

Surface read_obj(const SurfaceFile& file, MeshNotes& notes);
Surface read_stl_text(const SurfaceFile& file, MeshNotes& notes);
Surface read_stl_binary(const SurfaceFile& file, MeshNotes& notes);
Surface read_ply(const SurfaceFile& file, MeshNotes& notes);

}  // namespace livens::geometry
