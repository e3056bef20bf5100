// Stanford PLY, as text or binary of either byte order: x, y, z of "vertex" and the list of "face"; all else is passed
// over.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "mesh/files/surface_file.hpp"
#include "mesh/fill/surface_topology.hpp"

namespace livens::geometry {

namespace {

enum class Type { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::size_t size_of(Type type) {
  constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<int>(type)];
}

bool parse_type(std::string_view word, Type& type) {
  constexpr std::array<std::pair<std::string_view, Type>, 16> names{{{"char", Type::int8},
                                                                     {"int8", Type::int8},
                                                                     {"uchar", Type::uint8},
                                                                     {"uint8", Type::uint8},
                                                                     {"short", Type::int16},
                                                                     {"int16", Type::int16},
                                                                     {"ushort", Type::uint16},
                                                                     {"uint16", Type::uint16},
                                                                     {"int", Type::int32},
                                                                     {"int32", Type::int32},
                                                                     {"uint", Type::uint32},
                                                                     {"uint32", Type::uint32},
                                                                     {"float", Type::float32},
                                                                     {"float32", Type::float32},
                                                                     {"double", Type::float64},
                                                                     {"float64", Type::float64}}};
  for (const auto& [name, value] : names)
    if (word == name) {
      type = value;
      return true;
    }
  return false;
}

struct Property {
  std::string name;
  bool list = false;
  Type count = Type::uint8, type = Type::float32;
};

struct Element {
  std::string name;
  long long count = 0;
  std::vector<Property> properties;
  long line = 0;

  int property(std::string_view wanted) const {
    for (std::size_t k = 0; k < properties.size(); ++k)
      if (properties[k].name == wanted) return static_cast<int>(k);
    return -1;
  }
};

enum class Encoding { text, little, big };

// Numbers one after the other, from words or bytes.
class Values {
 public:
  Values(const SurfaceFile& file, Encoding encoding, std::size_t byte, long line)
      : file_(file), encoding_(encoding), byte_(byte), words_(file.bytes.substr(byte), line) {}

  double next(Type type, const Element& element, long long row) {
    last_type_ = type;
    if (encoding_ == Encoding::text) {
      if (!words_.next(word_))
        file_.fail_at_line(words_.line(),
                           fmt::format("the file ends in {} {} of {}.", element.name, row + 1, element.count));
      double value = 0;
      if (!parse_number(word_, value))
        file_.fail_at_line(words_.line(),
                           fmt::format("{} {}: expected a number, found {}.", element.name, row + 1, excerpt(word_)));
      return value;
    }
    const std::size_t size = size_of(type);
    if (left() < size)
      file_.fail_at_byte(byte_, fmt::format("the file ends in {} {} of {}.", element.name, row + 1, element.count));
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const auto byte =
          static_cast<unsigned char>(file_.bytes[byte_ + (encoding_ == Encoding::little ? k : size - 1 - k)]);
      bits |= std::uint64_t{byte} << (8 * k);
    }
    byte_ += size;
    switch (type) {
      case Type::int8: return static_cast<std::int8_t>(bits);
      case Type::uint8: return static_cast<double>(bits);
      case Type::int16: return static_cast<std::int16_t>(bits);
      case Type::uint16: return static_cast<double>(bits);
      case Type::int32: return static_cast<std::int32_t>(bits);
      case Type::uint32: return static_cast<double>(bits);
      case Type::float32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      case Type::float64: return std::bit_cast<double>(bits);
    }
    return 0;
  }

  // Where the last number stands.
  [[noreturn]] void fail(const std::string& message) const {
    if (encoding_ == Encoding::text) file_.fail_at_line(words_.line(), message);
    file_.fail_at_byte(byte_ - size_of(last_type_), message);
  }

  std::size_t left() const { return encoding_ == Encoding::text ? words_.rest() : file_.bytes.size() - byte_; }
  // Numbers that can be left at most: in text each has a digit and a blank.
  std::size_t values_left(Type type) const {
    return encoding_ == Encoding::text ? left() / 2 + 1 : left() / size_of(type);
  }
  bool at_end() { return encoding_ == Encoding::text ? words_.at_end() : left() == 0; }
  bool text() const { return encoding_ == Encoding::text; }

 private:
  const SurfaceFile& file_;
  Encoding encoding_;
  std::size_t byte_;
  Words words_;
  std::string_view word_;
  Type last_type_ = Type::float32;
};

class PlyReader {
 public:
  // Lines end as the first one does: with a line feed, perhaps behind a carriage return, or with that alone.
  PlyReader(const SurfaceFile& file, MeshNotes& notes)
      : file_(file),
        notes_(notes),
        end_(file.bytes.substr(3, 1) == "\r" && file.bytes.substr(4, 1) != "\n" ? '\r' : '\n') {}

  Surface read() {
    read_header();
    Values values(file_, encoding_, byte_, line_);
    for (const Element& element : elements_) {
      check_count(element, values);
      if (element.name == "vertex") {
        read_vertices(element, values);
      } else if (element.name == "face") {
        read_faces(element, values);
      } else {
        for (long long row = 0; row < element.count; ++row)
          for (const Property& property : element.properties) skip(property, element, row, values);
      }
    }
    if (!values.at_end()) notes_.warnings.push_back(file_.name + ": what follows the last element is skipped.");
    return build();
  }

 private:
  std::string_view header_line() {
    const std::size_t end = file_.bytes.find(end_, byte_);
    if (end == std::string_view::npos) file_.fail_at_line(line_, "the file ends in its header, before 'end_header'.");
    std::string_view text = file_.bytes.substr(byte_, end - byte_);
    byte_ = end + 1;
    ++line_;
    return text;
  }

  void read_header() {
    bool format = false;
    header_line();
    while (true) {
      const long line = line_;
      Words words(header_line(), line);
      std::string_view word;
      if (!words.next_on_line(word) || word == "comment" || word == "obj_info") continue;
      if (word == "end_header") break;
      if (word == "format") {
        read_format(words, line);
        format = true;
      } else if (word == "element") {
        read_element(words, line);
      } else if (word == "property") {
        read_property(words, line);
      } else {
        file_.fail_at_line(line, "unknown word in the header: " + excerpt(word) + ".");
      }
    }
    if (!format) file_.fail("its header has no 'format'.");
    check_elements();
  }

  void read_format(Words& words, long line) {
    std::string_view name;
    words.next_on_line(name);
    if (name == "ascii")
      encoding_ = Encoding::text;
    else if (name == "binary_little_endian")
      encoding_ = Encoding::little;
    else if (name == "binary_big_endian")
      encoding_ = Encoding::big;
    else
      file_.fail_at_line(line,
                         "expected ascii, binary_little_endian or binary_big_endian, found " + excerpt(name) + ".");
  }

  void read_element(Words& words, long line) {
    std::string_view name, count;
    words.next_on_line(name);
    words.next_on_line(count);
    Element element;
    element.name = name;
    element.line = line;
    if (name.empty() || !parse_whole(count, element.count) || element.count < 0)
      file_.fail_at_line(line, "expected 'element NAME COUNT', found the count " + excerpt(count) + ".");
    elements_.push_back(std::move(element));
  }

  void read_property(Words& words, long line) {
    if (elements_.empty()) file_.fail_at_line(line, "a property before the first element.");
    std::string_view first, count, type, name;
    words.next_on_line(first);
    Property property;
    property.list = first == "list";
    bool known = false;
    if (property.list) {
      words.next_on_line(count);
      words.next_on_line(type);
      words.next_on_line(name);
      known = parse_type(count, property.count) && parse_type(type, property.type) && !name.empty() &&
              property.count != Type::float32 && property.count != Type::float64;
    } else {
      words.next_on_line(name);
      known = parse_type(first, property.type) && !name.empty();
    }
    property.name = name;
    if (!known) file_.fail_at_line(line, "expected 'property TYPE NAME' or 'property list TYPE TYPE NAME'.");
    elements_.back().properties.push_back(std::move(property));
  }

  void check_elements() const {
    bool vertex_seen = false, face_seen = false, strips = false;
    for (const Element& element : elements_) {
      vertex_seen |= element.name == "vertex";
      face_seen |= element.name == "face";
      strips |= element.name == "tristrips";
    }
    if (!vertex_seen) file_.fail("its header has no element 'vertex'.");
    if (!face_seen)
      file_.fail(strips ? "has triangle strips instead of faces: export it with faces."
                        : "its header has no element 'face'.");
  }

  // Each row takes at least one byte or word a property.
  void check_count(const Element& element, const Values& values) const {
    if (element.count == 0) return;
    if (element.properties.empty())
      file_.fail_at_line(element.line, fmt::format("element '{}' has no properties.", element.name));
    double row = 0;
    for (const Property& property : element.properties)
      row += values.text() ? 2.0 : static_cast<double>(size_of(property.list ? property.count : property.type));
    const double needed = row * static_cast<double>(element.count) - (values.text() ? 1 : 0);
    if (needed > static_cast<double>(values.left()))
      file_.fail_at_line(
          element.line,
          fmt::format("{} rows of '{}' need at least {:.0f} bytes, but {} are left: cut short, or a wrong count.",
                      element.count, element.name, needed, values.left()));
    if (element.count > std::numeric_limits<int>::max() / 3)
      file_.fail_at_line(element.line, fmt::format("{} rows of '{}' are too many.", element.count, element.name));
  }

  std::size_t list_length(const Property& property, const Element& element, long long row, Values& values) const {
    const double count = values.next(property.count, element, row);
    if (!(count >= 0) || count != std::floor(count))
      values.fail(fmt::format("{} {}: a list of {} values.", element.name, row + 1, count));
    if (count > static_cast<double>(values.values_left(property.type)))
      values.fail(
          fmt::format("{} {}: a list of {} values is longer than the rest of the file.", element.name, row + 1, count));
    return static_cast<std::size_t>(count);
  }

  void skip(const Property& property, const Element& element, long long row, Values& values) const {
    const std::size_t n = property.list ? list_length(property, element, row, values) : 1;
    for (std::size_t k = 0; k < n; ++k) values.next(property.type, element, row);
  }

  void read_vertices(const Element& element, Values& values) {
    const std::array<int, 3> axes{element.property("x"), element.property("y"), element.property("z")};
    for (const int axis : axes)
      if (axis < 0 || element.properties[at(axis)].list)
        file_.fail_at_line(element.line, "the vertices have no x, y and z.");
    if (!surface_.X.empty()) file_.fail_at_line(element.line, "a second element 'vertex'.");
    surface_.X.resize(3 * static_cast<std::size_t>(element.count));
    for (long long row = 0; row < element.count; ++row)
      for (std::size_t k = 0; k < element.properties.size(); ++k) {
        const Property& property = element.properties[k];
        const auto axis = std::find(axes.begin(), axes.end(), static_cast<int>(k));
        if (axis == axes.end()) {
          skip(property, element, row, values);
          continue;
        }
        const double x = values.next(property.type, element, row);
        if (!(std::abs(x) < coordinate_max))
          values.fail(fmt::format("vertex {}: {} is {}: must be finite and below 1e30.", row + 1, property.name, x));
        surface_.X[3 * row + (axis - axes.begin())] = x;
      }
  }

  void read_faces(const Element& element, Values& values) {
    int indices = element.property("vertex_indices");
    if (indices < 0) indices = element.property("vertex_index");
    if (indices < 0 || !element.properties[at(indices)].list)
      file_.fail_at_line(element.line, "the faces have no list 'vertex_indices' or 'vertex_index'.");
    long long total = -1;
    for (const Element& other : elements_)
      if (other.name == "vertex") total = other.count;
    for (long long row = 0; row < element.count; ++row)
      for (std::size_t k = 0; k < element.properties.size(); ++k) {
        const Property& property = element.properties[k];
        if (static_cast<int>(k) != indices) {
          skip(property, element, row, values);
          continue;
        }
        const std::size_t n = list_length(property, element, row, values);
        if (n < 3) values.fail(fmt::format("face {}: {} vertices; at least 3 are needed.", row + 1, n));
        corners_.push_back(static_cast<int>(n));
        for (std::size_t c = 0; c < n; ++c) {
          const double index = values.next(property.type, element, row);
          if (!(index >= 0) || index >= static_cast<double>(total) || index != std::floor(index))
            values.fail(
                fmt::format("face {} refers to vertex {}, but there are {}, counted from 0.", row + 1, index, total));
          corners_.push_back(static_cast<int>(index));
        }
      }
  }

  Surface build() {
    Polygons polygons(surface_);
    std::vector<int> polygon;
    for (std::size_t k = 0; k < corners_.size();) {
      const auto first = corners_.begin() + static_cast<std::ptrdiff_t>(k + 1);
      polygon.assign(first, first + corners_[k]);
      polygons.add(polygon);
      k += at(corners_[k]) + 1;
    }
    return std::move(surface_);
  }

  const SurfaceFile& file_;
  MeshNotes& notes_;
  const char end_;
  Encoding encoding_ = Encoding::text;
  std::size_t byte_ = 0;
  long line_ = 1;
  std::vector<Element> elements_;
  Surface surface_;
  std::vector<int> corners_;  // of each face: how many, then which
};

}  // namespace

Surface read_ply(const SurfaceFile& file, MeshNotes& notes) { return PlyReader(file, notes).read(); }

}  // namespace livens::geometry
