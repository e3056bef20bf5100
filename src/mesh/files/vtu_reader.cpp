// VTU files: VTK's XML for unstructured grids (VTK File Formats, Kitware), one or several pieces.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <span>

#include "mesh/core/topology.hpp"
#include "mesh/core/words.hpp"
#include "mesh/files/raw_mesh.hpp"
#include "mesh/files/vtu_data.hpp"

namespace livens {
namespace {

struct Tag {
  std::string name;  // with / in front if it closes
  std::map<std::string, std::string> attributes;
  std::size_t begin = 0, end = 0;  // of < and behind >
  bool closed = false;             // />
};

// The tags of an XML file, one after the other; comments and declarations are passed over.
class TagReader {
 public:
  explicit TagReader(const MeshSource& source) : source_(source), text_(source.bytes) {}

  std::optional<Tag> next() {
    while (true) {
      at_ = text_.find('<', at_);
      if (at_ == std::string_view::npos) return std::nullopt;
      if (text_.substr(at_).starts_with("<!--"))
        skip_to("-->");
      else if (text_.substr(at_).starts_with("<?"))
        skip_to("?>");
      else if (text_.substr(at_).starts_with("<!"))
        skip_to(">");
      else
        return tag();
    }
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { source_.fail_line(at_, text); }
  void skip_to(std::string_view mark) {
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) fail("the file ends before '" + std::string(mark) + "': is it complete?");
    at_ = end + mark.size();
  }
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ >= text_.size()) fail("the file ends inside a tag: is it complete?");
  }
  std::string word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != '>' && text_[at_] != '=' &&
           (text_[at_] != '/' || at_ == begin))
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Tag tag() {
    Tag tag;
    tag.begin = at_++;
    tag.name = word();
    if (tag.name.empty() || tag.name.size() > 64) fail("expected the name of a tag");
    while (true) {
      skip_space();
      if (text_[at_] == '>') break;
      if (text_[at_] == '/') {
        tag.closed = true;
        ++at_;
        continue;
      }
      const std::string name = word();
      skip_space();
      if (name.empty() || text_[at_] != '=') fail("expected an attribute, found " + quoted_excerpt(name));
      ++at_;
      skip_space();
      const char quote = text_[at_];
      if (quote != '"' && quote != '\'') fail("expected a value in quotes for " + quoted_excerpt(name));
      const std::size_t close = text_.find(quote, at_ + 1);
      if (close == std::string_view::npos) fail("the file ends inside a tag: is it complete?");
      tag.attributes[name] = std::string(text_.substr(at_ + 1, close - at_ - 1));
      at_ = close + 1;
    }
    tag.end = ++at_;
    return tag;
  }

  const MeshSource& source_;
  std::string_view text_;
  std::size_t at_ = 0;
};

struct Piece {
  std::size_t tag = 0;
  long points = 0, cells = 0;
  std::optional<VtuArray> positions, connectivity, offsets, types;
};

struct VtkCell {
  int type, nodes;  // nodes 0: any
  const char* plural;
  std::optional<ElementKind> kind;
};
constexpr auto no_kind = std::nullopt;
constexpr std::array<VtkCell, 22> vtk_cells{{{1, 1, "points", no_kind},
                                             {2, 0, "points", no_kind},
                                             {3, 2, "lines", no_kind},
                                             {4, 0, "lines", no_kind},
                                             {5, 3, "triangles", ElementKind::tri3},
                                             {6, 0, "triangle strips", no_kind},
                                             {7, 0, "polygons", no_kind},
                                             {8, 4, "pixels", no_kind},
                                             {9, 4, "quadrilaterals", no_kind},
                                             {10, 4, "tetrahedra", ElementKind::tet4},
                                             {11, 8, "voxels", no_kind},
                                             {12, 8, "hexahedra", no_kind},
                                             {13, 6, "prisms", no_kind},
                                             {14, 5, "pyramids", no_kind},
                                             {21, 3, "lines", no_kind},
                                             {22, 6, "triangles", ElementKind::tri6},
                                             {23, 8, "quadrilaterals", no_kind},
                                             {24, 10, "tetrahedra", ElementKind::tet10},
                                             {25, 20, "hexahedra", no_kind},
                                             {26, 15, "prisms", no_kind},
                                             {27, 13, "pyramids", no_kind},
                                             {42, 0, "polyhedra", no_kind}}};

class VtuReader {
 public:
  explicit VtuReader(const MeshSource& source) : source_(source), tags_(source) {}

  RawMesh run() {
    read_tags();
    if (pieces_.empty()) throw MeshError(source_.name + ": it has no <Piece>: is it complete?");
    bool lines = true;
    for (const Piece& piece : pieces_) read_piece(piece, lines);
    raw_.offsets_are_lines = lines;
    raw_.elsewhere.resize(at(raw_.nodes()), 0);
    return std::move(raw_);
  }

 private:
  void read_tags() {
    std::string part;  // Points or Cells, while inside
    bool grid = false;
    while (const auto tag = tags_.next()) {
      if (tag->name == "VTKFile") {
        grid = true;
        read_format(*tag);
      } else if (!grid) {
        source_.fail_line(tag->begin, "expected <VTKFile>, found <" + tag->name + ">");
      } else if (tag->name == "Piece") {
        pieces_.push_back({tag->begin, count(*tag, "NumberOfPoints"), count(*tag, "NumberOfCells"), {}, {}, {}, {}});
      } else if (tag->name == "Points" || tag->name == "Cells") {
        part = tag->closed ? "" : tag->name;
      } else if (tag->name == "/Points" || tag->name == "/Cells") {
        part.clear();
      } else if (tag->name == "DataArray") {
        const VtuArray array = read_array(*tag);
        if (!pieces_.empty()) keep(array, part, pieces_.back());
      } else if (tag->name == "AppendedData") {
        read_appended(*tag);
        return;  // what follows are bytes
      }
    }
  }

  static void keep(const VtuArray& array, const std::string& part, Piece& piece) {
    if (part == "Points" && !piece.positions) piece.positions = array;
    if (part != "Cells") return;
    if (array.name == "connectivity") piece.connectivity = array;
    if (array.name == "offsets") piece.offsets = array;
    if (array.name == "types") piece.types = array;
  }

  static std::string value(const Tag& tag, const std::string& name, const std::string& otherwise) {
    const auto found = tag.attributes.find(name);
    return found == tag.attributes.end() ? otherwise : found->second;
  }

  long number(const Tag& tag, const std::string& name, const std::string& otherwise) const {
    const std::string text = value(tag, name, otherwise);
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    long result = 0;
    const auto parsed = std::from_chars(text.data() + begin, text.data() + text.size(), result);
    const auto behind = static_cast<std::size_t>(parsed.ptr - text.data());
    if (parsed.ec != std::errc() || result < 0 || text.find_first_not_of(" \t\r\n", behind) != std::string::npos)
      source_.fail_line(tag.begin, "expected a number for " + name + ", found " + quoted_excerpt(text));
    return result;
  }

  long count(const Tag& tag, const std::string& name) const {
    const long result = number(tag, name, "");
    if (result > 200'000'000)
      source_.fail_line(tag.begin, name + " is " + grouped(result) + ": too many to be numbered");
    return result;
  }

  void read_format(const Tag& tag) {
    if (const std::string type = value(tag, "type", ""); type != "UnstructuredGrid")
      source_.fail_line(tag.begin, "the file holds " + quoted_excerpt(type) + "; 'UnstructuredGrid' is read");
    const std::string order = value(tag, "byte_order", "LittleEndian"), header = value(tag, "header_type", "UInt32");
    if (order != "LittleEndian" && order != "BigEndian")
      source_.fail_line(tag.begin, "the byte_order is " + quoted_excerpt(order) + ", not LittleEndian or BigEndian");
    if (header != "UInt32" && header != "UInt64")
      source_.fail_line(tag.begin, "the header_type is " + quoted_excerpt(header) + ", not UInt32 or UInt64");
    format_.big_endian = order == "BigEndian";
    format_.header_bytes = header == "UInt64" ? 8 : 4;
    format_.compressor = value(tag, "compressor", "");
    if (!format_.compressor.empty() && format_.compressor != "vtkZLibDataCompressor")
      source_.fail_line(tag.begin, "the data are packed by " + quoted_excerpt(format_.compressor) +
                                       "; plain data and vtkZLibDataCompressor are read. Save it without compression.");
  }

  VtuArray read_array(const Tag& tag) {
    VtuArray array;
    array.name = value(tag, "Name", "Points");
    array.type = value(tag, "type", "");
    array.format = value(tag, "format", "ascii");
    array.components = static_cast<int>(std::min(number(tag, "NumberOfComponents", "0"), 1000L));
    array.offset = static_cast<std::size_t>(number(tag, "offset", "0"));
    array.tag = tag.begin;
    array.text = array.text_end = tag.end;
    if (tag.closed) return array;
    const std::size_t end = source_.bytes.find('<', tag.end);
    if (end == std::string::npos) {
      if (array.format == "appended") return array;
      source_.fail_line(source_.bytes.size(),
                        "the file ends inside the array " + quoted_excerpt(array.name) + ": is it complete?");
    }
    array.text_end = end;
    return array;
  }

  void read_appended(const Tag& tag) {
    const std::string encoding = value(tag, "encoding", "raw");
    if (encoding != "raw" && encoding != "base64")
      source_.fail_line(tag.begin, "the encoding is " + quoted_excerpt(encoding) + ", not raw or base64");
    format_.appended_base64 = encoding == "base64";
    const std::size_t mark = source_.bytes.find('_', tag.end);
    if (mark == std::string::npos) source_.fail_line(tag.begin, "<AppendedData> has no '_': is the file complete?");
    format_.appended = mark + 1;
  }

  const VtuArray& needed(const std::optional<VtuArray>& array, const Piece& piece, const char* name) const {
    if (!array) source_.fail_line(piece.tag, "the piece has no array " + std::string(name) + ": is the file complete?");
    return *array;
  }

  // Arrays may not share their bytes: many pieces of one and the same array would fill any memory.
  template <class T>
  void book(const VtuValues<T>& array, const VtuArray& from) {
    stored_bytes_ += array.stored_bytes;
    used_memory_ += array.used_memory;
    if (stored_bytes_ > source_.bytes.size()) source_.fail_line(from.tag, "arrays overlap in the file");
    if (used_memory_ > memory_limit()) source_.fail_line(from.tag, "the arrays do not fit into this machine's memory");
  }

  void read_piece(const Piece& piece, bool& lines) {
    if (piece.points == 0 && piece.cells == 0) return;
    const auto cells = static_cast<std::size_t>(piece.cells);
    const VtuArray& points = needed(piece.positions, piece, "of points");
    if (points.components != 0 && points.components != 3)
      source_.fail_line(points.tag, "points have 3 components, not " + std::to_string(points.components));
    const VtuReals X = vtu_reals(source_, format_, points, 3 * static_cast<std::size_t>(piece.points));
    book(X, points);
    const VtuArray& types_array = needed(piece.types, piece, "types");
    const VtuIntegers types = vtu_integers(source_, format_, types_array, cells);
    book(types, types_array);
    const VtuArray& offsets_array = needed(piece.offsets, piece, "offsets");
    const VtuIntegers offsets = vtu_integers(source_, format_, offsets_array, cells);
    book(offsets, offsets_array);
    std::int64_t last = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      if (offsets.values[k] < last || offsets.values[k] > 2'000'000'000)
        source_.fail_line(offsets_array.tag, "the offset of cell " + std::to_string(k) + " is " +
                                                 std::to_string(offsets.values[k]) + " after " + std::to_string(last));
      last = offsets.values[k];
    }
    const VtuArray& connectivity_array = needed(piece.connectivity, piece, "connectivity");
    const VtuIntegers nodes = vtu_integers(source_, format_, connectivity_array, last);
    book(nodes, connectivity_array);
    lines = lines && connectivity_array.format == "ascii" && points.format == "ascii";

    const int first_node = raw_.nodes();
    if (static_cast<double>(first_node) + static_cast<double>(piece.points) > most_entries / 3)
      source_.fail_line(piece.tag, "too many points to be numbered");
    raw_.X.insert(raw_.X.end(), X.values.begin(), X.values.end());
    for (int a = first_node; a < raw_.nodes(); ++a) raw_.node_tags.push_back(a);
    for (std::size_t a = 0; a < static_cast<std::size_t>(piece.points); ++a)
      raw_.node_offset.push_back(X.places.size() > 1 ? X.places[3 * a] : X.places.front());
    raw_.elsewhere.resize(at(raw_.nodes()), 0);
    for (std::size_t k = 0; k < cells; ++k) {
      const auto begin = static_cast<std::size_t>(k == 0 ? 0 : offsets.values[k - 1]);
      const auto end = static_cast<std::size_t>(offsets.values[k]);
      const std::uint64_t place = nodes.places.empty()          ? connectivity_array.tag
                                  : nodes.places.size() > begin ? nodes.places[begin]
                                                                : nodes.places.front();
      add_cell(types.values[k], std::span(nodes.values).subspan(begin, end - begin), piece.points, first_node, place,
               connectivity_array.format == "ascii");
    }
  }

  void add_cell(std::int64_t type, std::span<const std::int64_t> nodes, long points, int first_node,
                std::uint64_t place, bool line) {
    const long number = cell_++;  // from 0, as viewers count
    const auto fail = [&](const std::string& text) {
      line ? source_.fail_line(place, text) : source_.fail_byte(place, text);
    };
    const auto cell =
        std::find_if(vtk_cells.begin(), vtk_cells.end(), [&](const VtkCell& known) { return known.type == type; });
    const bool known = cell != vtk_cells.end();
    if (known && cell->nodes != 0 && nodes.size() != at(cell->nodes))
      fail("cell " + std::to_string(number) + " of type " + std::to_string(type) + " has " +
           std::to_string(nodes.size()) + " nodes, not " + std::to_string(cell->nodes));
    for (const std::int64_t node : nodes)
      if (node < 0 || node >= points)
        fail("cell " + std::to_string(number) + " holds point " + std::to_string(node) + ", but the piece has " +
             grouped(points));
    if (!known || !cell->kind) {
      for (const std::int64_t node : nodes) raw_.elsewhere[at(first_node + static_cast<int>(node))] = 1;
      const std::string plural = known ? cell->plural : "cells of type " + std::to_string(type);
      if (plural != "points" && plural != "lines") ++raw_.skipped[plural];
      return;
    }
    RawCells& cells = raw_.of(*cell->kind);
    for (const std::int64_t node : nodes) cells.nodes.push_back(first_node + static_cast<int>(node));
    cells.tags.push_back(number);
    cells.label.push_back(0);
    cells.offset.push_back(place);
    if (static_cast<double>(cells.nodes.size()) > most_entries) fail("too many cells to be numbered");
  }

  const MeshSource& source_;
  TagReader tags_;
  VtuFormat format_;
  std::vector<Piece> pieces_;
  RawMesh raw_;
  long cell_ = 0;
  std::size_t stored_bytes_ = 0, used_memory_ = 0;
};

}  // namespace

RawMesh read_vtu(const MeshSource& source) { return VtuReader(source).run(); }

}  // namespace livens
