#include "view/description.hpp"

#include <algorithm>

namespace livens {
namespace {

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string group_of(const Column& column) {
  const std::string& name = column.name;
  if (begins(name, "probe.")) return "probe";
  if (column.meaning == "coordinate" || column.meaning == "velocity of the coordinate") return "coordinate";
  if (begins(name, "dissipated")) return "dissipation";
  if (begins(name, "constraint_")) return "constraint";
  if (has(name, "momentum") || begins(name, "symmetry")) return "momentum";
  return column.unit == "J" ? "energy" : "other";
}

std::string label_of(const std::string& name) {
  if (name == "von_mises") return "von Mises stress";
  std::string label = name;
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string unit_of(const std::string& unit) { return unit == "-" || unit == "any" ? "" : unit; }

}  // namespace

ViewJson drawables_json(const Drawing& drawing) {
  ViewJson list = ViewJson::array();
  for (const Drawable& drawable : drawing.drawables) {
    const char* kinds[] = {"surface", "points", "lines"};
    ViewJson entry = {{"name", drawable.name},
                      {"kind", kinds[static_cast<int>(drawable.kind)]},
                      {"vertices", drawable.vertices.size()}};
    if (drawable.body >= 0) entry["body"] = drawing.bodies[drawable.body].name;
    if (drawable.kind == Drawable::Kind::surface) {
      entry["triangles"] = drawable.edges.size();
      entry["solid"] = drawable.solid;
      entry["obstacle"] = drawable.obstacle;
      entry["room"] = drawable.room;
    }
    if (drawable.kind == Drawable::Kind::lines) entry["style"] = drawable.style;
    if (drawable.kind == Drawable::Kind::points) entry["radius"] = drawable.radius;
    entry["pullable"] = drawable.pullable;
    list.push_back(std::move(entry));
  }
  return list;
}

ViewJson three(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }

ViewJson fields_json(const std::vector<DrawnField>& fields) {
  ViewJson list = ViewJson::array();
  for (const DrawnField& field : fields) {
    list.push_back(
        {{"name", field.name},
         {"label", label_of(field.name)},
         {"unit", unit_of(field.unit)},
         {"per", field.per_cell ? "triangle" : "vertex"},
         {"range", field.range.empty() ? ViewJson{0.0, 0.0} : ViewJson{field.range.least, field.range.largest}},
         {"arrows", field.vectors}});
  }
  return list;
}

ViewJson columns_json(const std::vector<Column>& columns) {
  ViewJson list = ViewJson::array();
  for (const Column& column : columns)
    list.push_back({{"name", column.name},
                    {"unit", unit_of(column.unit)},
                    {"group", group_of(column)},
                    {"meaning", column.meaning}});
  return list;
}

ViewJson phase_json(const std::vector<Column>& columns, const Scene* scene) {
  ViewJson pairs = ViewJson::array();
  const auto known = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; });
  };
  const auto add = [&](const std::string& x, const std::string& y) {
    const ViewJson pair = {x, y};
    if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
  };
  const Node* report = scene != nullptr ? scene->root.find("report") : nullptr;
  const Node* portraits = report != nullptr ? report->find("portraits") : nullptr;
  for (const Node& pair : portraits != nullptr ? portraits->items : std::vector<Node>{})
    if (pair.items.size() == 2 && known(pair.items[0].text) && known(pair.items[1].text))
      add(pair.items[0].text, pair.items[1].text);
  for (const Column& column : columns)
    if (column.meaning == "coordinate") add(column.name, column.name + "_dot");
  return pairs;
}

std::string text_of(const ViewJson& json) { return json.dump(-1, ' ', false, ViewJson::error_handler_t::replace); }

}  // namespace livens
