// Lists of lists of numbers.
#include <algorithm>

#include "math/expression.hpp"
#include "records/suggest.hpp"
#include "records/values.hpp"

namespace livens {
namespace {

using Kind = Node::Kind;

[[noreturn]] void refuse(const Settings& settings, const std::string& key, const Place& place,
                         const std::string& message) {
  throw SceneError({{place, settings.path + "." + key, message}});
}

std::vector<double> read_row(const Settings& settings, const std::string& key, const Node& row,
                             const std::string& wanted) {
  std::vector<double> numbers;
  for (const Node& number : row.items) {
    if (number.kind == Kind::text) {
      try {
        numbers.push_back(Expression::parse(number.text, {}, settings.environment->parameters).value());
      } catch (const ExpressionError& error) {
        refuse(settings, key, number.place, error.what());
      }
    } else if (number.kind == Kind::number || number.kind == Kind::integer) {
      numbers.push_back(number.number);
    } else {
      refuse(settings, key, number.place, wanted);
    }
  }
  return numbers;
}

}  // namespace

std::vector<std::vector<double>> read_rows(const Settings& settings, const std::string& key) {
  const Node& node = settings.node(key);
  if (node.kind != Kind::array || node.items.empty())
    refuse(settings, key, node.place, "expected a list such as [[0, 0], [1, 0]]");
  std::vector<std::vector<double>> rows;
  for (const Node& item : node.items) {
    std::vector<double> row = read_row(settings, key, item, "expected a number");
    if (row.empty() || row.size() > 3) refuse(settings, key, item.place, "expected 1, 2 or 3 numbers");
    if (!rows.empty() && row.size() != rows.front().size())
      refuse(settings, key, item.place,
             "expected " + std::to_string(rows.front().size()) + " numbers as in the first row, found " +
                 std::to_string(row.size()));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::array<double, 3>> read_places(const Settings& settings, const std::string& key, std::size_t count,
                                               int dimension) {
  const Node& list = settings.node(key);
  if (list.kind != Kind::array || list.items.size() != count)
    refuse(
        settings, key, list.place,
        "expected a list of " + std::to_string(count) + " points, each a list of numbers (m) or the name of a marker.");
  const auto& markers = settings.environment->markers;
  std::vector<std::array<double, 3>> places;
  for (const Node& item : list.items) {
    std::vector<double> numbers;
    if (item.kind != Kind::text) {
      numbers = read_row(settings, key, item, "expected a number (m).");
    } else if (const auto marker = markers.find(item.text); marker != markers.end()) {
      numbers = marker->second;
    } else {
      std::vector<std::string> known;
      for (const auto& entry : markers) known.push_back(entry.first);
      refuse(settings, key, item.place, "no marker '" + item.text + "'." + suggestion(item.text, known, "There are"));
    }
    if (static_cast<int>(numbers.size()) != dimension)
      refuse(settings, key, item.place,
             "expected " + std::to_string(dimension) + " coordinates, found " + std::to_string(numbers.size()) + ".");
    std::copy(numbers.begin(), numbers.end(), places.emplace_back(std::array<double, 3>{}).begin());
  }
  return places;
}

std::filesystem::path file_of(const Node& name) {
  namespace fs = std::filesystem;
  const fs::path folder = name.place.file == override_file ? fs::path() : fs::path(name.place.file).parent_path();
  return (folder / name.text).lexically_normal();
}

}  // namespace livens
