// MEDIT's text files (.mesh; INRIA Technical Report 253): words followed by a count and so many lines of numbers. What
// is not known is passed over. References other than 0 are groups: ref_3.
#include <charconv>
#include <optional>

#include "mesh/core/topology.hpp"
#include "mesh/core/words.hpp"
#include "mesh/files/raw_builder.hpp"

namespace livens {
namespace {

class MeditReader {
 public:
  explicit MeditReader(const MeshSource& source) : source_(source), text_(source.bytes), builder_(source) {}

  RawMesh run() {
    while (next_word()) {
      const std::string word(word_);
      const std::size_t begin = word_offset_;
      if (word == "End") break;
      if (word == "MeshVersionFormatted") {
        integer("the version");
      } else if (word == "Dimension") {
        dimension_ = static_cast<int>(integer("the dimension"));
        if (dimension_ != 2 && dimension_ != 3) fail(begin, "the dimension is 2 or 3");
      } else if (word == "Vertices") {
        read_vertices(begin);
      } else if (const auto kind = kind_of(word)) {
        read_cells(*kind);
      } else if (const int nodes = skipped_nodes(word); nodes > 0) {
        skip_cells(word, nodes);
      }  // else it is passed over, and then its numbers one by one
    }
    if (!have_vertices_) fail(0, "the file has no Vertices: is it complete?");
    return builder_.finish();
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& text) const { source_.fail_line(offset, text); }

  static std::optional<ElementKind> kind_of(const std::string& word) {
    if (word == "Triangles") return ElementKind::tri3;
    if (word == "TrianglesP2") return ElementKind::tri6;
    if (word == "Tetrahedra") return ElementKind::tet4;
    if (word == "TetrahedraP2") return ElementKind::tet10;
    return std::nullopt;
  }
  static int skipped_nodes(const std::string& word) {
    return word == "Hexahedra" ? 8 : word == "Prisms" ? 6 : word == "Pyramids" ? 5 : word == "Quadrilaterals" ? 4 : 0;
  }

  // Comments begin with #.
  bool next_word() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
        ++at_;
      else
        break;
    }
    word_offset_ = at_;
    const std::size_t end = std::min(text_.find_first_of(" \n\r\t#", at_), text_.size());
    word_ = text_.substr(at_, end - at_);
    at_ = end;
    return !word_.empty();
  }

  template <class T>
  T number(const char* what) {
    if (!next_word()) fail(text_.size(), std::string("the file ends where ") + what + " should be: is it complete?");
    T value{};
    const auto parsed = std::from_chars(word_.data(), word_.data() + word_.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != word_.data() + word_.size())
      fail(word_offset_, std::string("expected ") + what + ", found " + quoted_excerpt(word_));
    return value;
  }
  long integer(const char* what) { return number<long>(what); }

  long count(const char* what) {
    const long value = integer(what);
    if (value < 0 || static_cast<std::size_t>(value) > (text_.size() - at_) / 2 + 1)
      fail(word_offset_, std::string(what) + " is " + grouped(value) + ", but only " +
                             grouped(static_cast<long>(text_.size() - at_)) + " bytes follow: is the file complete?");
    return value;
  }

  void read_vertices(std::size_t begin) {
    if (have_vertices_) fail(begin, "a second Vertices: one mesh per file");
    have_vertices_ = true;
    const long vertices = count("the number of vertices");
    std::vector<long> references;
    for (long k = 1; k <= vertices; ++k) {
      double x[3] = {0, 0, 0};
      std::size_t offset = 0;
      for (int c = 0; c < dimension_; ++c) {
        x[c] = number<double>("a coordinate of a vertex");
        if (c == 0) offset = word_offset_;
      }
      references.push_back(integer("the reference of a vertex"));
      builder_.add_node(k, x[0], x[1], x[2], offset);
    }
    builder_.end_nodes();
    for (std::size_t k = 0; k < references.size(); ++k)
      if (references[k] != 0) builder_.name_node(static_cast<int>(k), "ref_" + std::to_string(references[k]));
  }

  std::vector<int> read_nodes(int count, std::size_t& offset) {
    if (!have_vertices_) fail(word_offset_, "Vertices must come before elements");
    std::vector<int> nodes;
    for (int a = 0; a < count; ++a) {
      const long tag = integer("a vertex of an element");
      if (a == 0) offset = word_offset_;
      nodes.push_back(builder_.node(tag, word_offset_));
    }
    return nodes;
  }

  void read_cells(ElementKind kind) {
    const long cells = count("the number of elements");
    for (long k = 1; k <= cells; ++k) {
      std::size_t offset = 0;
      const std::vector<int> nodes = read_nodes(nodes_of(kind), offset);
      const int cell = builder_.add_cell(kind, k, nodes, offset);
      if (const long reference = integer("the reference of an element"); reference != 0)
        builder_.name_cell(kind, cell, "ref_" + std::to_string(reference));
    }
  }

  void skip_cells(const std::string& word, int each) {
    std::string plural = word;
    plural[0] = static_cast<char>(plural[0] - 'A' + 'a');
    const long cells = count("the number of elements");
    for (long k = 0; k < cells; ++k) {
      std::size_t offset = 0;
      builder_.skip_cell(plural, read_nodes(each, offset));
      integer("the reference of an element");
    }
  }

  const MeshSource& source_;
  std::string_view text_, word_;
  std::size_t at_ = 0, word_offset_ = 0;
  int dimension_ = 3;
  bool have_vertices_ = false;
  RawBuilder builder_;
};

}  // namespace

RawMesh read_medit(const MeshSource& source) { return MeditReader(source).run(); }

}  // namespace livens
