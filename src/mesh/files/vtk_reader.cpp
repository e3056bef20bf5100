// Legacy VTK files ("# vtk DataFile Version 2.0" to 5.1, text and binary) with an unstructured grid ("VTK File
// Formats"). Binary numbers have the most significant byte first. Data of points and cells are passed over.
#include <bit>
#include <charconv>
#include <cstring>

#include "mesh/core/topology.hpp"
#include "mesh/core/words.hpp"
#include "mesh/files/raw_builder.hpp"

namespace livens {
namespace {

class VtkReader {
 public:
  explicit VtkReader(const MeshSource& source) : source_(source), text_(source.bytes), builder_(source) {}

  RawMesh run() {
    const std::string_view version = line();
    modern_ = version.find("Version 5") != std::string_view::npos;
    line();  // the title
    const std::string_view form = line();
    binary_ = form.starts_with("BINARY");
    if (!binary_ && !form.starts_with("ASCII")) fail(at_, "expected ASCII or BINARY, found " + quoted_excerpt(form));
    while (next_word()) {
      if (word_ == "DATASET") {
        next_word();
        if (word_ != "UNSTRUCTURED_GRID")
          fail(word_offset_, "a dataset of kind " + quoted_excerpt(word_) + "; UNSTRUCTURED_GRID is read");
      } else if (word_ == "POINTS") {
        read_points();
      } else if (word_ == "CELLS") {
        modern_ ? read_cells_5() : read_cells();
      } else if (word_ == "CELL_TYPES") {
        read_types();
        break;  // data follow
      } else if (word_ == "METADATA") {
        line();
        while (at_ < text_.size() && !line().empty()) {}
      } else {
        fail(word_offset_, "expected DATASET, POINTS, CELLS or CELL_TYPES, found " + quoted_excerpt(word_));
      }
    }
    if (builder_.nodes() == 0) fail(at_, "the file has no POINTS: is it complete?");
    if (types_.empty()) fail(at_, "the file has no CELL_TYPES: is it complete?");
    make_cells();
    return builder_.finish();
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& text) const {
    binary_ ? source_.fail_byte(offset, text) : source_.fail_line(offset, text);
  }

  std::string_view line() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view found = text_.substr(at_, end - at_);
    if (found.ends_with('\r')) found.remove_suffix(1);
    at_ = std::min(end + 1, text_.size());
    return found;
  }
  bool next_word() {
    at_ = std::min(text_.find_first_not_of(" \n\r\t", at_), text_.size());
    word_offset_ = at_;
    const std::size_t end = std::min(text_.find_first_of(" \n\r\t", at_), text_.size());
    word_ = text_.substr(at_, end - at_);
    at_ = end;
    return !word_.empty();
  }
  template <class T>
  T word_number(const char* what) {
    if (!next_word()) fail(text_.size(), std::string("the file ends where ") + what + " should be: is it complete?");
    T value{};
    const auto parsed = std::from_chars(word_.data(), word_.data() + word_.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != word_.data() + word_.size())
      fail(word_offset_, std::string("expected ") + what + ", found " + quoted_excerpt(word_));
    return value;
  }
  std::size_t count(const char* what) {
    const long value = word_number<long>(what);
    if (value < 0 || static_cast<std::size_t>(value) > text_.size())
      fail(word_offset_, std::string(what) + " is " + grouped(value) + ": more than the file can hold");
    return static_cast<std::size_t>(value);
  }

  // A number of the type that the file names.
  template <class T>
  T stored(const char* what) {
    if (text_.size() - at_ < sizeof(T))
      fail(text_.size(), std::string("the file ends where ") + what + " should be: is it complete?");
    std::array<char, sizeof(T)> bytes;
    for (std::size_t k = 0; k < sizeof(T); ++k)
      bytes[std::endian::native == std::endian::little ? sizeof(T) - 1 - k : k] = text_[at_ + k];
    at_ += sizeof(T);
    return std::bit_cast<T>(bytes);
  }
  double real(const std::string& type) {
    if (!binary_) return word_number<double>("a coordinate of a point");
    return type == "float" ? static_cast<double>(stored<float>("a coordinate")) : stored<double>("a coordinate");
  }
  long integer(const char* what, bool long_numbers = false) {
    if (!binary_) return word_number<long>(what);
    return long_numbers ? static_cast<long>(stored<std::int64_t>(what)) : static_cast<long>(stored<std::int32_t>(what));
  }

  void read_points() {
    if (builder_.nodes() > 0) fail(word_offset_, "a second POINTS: one mesh per file");
    const std::size_t points = count("the number of points");
    next_word();
    const std::string type(word_);
    if (type != "float" && type != "double")
      fail(word_offset_, "points of type " + quoted_excerpt(type) + "; float and double are read");
    line();
    for (std::size_t k = 0; k < points; ++k) {
      const std::size_t offset = at_;
      double x[3];
      for (double& coordinate : x) coordinate = real(type);
      builder_.add_node(static_cast<long>(k), x[0], x[1], x[2], offset);
    }
    builder_.end_nodes();
  }

  // Up to version 4: the number of nodes, then the nodes, cell by cell.
  void read_cells() {
    const std::size_t cells = count("the number of cells"), numbers = count("the length of the list of cells");
    line();
    for (std::size_t k = 0, used = 0; k < cells; ++k) {
      offsets_.push_back(at_);
      const long size = integer("the number of nodes of a cell");
      used += 1 + static_cast<std::size_t>(std::max(size, 0L));
      if (size < 0 || used > numbers) fail(offsets_.back(), "a cell has more nodes than the list of cells");
      auto& nodes = cells_.emplace_back();
      for (long a = 0; a < size; ++a) nodes.push_back(integer("a node of a cell"));
    }
  }

  void read_cells_5() {
    const std::size_t offsets = count("the number of offsets"), numbers = count("the number of nodes of cells");
    const auto list = [&](const char* name, std::size_t length) {
      if (!next_word() || word_ != name) fail(word_offset_, std::string("expected ") + name);
      next_word();
      const bool long_numbers = word_ == "vtktypeint64";
      line();
      std::vector<long> values;
      for (std::size_t k = 0; k < length; ++k) values.push_back(integer(name, long_numbers));
      return values;
    };
    const std::size_t begin = at_;
    const std::vector<long> first = list("OFFSETS", offsets), nodes = list("CONNECTIVITY", numbers);
    for (std::size_t k = 0; k + 1 < first.size(); ++k) {
      if (first[k] < 0 || first[k] > first[k + 1] || first[k + 1] > static_cast<long>(nodes.size()))
        fail(begin, "offsets of cells do not rise, or lead beyond their nodes");
      cells_.emplace_back(nodes.begin() + first[k], nodes.begin() + first[k + 1]);
      offsets_.push_back(begin);
    }
  }

  void read_types() {
    const std::size_t begin = word_offset_, types = count("the number of cell types");
    line();
    for (std::size_t k = 0; k < types; ++k) types_.push_back(integer("the type of a cell"));
    if (types_.size() != cells_.size()) fail(begin, "there are not as many CELL_TYPES as CELLS");
  }

  void make_cells() {
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      std::vector<int> nodes;
      for (const long tag : cells_[k]) nodes.push_back(builder_.node(tag, offsets_[k]));
      const auto add = [&](ElementKind kind) {
        if (static_cast<int>(nodes.size()) != nodes_of(kind))
          fail(offsets_[k], "cell " + std::to_string(k) + " of kind " + to_string(kind) + " has " +
                                std::to_string(nodes.size()) + " nodes");
        builder_.add_cell(kind, static_cast<long>(k), nodes, offsets_[k]);
      };
      switch (types_[k]) {
        case 5: add(ElementKind::tri3); break;
        case 22: add(ElementKind::tri6); break;
        case 10: add(ElementKind::tet4); break;
        case 24: add(ElementKind::tet10); break;
        case 9:
        case 23: builder_.skip_cell("quadrilaterals", nodes); break;
        case 12:
        case 25: builder_.skip_cell("hexahedra", nodes); break;
        case 13:
        case 26: builder_.skip_cell("prisms", nodes); break;
        case 14:
        case 27: builder_.skip_cell("pyramids", nodes); break;
        default: builder_.skip_cell("other cells", nodes);
      }
    }
  }

  const MeshSource& source_;
  std::string_view text_, word_;
  std::size_t at_ = 0, word_offset_ = 0;
  bool modern_ = false, binary_ = false;
  std::vector<std::vector<long>> cells_;
  std::vector<std::size_t> offsets_;
  std::vector<long> types_;
  RawBuilder builder_;
};

}  // namespace

RawMesh read_vtk(const MeshSource& source) { return VtkReader(source).run(); }

}  // namespace livens
