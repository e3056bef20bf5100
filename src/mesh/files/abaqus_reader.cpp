// Input files of Abaqus and CalculiX: nodes, tetrahedra and triangles, and their sets and surfaces as groups. Keywords
// begin with *, comments with **, and lines that follow a keyword are its data, parted by commas. Everything else in
// such a file (materials, steps, loads) is passed over.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "mesh/core/topology.hpp"
#include "mesh/core/words.hpp"
#include "mesh/files/raw_builder.hpp"

namespace livens {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

// Names are the same whatever their case, and blanks count in quotes only.
std::string name_of(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.push_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (!fields.empty() && fields.back().empty()) fields.pop_back();  // a comma at the end: the line goes on
  return fields;
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

struct AbaqusCell {
  int nodes = 0;
  std::optional<ElementKind> kind;
  std::string plural;
};

// By the name of its type, from which hybrids (H), modified (M), thermal and reduced ones differ behind the number.
std::optional<AbaqusCell> cell_of(const std::string& type) {
  const auto is = [&](const char* stem) { return type.starts_with(stem); };
  if (is("C3D10") || is("DC3D10")) return AbaqusCell{10, ElementKind::tet10, ""};
  if (type == "C3D4" || is("C3D4H") || is("C3D4T") || is("C3D4P") || type == "DC3D4")
    return AbaqusCell{4, ElementKind::tet4, ""};
  for (const char* stem : {"CPS", "CPE", "CAX", "CPEG", "CGAX", "DC2D", "M3D", "S", "STRI", "SFM3D", "R3D"}) {
    const std::string begin = stem;
    if (!type.starts_with(begin)) continue;
    const std::string rest = type.substr(begin.size());
    if (rest.starts_with("3")) return AbaqusCell{3, ElementKind::tri3, ""};
    if (rest.starts_with("6")) return AbaqusCell{6, ElementKind::tri6, ""};
    if (rest.starts_with("4")) return AbaqusCell{4, std::nullopt, "quadrilaterals"};
    if (rest.starts_with("8")) return AbaqusCell{8, std::nullopt, "quadrilaterals"};
  }
  for (const auto& [stem, nodes, plural] : {std::tuple{"C3D20", 20, "hexahedra"},
                                            {"C3D8", 8, "hexahedra"},
                                            {"C3D15", 15, "prisms"},
                                            {"C3D6", 6, "prisms"},
                                            {"C3D5", 5, "pyramids"},
                                            {"T3D2", 2, "lines"},
                                            {"T3D3", 3, "lines"},
                                            {"B31", 2, "lines"},
                                            {"B32", 3, "lines"},
                                            {"T2D2", 2, "lines"},
                                            {"MASS", 1, "points"},
                                            {"SPRING", 2, "lines"}})
    if (is(stem)) return AbaqusCell{nodes, std::nullopt, plural};
  return std::nullopt;
}

class AbaqusReader {
 public:
  explicit AbaqusReader(const MeshSource& source) : source_(source), text_(source.bytes), builder_(source) {}

  RawMesh run() {
    collect();
    for (const Data& data : nodes_) read_node(data);
    if (builder_.nodes() == 0) fail(0, "the file has no *NODE: is it an input file of Abaqus?");
    builder_.end_nodes();
    for (const Keyword& keyword : elements_) read_elements(keyword);
    for (const auto& [keyword, of_elements] : sets_) of_elements ? read_element_set(keyword) : read_node_set(keyword);
    for (const Keyword& keyword : surfaces_) read_surface(keyword);
    name_groups();
    return builder_.finish();
  }

 private:
  struct Data {
    std::string_view line;
    std::size_t offset;
  };
  struct Keyword {
    std::map<std::string, std::string> options;  // TYPE -> C3D4
    std::vector<Data> data;
    std::size_t offset = 0;
    std::string option(const std::string& name) const {
      const auto found = options.find(name);
      return found == options.end() ? "" : found->second;
    }
  };
  struct Cell {
    ElementKind kind;
    int number;
    std::vector<int> nodes;
  };

  [[noreturn]] void fail(std::size_t offset, const std::string& text) const { source_.fail_line(offset, text); }

  // Sorts the lines by what they belong to.
  void collect() {
    Keyword* current = nullptr;
    bool to_nodes = false;
    std::string node_set;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = trimmed(text_.substr(begin, end - begin));
      const std::size_t offset = begin;
      begin = end + 1;
      if (line.empty() || line.starts_with("**")) continue;
      if (line.starts_with('*')) {
        const Keyword keyword = parse_keyword(line, offset);
        current = nullptr;
        to_nodes = keyword.options.count("*NODE") != 0;
        node_set = to_nodes ? keyword.option("NSET") : "";
        if (keyword.options.count("*ELEMENT") != 0)
          current = &elements_.emplace_back(keyword);
        else if (keyword.options.count("*NSET") != 0)
          current = &sets_.emplace_back(keyword, false).first;
        else if (keyword.options.count("*ELSET") != 0)
          current = &sets_.emplace_back(keyword, true).first;
        else if (keyword.options.count("*SURFACE") != 0)
          current = &surfaces_.emplace_back(keyword);
        else if (keyword.options.count("*SOLIDSECTION") != 0)
          sections_.push_back(upper(keyword.option("ELSET")));
        else if (keyword.options.count("*INCLUDE") != 0)
          fail(offset, "*INCLUDE is not followed: put the files together");
        continue;
      }
      if (to_nodes) {
        nodes_.push_back({line, offset});
        if (!node_set.empty()) set_of_node_.emplace_back(nodes_.size() - 1, node_set);
      } else if (current != nullptr) {
        current->data.push_back({line, offset});
      }
    }
  }

  Keyword parse_keyword(std::string_view line, std::size_t offset) const {
    Keyword keyword;
    keyword.offset = offset;
    bool first = true;
    for (const std::string_view field : fields_of(line)) {
      const std::size_t equal = field.find('=');
      std::string name = upper(trimmed(field.substr(0, equal)));
      if (first) name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
      first = false;
      keyword.options[name] = equal == std::string_view::npos ? "" : name_of(field.substr(equal + 1));
    }
    return keyword;
  }

  long integer(std::string_view text, std::size_t offset, const char* what) const {
    if (const auto value = number_in<long>(text)) return *value;
    fail(offset, std::string("expected ") + what + ", found " + quoted_excerpt(text));
  }

  void read_node(const Data& data) {
    const auto fields = fields_of(data.line);
    if (fields.size() < 3) fail(data.offset, "expected a node: its number and 2 or 3 coordinates");
    double x[3] = {0, 0, 0};
    for (std::size_t c = 0; c < 3 && c + 1 < fields.size(); ++c) {
      const auto value = fields[c + 1].empty() ? std::optional<double>(0) : number_in<double>(fields[c + 1]);
      if (!value) fail(data.offset, "expected a coordinate of a node, found " + quoted_excerpt(fields[c + 1]));
      x[c] = *value;
    }
    builder_.add_node(integer(fields[0], data.offset, "the number of a node"), x[0], x[1], x[2], data.offset);
  }

  void read_elements(const Keyword& keyword) {
    const std::string type = upper(keyword.option("TYPE"));
    const auto cell = cell_of(type);
    if (!cell)
      fail(keyword.offset,
           "elements of type " + quoted_excerpt(type) + " are not known (C3D4, C3D10, CPS3, CPE6, ...)");
    std::vector<long> numbers;
    for (std::size_t k = 0; k < keyword.data.size(); ++k) {
      const Data& data = keyword.data[k];
      if (numbers.empty()) element_offset_ = data.offset;
      for (const std::string_view field : fields_of(data.line))
        numbers.push_back(integer(field, data.offset, "a number of an element or node"));
      const auto wanted = static_cast<std::size_t>(cell->nodes) + 1;
      if (numbers.size() < wanted && k + 1 < keyword.data.size()) continue;
      if (numbers.size() != wanted && cell->kind)
        fail(element_offset_, "an element of type " + type + " has " + std::to_string(cell->nodes) + " nodes, found " +
                                  std::to_string(numbers.size() - 1));
      add_element(*cell, numbers, keyword.option("ELSET"));
      numbers.clear();
    }
  }

  void add_element(const AbaqusCell& cell, const std::vector<long>& numbers, const std::string& set) {
    std::vector<int> nodes;
    for (std::size_t a = 1; a < numbers.size(); ++a)
      if (cell.kind || numbers[a] != 0) nodes.push_back(builder_.node(numbers[a], element_offset_));
    if (!cell.kind) return builder_.skip_cell(cell.plural, nodes);
    const int number = builder_.add_cell(*cell.kind, numbers[0], nodes, element_offset_);
    if (!cells_.emplace(numbers[0], Cell{*cell.kind, number, nodes}).second)
      fail(element_offset_, "element " + std::to_string(numbers[0]) + " is there twice");
    if (set.empty()) return;
    names_.try_emplace(upper(set), set);
    auto& members = element_sets_[upper(set)];
    if (members.empty()) sections_.push_back(upper(set));
    members.push_back(numbers[0]);
  }

  // Numbers, or names of sets, line by line; with GENERATE first, last and step.
  template <class Use, class UseSet>
  void each_member(const Keyword& keyword, const Use& use, const UseSet& use_set) const {
    const bool generate = keyword.options.count("GENERATE") != 0;
    for (const Data& data : keyword.data) {
      const auto fields = fields_of(data.line);
      if (generate) {
        if (fields.size() < 2) fail(data.offset, "expected first, last and step of a set");
        const long first = integer(fields[0], data.offset, "the first number of a set"),
                   last = integer(fields[1], data.offset, "the last number of a set"),
                   step = fields.size() > 2 ? integer(fields[2], data.offset, "the step of a set") : 1;
        if (step < 1 || (last - first) / step > 200'000'000) fail(data.offset, "a set that never ends");
        for (long k = first; k <= last; k += step) use(k, data.offset);
        continue;
      }
      for (const std::string_view field : fields)
        if (const auto number = number_in<long>(field))
          use(*number, data.offset);
        else if (!field.empty())
          use_set(upper(name_of(field)), data.offset);
    }
  }

  void read_node_set(const Keyword& keyword) {
    const std::string name = upper(keyword.option("NSET"));
    if (name.empty()) fail(keyword.offset, "*NSET without a name: NSET=...");
    names_.try_emplace(name, keyword.option("NSET"));
    auto& members = node_sets_[name];
    std::vector<int> found;
    if (!keyword.option("ELSET").empty())
      for (const long element : element_sets_[upper(keyword.option("ELSET"))])
        if (const auto cell = cells_.find(element); cell != cells_.end())  // else of a kind that is not read
          found.insert(found.end(), cell->second.nodes.begin(), cell->second.nodes.end());
    each_member(
        keyword, [&](long tag, std::size_t offset) { found.push_back(builder_.node(tag, offset)); },
        [&](const std::string& other, std::size_t offset) {
          const auto set = node_sets_.find(other);
          if (set == node_sets_.end()) fail(offset, "there is no set of nodes " + quoted_excerpt(other) + " before");
          found.insert(found.end(), set->second.begin(), set->second.end());
        });
    members.insert(members.end(), found.begin(), found.end());
  }

  void read_element_set(const Keyword& keyword) {
    const std::string name = upper(keyword.option("ELSET"));
    if (name.empty()) fail(keyword.offset, "*ELSET without a name: ELSET=...");
    names_.try_emplace(name, keyword.option("ELSET"));
    std::vector<long> found;
    each_member(
        keyword, [&](long tag, std::size_t) { found.push_back(tag); },
        [&](const std::string& other, std::size_t offset) {
          const auto set = element_sets_.find(other);
          if (set == element_sets_.end())
            fail(offset, "there is no set of elements " + quoted_excerpt(other) + " before");
          found.insert(found.end(), set->second.begin(), set->second.end());
        });
    auto& members = element_sets_[name];
    members.insert(members.end(), found.begin(), found.end());
  }

  // Sides of elements, or sets of them; the nodes of these sides are a group.
  void read_surface(const Keyword& keyword) {
    const std::string name = keyword.option("NAME"), type = upper(keyword.option("TYPE"));
    if (name.empty()) fail(keyword.offset, "*SURFACE without a name: NAME=...");
    for (const Data& data : keyword.data) {
      const auto fields = fields_of(data.line);
      if (fields.empty()) continue;
      if (type == "NODE") {
        const auto set = node_sets_.find(upper(name_of(fields[0])));
        if (set != node_sets_.end())
          for (const int node : set->second) builder_.name_node(node, name);
        else
          builder_.name_node(builder_.node(integer(fields[0], data.offset, "a node"), data.offset), name);
        continue;
      }
      if (fields.size() < 2) fail(data.offset, "expected elements and their side, such as 12, S1");
      const std::string side = upper(fields[1]);
      std::vector<long> elements;
      if (const auto number = number_in<long>(fields[0]))
        elements.push_back(*number);
      else if (const auto set = element_sets_.find(upper(name_of(fields[0]))); set != element_sets_.end())
        elements = set->second;
      else
        fail(data.offset, "there is no set of elements " + quoted_excerpt(fields[0]));
      for (const long element : elements) name_side(element, side, name, data.offset);
    }
  }

  void name_side(long element, const std::string& side, const std::string& name, std::size_t offset) {
    const auto found = cells_.find(element);
    if (found == cells_.end()) return;  // of a kind that is not read
    const Cell& cell = found->second;
    if (side == "SPOS" || side == "SNEG") {
      for (const int node : cell.nodes) builder_.name_node(node, name);
      return;
    }
    const int number = side.size() == 2 && side[0] == 'S' ? side[1] - '1' : -1;
    if (number < 0 || number >= facets_of(cell.kind))
      fail(offset, "a " + to_string(cell.kind) + " has no side " + quoted_excerpt(side));
    for (int a = 0; a < nodes_of_facet(cell.kind); ++a)  // sides have the order of our facets
      builder_.name_node(cell.nodes[facet_nodes(cell.kind, number)[a]], name);
  }

  // The first name of an element is its region: the set of its section, else the one it was written under.
  void name_groups() {
    const auto name_elements = [&](const std::string& name) {
      const auto set = element_sets_.find(name);
      if (set == element_sets_.end()) return;
      for (const long element : set->second)
        if (const auto cell = cells_.find(element); cell != cells_.end())
          builder_.name_cell(cell->second.kind, cell->second.number, names_.at(name));
    };
    for (const std::string& name : sections_) name_elements(name);
    for (const auto& each : element_sets_) name_elements(each.first);
    for (const auto& [name, nodes] : node_sets_)
      for (const int node : nodes) builder_.name_node(node, names_.at(name));
    for (const auto& [place, name] : set_of_node_) builder_.name_node(static_cast<int>(place), name);
  }

  const MeshSource& source_;
  std::string_view text_;
  RawBuilder builder_;
  std::vector<Data> nodes_;
  std::vector<std::pair<std::size_t, std::string>> set_of_node_;
  std::vector<Keyword> elements_, surfaces_;
  std::vector<std::pair<Keyword, bool>> sets_;  // and whether of elements
  std::vector<std::string> sections_;           // sets that have one, then those that elements were written under
  std::map<long, Cell> cells_;
  std::map<std::string, std::vector<long>> element_sets_;  // by the name in capitals
  std::map<std::string, std::vector<int>> node_sets_;
  std::map<std::string, std::string> names_;  // as they were written first
  std::size_t element_offset_ = 0;
};

}  // namespace

RawMesh read_abaqus(const MeshSource& source) { return AbaqusReader(source).run(); }

}  // namespace livens
