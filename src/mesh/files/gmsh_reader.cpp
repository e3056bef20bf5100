// Gmsh's MSH files, versions 1 (text), 2.2, 4.0 and 4.1 (text and binary; Gmsh reference manual, "MSH file format").
//
// Text and binary files hold the same numbers in the same order but for the elements of 2.2, where binary files put
// like elements behind one header. Binary integers have 4 bytes; the counts of version 4, and in 4.1 the tags of nodes
// and elements, have 8, or 4 if the header says that a size_t has.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "mesh/core/topology.hpp"
#include "mesh/files/gmsh_cells.hpp"
#include "mesh/files/gmsh_cursor.hpp"
#include "mesh/files/raw_mesh.hpp"

namespace livens {
namespace {

using Physical = std::pair<int, long>;  // dimension and tag

// Physical tags carry the orientation in their sign.
long magnitude(long tag) { return tag < -std::numeric_limits<long>::max() ? 0 : std::abs(tag); }

class GmshReader {
 public:
  explicit GmshReader(const MeshSource& source) : cursor_(source) {}

  RawMesh run() {
    while (true) {
      cursor_.skip_space();
      if (cursor_.at_end()) break;
      const std::size_t begin = cursor_.offset();
      const std::string_view name = cursor_.word();
      if (!name.starts_with('$'))
        cursor_.fail(begin, "expected a section such as $Nodes, found " + quoted_excerpt(name));
      read_section(name, begin);
    }
    if (version_ == 0) cursor_.fail("the file has no $MeshFormat: is it complete?");
    if (!have_nodes_) cursor_.fail("the file has no $Nodes: is it complete?");
    if (!have_elements_) cursor_.fail("the file has no $Elements: is it complete?");
    name_labels();
    raw_.offsets_are_lines = !cursor_.binary;
    return std::move(raw_);
  }

 private:
  void read_section(std::string_view name, std::size_t begin) {
    const bool known = name == "$PhysicalNames" || name == "$Entities" || name == "$PartitionedEntities" ||
                       name == "$Nodes" || name == "$ParametricNodes" || name == "$Elements";
    if (version_ == 0 && name == "$NOD") version_ = 1;  // which has no header
    if (name == "$MeshFormat") {
      if (version_ != 0) cursor_.fail(begin, "a second $MeshFormat: one mesh per file");
      cursor_.section = "$MeshFormat";
      read_format();
    } else if (known && version_ == 0) {
      cursor_.fail(begin, "$MeshFormat must come before " + std::string(name));
    } else if (name == "$PhysicalNames") {
      cursor_.section = "$PhysicalNames";
      read_names();
    } else if (name == "$Entities" && version_ == 4) {
      cursor_.section = "$Entities";
      begin_numbers();
      read_entities();
    } else if (name == "$PartitionedEntities" && version_ == 4) {
      cursor_.section = "$PartitionedEntities";
      begin_numbers();
      read_partitions(begin);
    } else if (name == "$Nodes" || (name == "$ParametricNodes" && version_ == 2) || (name == "$NOD" && version_ == 1)) {
      if (have_nodes_) cursor_.fail(begin, "a second " + std::string(name) + ": one mesh per file");
      cursor_.section = name == "$NOD" ? "$NOD" : name == "$Nodes" ? "$Nodes" : "$ParametricNodes";
      read_nodes();
    } else if (name == "$Elements" || (name == "$ELM" && version_ == 1)) {
      if (!have_nodes_) cursor_.fail(begin, "$Nodes must come before $Elements");
      if (have_elements_) cursor_.fail(begin, "a second " + std::string(name) + ": one mesh per file");
      have_elements_ = true;
      cursor_.section = name == "$ELM" ? "$ELM" : "$Elements";
      version_ < 4 ? (cursor_.binary ? read_elements_2_binary() : read_elements_2()) : read_elements_4();
    } else {
      cursor_.skip_section(name);
      return;
    }
    cursor_.expect_end_of_section();
  }

  void read_nodes() {
    have_nodes_ = true;
    version_ < 4 ? read_nodes_2(cursor_.section == std::string_view("$ParametricNodes")) : read_nodes_4();
    if (const int twin = tags_.build(raw_.node_tags); twin >= 0)
      cursor_.fail(raw_.node_offset[at(twin)],
                   "node " + std::to_string(raw_.node_tags[at(twin)]) + " is there twice. Mesh it again.");
    raw_.elsewhere.assign(at(raw_.nodes()), 0);
  }

  // Binary numbers begin right behind the end of the line.
  void begin_numbers() {
    if (cursor_.binary) cursor_.rest_of_line();
  }

  void read_format() {
    cursor_.skip_space();
    const std::size_t begin = cursor_.offset();
    const double version = cursor_.real("the version");
    const long kind = cursor_.text_integer("the file type (0 text, 1 binary)");
    const long size = cursor_.text_integer("the data size (8)");
    if (version >= 2 && version < 3)
      version_ = 2;
    else if (version == 4.0 || version == 4.1)
      version_ = 4, first_4_ = version == 4.0;
    else
      cursor_.fail(begin, "version " + short_number(version, 6) +
                              " of the format is not read; save it as 4.1 or 2.2 (gmsh -save -format msh41)");
    if (kind != 0 && kind != 1) cursor_.fail(begin, "the file type is " + std::to_string(kind) + ", not 0 or 1");
    // Of a size_t in 4.1, of a float before; texts have neither.
    if (kind == 1 && size != 8 && !(size == 4 && version == 4.1))
      cursor_.fail(begin, "the data size is " + std::to_string(size) + "; 8 is read, in binary files of 4.1 also 4");
    if (version == 4.1) count_ = static_cast<int>(size);
    if (kind == 0) return;
    cursor_.rest_of_line();
    cursor_.binary = true;
    const std::size_t place = cursor_.offset();
    if (const long one = cursor_.integer(4, "the number 1 that marks the byte order"); one != 1)
      cursor_.fail(place, one == 0x01000000
                              ? std::string("the file comes from a machine of the other byte order; save it as text")
                              : "expected the number 1 that marks the byte order, found " + std::to_string(one));
  }

  void read_names() {
    const std::size_t count = cursor_.text_count(3, "the number of physical names");
    for (std::size_t k = 0; k < count; ++k) {
      const long dim = cursor_.text_integer("the dimension of a physical name");
      const long tag = cursor_.text_integer("the tag of a physical name");
      const std::size_t begin = cursor_.offset();
      const std::string_view line = cursor_.rest_of_line();
      const std::size_t open = line.find('"'), close = line.rfind('"');
      if (open == std::string_view::npos || close == open)
        cursor_.fail(begin, "expected a name in quotes, found " + quoted_excerpt(line));
      if (dim < 0 || dim > 3) cursor_.fail(begin, "a dimension is 0 to 3, not " + std::to_string(dim));
      if (close - open > 256) cursor_.fail(begin, "a physical name has at most 255 characters");
      names_[{static_cast<int>(dim), tag}] = std::string(line.substr(open + 1, close - open - 1));
    }
  }

  // --- 4.0 and 4.1 ---------------------------------------------------------------------------------------------------

  int tag_bytes() const { return first_4_ ? 4 : count_; }  // of nodes and elements

  void read_partitions(std::size_t begin) {
    if (cursor_.binary && first_4_)
      cursor_.fail(begin,
                   "partitions of binary files of version 4.0 are not read; save it as 4.1 (gmsh -save -format "
                   "msh41)");
    cursor_.integer(count_, "the number of partitions");
    const std::size_t ghosts = cursor_.count(count_, 2, "the number of ghost entities");
    for (std::size_t k = 0; k < 2 * ghosts; ++k) cursor_.integer(4, "a ghost entity");
    read_entities(true);
  }

  // Entities of a partition name their parent and partitions first.
  void read_entities(bool partitioned = false) {
    std::array<std::size_t, 4> counts;
    for (auto& count : counts) count = cursor_.count(count_, 5, "the number of entities");
    for (int dim = 0; dim < 4; ++dim)
      for (std::size_t k = 0; k < counts[at(dim)]; ++k) {
        const long tag = cursor_.integer(4, "the tag of an entity");
        for (int c = 0; partitioned && c < 2; ++c) cursor_.integer(4, "the parent of an entity");
        if (partitioned) pass_over("the number of partitions of an entity", "a partition");
        for (int c = 0; c < (dim == 0 && !first_4_ ? 3 : 6); ++c) cursor_.real("a bound of an entity");
        std::vector<Physical> physicals;
        const std::size_t tags = cursor_.count(count_, 1, "the number of physical tags");
        for (std::size_t t = 0; t < tags; ++t)
          physicals.emplace_back(dim, magnitude(cursor_.integer(4, "a physical tag")));
        if (dim > 0) pass_over("the number of bounding entities", "a bounding entity");
        if (!physicals.empty()) entity_label_[{dim, tag}] = label_of(physicals);
      }
  }

  void pass_over(const char* number, const char* what) {
    const std::size_t count = cursor_.count(count_, 1, number);
    for (std::size_t k = 0; k < count; ++k) cursor_.integer(4, what);
  }

  // What a section announces, and where it does.
  struct Announced {
    std::size_t blocks, place, total;
  };
  Announced read_announced(const char* blocks, const char* total, std::size_t numbers_each) {
    begin_numbers();
    Announced announced{};
    announced.blocks = cursor_.count(count_, 4, blocks);
    announced.place = cursor_.offset();
    announced.total = cursor_.count(count_, numbers_each, total);
    for (int k = 0; !first_4_ && k < 2; ++k) cursor_.integer(count_, "the range of the tags");
    return announced;
  }

  // Dimension and tag of the entity that a block belongs to; 4.0 has them the other way round.
  std::pair<int, long> read_entity_of_block() {
    long first = cursor_.integer(4, "the entity of a block"), second = cursor_.integer(4, "the entity of a block");
    if (first_4_) std::swap(first, second);
    if (first < 0 || first > 3) cursor_.fail("a dimension is 0 to 3, not " + std::to_string(first));
    return {static_cast<int>(first), second};
  }

  // 4.1 has the tags of a block first, then its positions.
  void read_nodes_4() {
    const Announced announced = read_announced("the number of blocks of nodes", "the number of nodes", 4);
    reserve_nodes(announced.total);
    for (std::size_t b = 0; b < announced.blocks; ++b) {
      const int dim = read_entity_of_block().first;
      const bool parametric = cursor_.integer(4, "whether a block is parametric") != 0;
      const std::size_t begin = cursor_.offset();
      const std::size_t count = cursor_.count(count_, 4, "the number of nodes of a block");
      if (raw_.node_tags.size() + count > announced.total) wrong_total(begin, "$Nodes", announced.total, "nodes");
      const auto read_tag = [&] { raw_.node_tags.push_back(cursor_.integer(tag_bytes(), "the tag of a node")); };
      for (std::size_t k = 0; !first_4_ && k < count; ++k) read_tag();
      for (std::size_t k = 0; k < count; ++k) {
        if (first_4_) read_tag();
        add_position();
        for (int u = 0; parametric && u < dim; ++u) cursor_.real("a parameter of a node");
      }
    }
    if (raw_.node_tags.size() != announced.total) wrong_total(announced.place, "$Nodes", announced.total, "nodes");
  }

  void read_elements_4() {
    const Announced announced = read_announced("the number of blocks of elements", "the number of elements", 2);
    std::size_t found = 0;
    for (std::size_t b = 0; b < announced.blocks; ++b) {
      const auto entity = read_entity_of_block();
      const std::size_t begin = cursor_.offset();
      const GmshCell& cell = cell_of(cursor_.integer(4, "the type of the elements"), begin);
      const std::size_t words = cursor_.binary ? at(tag_bytes() / 4) : 1;  // of a tag
      const std::size_t count =
          cursor_.count(count_, (1 + at(cell.nodes)) * words, "the number of elements of a block");
      found += count;
      if (found > announced.total) wrong_total(begin, "$Elements", announced.total, "elements");
      const auto label = entity_label_.find(entity);
      reserve_cells(cell, count);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t here = element_place();
        const long tag = cursor_.integer(tag_bytes(), "the tag of an element");
        add_element(cell, tag, label == entity_label_.end() ? 0 : label->second, here, tag_bytes());
      }
    }
    if (found != announced.total) wrong_total(announced.place, "$Elements", announced.total, "elements");
  }

  // --- 1 and 2.2 -----------------------------------------------------------------------------------------------------

  // Parametric nodes: entity and, on curves and surfaces, parameters follow.
  void read_nodes_2(bool parametric) {
    const std::size_t count = cursor_.text_count(4, "the number of nodes");
    begin_numbers();
    reserve_nodes(count);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t here = element_place();
      raw_.node_tags.push_back(cursor_.integer(4, "the tag of a node"));
      add_position();
      raw_.node_offset.back() = here;
      if (!parametric) continue;
      const long dim = cursor_.integer(4, "the dimension of the entity of a node");
      cursor_.integer(4, "the entity of a node");
      for (long u = 0; (dim == 1 || dim == 2) && u < dim; ++u) cursor_.real("a parameter of a node");
    }
  }

  void read_elements_2() {
    const std::size_t count = cursor_.text_count(4, "the number of elements");
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t here = element_place();
      const long tag = cursor_.integer(4, "the tag of an element");
      const GmshCell& cell = cell_of(cursor_.integer(4, "the type of an element"), here);
      // Version 1 has always two, and the number of nodes behind them.
      const long tags = version_ == 1 ? 2 : cursor_.integer(4, "the number of tags of an element");
      const int label = read_tags_2(cell, tags, here);
      if (const long nodes = version_ == 1 ? cursor_.text_integer("the number of nodes of an element") : cell.nodes;
          nodes != cell.nodes)
        cursor_.fail(here, "element " + std::to_string(tag) + " has " + std::to_string(nodes) +
                               " nodes; its type has " + std::to_string(cell.nodes));
      add_element(cell, tag, label, here, 4);
    }
  }

  void read_elements_2_binary() {
    const std::size_t total = cursor_.text_count(2, "the number of elements");
    begin_numbers();
    for (std::size_t found = 0; found < total;) {
      const std::size_t begin = cursor_.offset();
      const GmshCell& cell = cell_of(cursor_.integer(4, "the type of the elements"), begin);
      const std::size_t count = cursor_.count(4, 1 + at(cell.nodes), "the number of elements behind a header");
      const long tags = cursor_.integer(4, "the number of tags of an element");
      if (count == 0) cursor_.fail(begin, "a header of elements without elements");
      found += count;
      if (found > total) wrong_total(begin, "$Elements", total, "elements");
      reserve_cells(cell, count);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t here = cursor_.offset();
        const long tag = cursor_.integer(4, "the tag of an element");
        add_element(cell, tag, read_tags_2(cell, tags, here), here, 4);
      }
    }
  }

  // The first tag is the physical group (0: none), the second the entity, others are partitions.
  int read_tags_2(const GmshCell& cell, long count, std::size_t here) {
    if (count < 0) cursor_.fail(here, "an element has " + std::to_string(count) + " tags");
    long physical = 0;
    for (long t = 0; t < count; ++t) {
      const long tag = cursor_.integer(4, "a tag of an element");
      if (t == 0) physical = magnitude(tag);
    }
    if (physical == 0) return 0;
    const Physical key{cell.dimension, physical};
    if (key != last_physical_) {
      last_physical_ = key;
      last_label_ = label_of({key});
    }
    return last_label_;
  }

  // --- both ----------------------------------------------------------------------------------------------------------

  std::size_t element_place() {
    if (!cursor_.binary) cursor_.skip_space();
    return cursor_.offset();
  }

  [[noreturn]] void wrong_total(std::size_t place, const char* section, std::size_t total, const char* what) const {
    cursor_.fail(place, std::string(section) + " announces " + grouped(static_cast<long>(total)) + " " + what +
                            ", but its blocks hold another number");
  }

  const GmshCell& cell_of(long type, std::size_t here) const {
    if (const GmshCell* cell = gmsh_cell(type)) return *cell;
    cursor_.fail(here,
                 "elements of type " + std::to_string(type) + " are not known (tri3 2, tri6 9, tet4 4, tet10 11)");
  }

  void reserve_nodes(std::size_t count) {
    raw_.node_tags.reserve(count);
    raw_.node_offset.reserve(count);
    raw_.X.reserve(3 * count);
  }

  // Grows by doubling at least: blocks may be many and small.
  void reserve_cells(const GmshCell& cell, std::size_t count) {
    if (!cell.kind) return;
    RawCells& cells = raw_.of(*cell.kind);
    const auto grow = [](auto& values, std::size_t more) {
      if (values.size() + more > values.capacity())
        values.reserve(std::max(values.size() + more, 2 * values.capacity()));
    };
    grow(cells.nodes, count * at(cell.nodes));
    grow(cells.tags, count);
    grow(cells.label, count);
    grow(cells.offset, count);
  }

  void add_position() {
    raw_.node_offset.push_back(element_place());
    for (int c = 0; c < 3; ++c) raw_.X.push_back(cursor_.real("a coordinate of a node"));
  }

  void add_element(const GmshCell& cell, long tag, int label, std::size_t here, int bytes) {
    const auto node = [&] {
      const long node_tag = cursor_.integer(bytes, "a node of an element");
      const int place = tags_.find(node_tag);
      if (place < 0)
        cursor_.fail(here, "element " + std::to_string(tag) + " holds node " + std::to_string(node_tag) +
                               ", which $Nodes does not have");
      return place;
    };
    if (!cell.kind) {
      for (int a = 0; a < cell.nodes; ++a) {
        const int place = node();
        raw_.elsewhere[at(place)] = 1;
        if (label != 0 && cell.dimension < 2) raw_.marked.emplace_back(label, place);
      }
      if (cell.dimension > 1) ++raw_.skipped[cell.plural];
      return;
    }
    RawCells& cells = raw_.of(*cell.kind);
    for (int a = 0; a < cell.nodes; ++a) cells.nodes.push_back(node());
    // Gmsh numbers the edges 23 and 13 the other way round.
    if (*cell.kind == ElementKind::tet10) std::iter_swap(cells.nodes.end() - 1, cells.nodes.end() - 2);
    if (version_ < 4 && joins_previous(cells, at(cell.nodes), label)) return;
    cells.tags.push_back(tag);
    cells.label.push_back(label);
    cells.offset.push_back(here);
    if (static_cast<double>(cells.nodes.size()) > most_entries) cursor_.fail(here, "too many elements to be numbered");
  }

  // Versions 1 and 2.2 repeat an element of several physical groups for each of them, one behind the other. Takes the
  // repetition back and gives the first one both labels. No element is in very many groups: bounded, so that forged
  // files do not pile up lists.
  bool joins_previous(RawCells& cells, std::size_t each, int label) {
    if (cells.label.empty() || label == 0 || cells.label.back() == 0) return false;
    const auto last = cells.nodes.end() - static_cast<std::ptrdiff_t>(each);
    if (!std::equal(last, cells.nodes.end(), last - static_cast<std::ptrdiff_t>(each))) return false;
    std::vector<Physical> physicals = physicals_[at(cells.label.back())];
    const Physical other = physicals_[at(label)].front();
    if (physicals.size() >= 64 || std::find(physicals.begin(), physicals.end(), other) != physicals.end()) return false;
    physicals.push_back(other);
    cells.label.back() = label_of(physicals);
    cells.nodes.erase(last, cells.nodes.end());
    return true;
  }

  int label_of(const std::vector<Physical>& physicals) {
    const auto [known, fresh] = labels_.try_emplace(physicals, static_cast<int>(labels_.size()) + 1);
    if (fresh) physicals_.push_back(physicals);
    return known->second;
  }

  // Names may come anywhere in the file, or not at all.
  void name_labels() {
    raw_.labels.resize(labels_.size() + 1);
    for (const auto& [physicals, label] : labels_)
      for (const Physical& physical : physicals) {
        const auto name = names_.find(physical);
        const bool named = name != names_.end() && !name->second.empty();
        raw_.labels[at(label)].push_back(named ? name->second : "physical_" + std::to_string(physical.second));
      }
  }

  GmshCursor cursor_;
  RawMesh raw_;
  TagMap tags_;
  int version_ = 0;       // 1, 2 or 4
  bool first_4_ = false;  // 4.0
  int count_ = 8;         // bytes of the counts of version 4 in binary files
  bool have_nodes_ = false, have_elements_ = false;
  std::map<Physical, std::string> names_;
  std::map<std::pair<int, long>, int> entity_label_;
  std::map<std::vector<Physical>, int> labels_;
  std::vector<std::vector<Physical>> physicals_{{}};  // of each label
  Physical last_physical_{-1, 0};
  int last_label_ = 0;
};

}  // namespace

RawMesh read_gmsh(const MeshSource& source) { return GmshReader(source).run(); }

}  // namespace livens
