// Wavefront OBJ: vertices and faces; texture, normals, groups, materials and curves are passed over.
#include <fmt/format.h>

#include "mesh/files/surface_file.hpp"

namespace livens::geometry {

namespace {

constexpr long long vertices_max = 0x7fffffff / 3;

class ObjReader {
 public:
  ObjReader(const SurfaceFile& file, MeshNotes& notes) : file_(file), notes_(notes) {}

  Surface read() {
    std::string_view rest = file_.bytes;
    std::string joined;
    long line = 1;
    while (!rest.empty()) {
      // A line, with its continuations after a backslash.
      const long first = line;
      std::string_view text = take_line(rest, line);
      if (ends_in_backslash(text)) {
        joined.clear();
        while (ends_in_backslash(text)) {
          joined.append(text.substr(0, text.size() - 1)).push_back(' ');
          text = take_line(rest, line);
        }
        joined.append(text);
        text = joined;
      }
      read_line(text, first);
    }
    for (const Later& later : later_)
      if (later.index > count()) fail_index(later.index, later.line);
    // Faces with more than three corners wait for all vertices.
    Polygons polygons(surface_);
    std::vector<int> polygon;
    for (std::size_t k = 0; k < corners_.size();) {
      const std::size_t n = at(corners_[k]);
      polygon.assign(corners_.begin() + static_cast<std::ptrdiff_t>(k + 1),
                     corners_.begin() + static_cast<std::ptrdiff_t>(k + 1 + n));
      polygons.add(polygon);
      k += n + 1;
    }
    if (skipped_ > 0)
      notes_.warnings.push_back(
          fmt::format("{}: {} line{} with words that mean nothing here skipped, the first line {}: {}.", file_.name,
                      skipped_, skipped_ > 1 ? "s" : "", first_skipped_, skipped_word_));
    return std::move(surface_);
  }

 private:
  struct Later {
    long long index;  // from 1
    long line;
  };

  static std::string_view take_line(std::string_view& rest, long& line) {
    const std::size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    ++line;
    return text;
  }
  static bool ends_in_backslash(std::string_view text) { return !text.empty() && text.back() == '\\'; }
  long long count() const { return static_cast<long long>(surface_.X.size() / 3); }

  [[noreturn]] void fail_index(long long index, long line) const {
    file_.fail_at_line(line, fmt::format("the face refers to vertex {}, but there are {} vertices.", index, count()));
  }

  void read_line(std::string_view text, long line) {
    Words words(text.substr(0, text.find('#')), line);
    std::string_view word;
    if (!words.next_on_line(word)) return;
    if (word == "v") return read_vertex(words, line);
    if (word == "f" || word == "fo") return read_face(words, line);
    for (const char* known : {"vn", "vt", "vp", "o", "g", "s", "l", "p", "mtllib", "usemtl", "mg", "lod", "bevel",
                              "c_interp", "d_interp", "shadow_obj", "trace_obj", "usemap", "maplib"})
      if (word == known) return;
    if (skipped_++ == 0) {
      first_skipped_ = line;
      skipped_word_ = excerpt(word);
    }
  }

  void read_vertex(Words& words, long line) {
    if (count() >= vertices_max) file_.fail_at_line(line, "too many vertices.");
    for (int c = 0; c < 3; ++c) {
      std::string_view word;
      if (!words.next_on_line(word))
        file_.fail_at_line(line, fmt::format("a vertex needs 3 coordinates, here are {}.", c));
      surface_.X.push_back(parse_coordinate(word, file_, line));
    }
  }

  void read_face(Words& words, long line) {
    const std::size_t start = corners_.size();
    corners_.push_back(0);
    std::string_view word;
    while (words.next_on_line(word)) {
      long long index = 0;
      if (!parse_whole(word.substr(0, word.find('/')), index))
        file_.fail_at_line(line, "expected a vertex of the face such as 3, 3/1 or 3//2, found " + excerpt(word) + ".");
      if (index == 0) file_.fail_at_line(line, "vertex 0: vertices count from 1.");
      if (index < 0) {
        if (index < -count())
          file_.fail_at_line(line,
                             fmt::format("the face refers to vertex {}, that is {} before the last, but there are {} "
                                         "vertices so far.",
                                         index, -index, count()));
        index = count() + index + 1;
      }
      if (index > vertices_max) fail_index(index, line);
      if (index > count()) later_.push_back({index, line});
      corners_.push_back(static_cast<int>(index - 1));
    }
    const std::size_t n = corners_.size() - start - 1;
    if (n < 3)
      file_.fail_at_line(line, fmt::format("a face needs at least 3 vertices, here {} {}.", n == 1 ? "is" : "are", n));
    corners_[start] = static_cast<int>(n);
  }

  const SurfaceFile& file_;
  MeshNotes& notes_;
  Surface surface_;
  std::vector<int> corners_;  // of each face: how many, then which
  std::vector<Later> later_;
  long skipped_ = 0, first_skipped_ = 0;
  std::string skipped_word_;
};

}  // namespace

Surface read_obj(const SurfaceFile& file, MeshNotes& notes) { return ObjReader(file, notes).read(); }

}  // namespace livens::geometry
