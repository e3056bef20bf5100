// The parser is toml++ as a shared library: its header-only form aborts on some malformed keys. Its tables are sorted
// by key; sorting by place brings back the order of the file.
#include "scene/toml.hpp"

#include "scene/screen.hpp"

#ifndef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 0
#endif
#ifndef TOML_SHARED_LIB
#define TOML_SHARED_LIB 1
#endif
#include <algorithm>
#include <tuple>

#include <toml++/toml.h>

namespace livens {
namespace {

// Numbers are kept as double, which holds integers exactly up to here.
constexpr std::int64_t largest_exact_integer = std::int64_t{1} << 53;
// Bounds the memory of a hostile file; a node takes a few hundred bytes.
constexpr long max_values = 1'000'000;

class Converter {
 public:
  explicit Converter(const std::string& file) : file_(file) {}

  Node convert(const toml::node& source, const Place& key_place, const std::string& path) {
    Node node;
    node.place = place(source.source());
    node.key_place = key_place;
    if (++values_ > max_values) {
      if (values_ == max_values + 1)
        fail(node.place, path, "more than a million values. Keep data in files of their own.");
      return node;
    }
    fill(node, source, path);
    return node;
  }

  std::vector<SceneFault> faults;

 private:
  Place place(const toml::source_region& region) const {
    return {file_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }

  void fail(const Place& where, const std::string& path, const std::string& message) {
    faults.push_back({where, path, message});
  }

  void fill(Node& node, const toml::node& source, const std::string& path) {
    switch (source.type()) {
      case toml::node_type::table: fill_table(node, *source.as_table(), path); break;
      case toml::node_type::array: fill_array(node, *source.as_array(), path); break;
      case toml::node_type::string:
        node.kind = Node::Kind::text;
        node.text = source.as_string()->get();
        break;
      case toml::node_type::integer: fill_integer(node, source.as_integer()->get(), path); break;
      case toml::node_type::floating_point:
        node.kind = Node::Kind::number;
        node.number = source.as_floating_point()->get();
        break;
      case toml::node_type::boolean:
        node.kind = Node::Kind::boolean;
        node.flag = source.as_boolean()->get();
        break;
      default: fail(node.place, path, "dates and times of day have no meaning in a scene. Text goes in quotes.");
    }
  }

  void fill_table(Node& node, const toml::table& table, const std::string& path) {
    node.kind = Node::Kind::table;
    node.entries.reserve(table.size());
    for (auto&& [key, value] : table) {
      const std::string name(key.str());
      node.entries.emplace_back(name, convert(value, place(key.source()), path.empty() ? name : path + "." + name));
    }
    std::stable_sort(node.entries.begin(), node.entries.end(), [](const auto& a, const auto& b) {
      const Place &p = a.second.key_place, &q = b.second.key_place;
      return p.line != q.line ? p.line < q.line : p.column < q.column;
    });
  }

  void fill_array(Node& node, const toml::array& array, const std::string& path) {
    node.kind = Node::Kind::array;
    node.items.reserve(array.size());
    for (const toml::node& item : array) node.items.push_back(convert(item, place(item.source()), path));
  }

  void fill_integer(Node& node, std::int64_t value, const std::string& path) {
    node.kind = Node::Kind::integer;
    node.number = static_cast<double>(value);
    if (value > largest_exact_integer || value < -largest_exact_integer)
      fail(node.place, path, "this integer is beyond 2^53 and would be rounded. Write it with a decimal point.");
  }

  const std::string& file_;
  long values_ = 0;
};

// "Error while parsing string: encountered end-of-file" says its own kind twice.
std::string shortened(std::string_view description) {
  constexpr std::string_view prefix = "Error while parsing ";
  if (description.substr(0, prefix.size()) == prefix) description.remove_prefix(prefix.size());
  const bool bare = description.find("could not determine value type") != std::string_view::npos;
  return "not valid TOML: " + std::string(description) + "." + (bare ? " Text goes in quotes." : "");
}

std::vector<SceneFault> in_order(std::vector<SceneFault> faults) {
  std::stable_sort(faults.begin(), faults.end(), [](const SceneFault& a, const SceneFault& b) {
    return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
  });
  return faults;
}

void move_all(Node& node, const Place& place) {
  node.place = node.key_place = place;
  for (auto& [key, value] : node.entries) move_all(value, place);
  for (Node& item : node.items) move_all(item, place);
}

}  // namespace

Node parse_toml(const std::string& text, const std::string& file) {
  if (const auto fault = screen(text, file)) throw SceneError({*fault});
  try {
    const toml::table table = toml::parse(std::string_view(text), std::string_view());
    if (table.empty()) throw SceneError({empty_scene(file)});
    Converter converter(file);
    Node root = converter.convert(table, {file, 1, 1}, "");
    if (!converter.faults.empty()) throw SceneError(in_order(std::move(converter.faults)));
    return root;
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    throw SceneError(
        {{{file, static_cast<int>(at.line), static_cast<int>(at.column)}, "", shortened(error.description())}});
  }
}

std::optional<Node> parse_toml_value(const std::string& text, const Place& place) try {
  Node root = parse_toml("value = " + text, place.file);
  if (root.entries.size() != 1 || root.entries[0].first != "value") return std::nullopt;
  Node value = std::move(root.entries[0].second);
  move_all(value, place);
  return value;
} catch (const SceneError&) {
  return std::nullopt;
}

}  // namespace livens
