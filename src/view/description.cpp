#include "view/description.hpp"

#include <algorithm>
#include <cmath>

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

ViewJson three(const double* values) { return {values[0], values[1], values[2]}; }

}  // namespace

ViewField view_field(const FieldRecord& record) {
  return {record.name, record.name, record.unit, record.per_cell, record.components == 0};
}

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
    }
    if (drawable.kind == Drawable::Kind::lines) entry["style"] = drawable.style;
    if (drawable.kind == Drawable::Kind::points) entry["radius"] = drawable.radius;
    entry["pullable"] = drawable.pullable;
    list.push_back(std::move(entry));
  }
  return list;
}

ViewJson up_json(const Drawing& drawing, const Scene* scene, const std::vector<Obstacle>& obstacles) {
  if (drawing.dimension != 3) return {0.0, 1.0, 0.0};
  const Node* forces = scene != nullptr ? scene->root.find("force") : nullptr;
  for (const Node& force : forces != nullptr ? forces->items : std::vector<Node>{}) {
    const Node *kind = force.find("kind"), *acceleration = force.find("acceleration");
    if (kind == nullptr || kind->text != "gravity" || acceleration == nullptr || acceleration->items.size() != 3)
      continue;
    const auto& a = acceleration->items;
    const double size = std::hypot(a[0].number, a[1].number, a[2].number);
    if (size > 0) return {0 - a[0].number / size, 0 - a[1].number / size, 0 - a[2].number / size};
  }
  for (const Obstacle& obstacle : obstacles)
    if (obstacle.kind == Obstacle::Kind::plane) return three(obstacle.normal);
  return {0.0, 0.0, 1.0};
}

ViewJson obstacles_json(const std::vector<Obstacle>& obstacles) {
  ViewJson list = ViewJson::array();
  for (const Obstacle& obstacle : obstacles) {
    const bool plane = obstacle.kind == Obstacle::Kind::plane;
    ViewJson entry = {{"name", obstacle.name}, {"kind", plane ? "plane" : "sphere"}, {"point", three(obstacle.point)}};
    if (plane)
      entry["normal"] = three(obstacle.normal);
    else
      entry["radius"] = obstacle.radius;
    list.push_back(std::move(entry));
  }
  return list;
}

ViewJson view_fields_json(const std::vector<ViewField>& fields) {
  ViewJson list = ViewJson::array();
  for (const ViewField& field : fields) {
    const bool known = field.range.least <= field.range.largest;
    list.push_back({{"name", field.name},
                    {"label", label_of(field.name)},
                    {"unit", unit_of(field.unit)},
                    {"per", field.per_cell ? "triangle" : "vertex"},
                    {"range", known ? ViewJson{field.range.least, field.range.largest} : ViewJson{0.0, 0.0}},
                    {"arrows", field.arrows}});
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

ViewJson phase_json(const std::vector<Column>& columns) {
  ViewJson pairs = ViewJson::array();
  for (const Column& column : columns)
    if (column.meaning == "coordinate") pairs.push_back({column.name, column.name + "_dot"});
  return pairs;
}

std::string text_of(const ViewJson& json) { return json.dump(-1, ' ', false, ViewJson::error_handler_t::replace); }

std::string history_bytes(const std::vector<std::string>& columns, const std::vector<std::vector<double>>& values,
                          long first) {
  ViewJson head = {{"rows", values.empty() ? 0 : values.front().size()}, {"columns", columns}};
  if (first > 0) head["first"] = first;
  std::string bytes = text_of(head) + "\n";
  for (const auto& column : values) append_bytes(column.data(), column.size(), bytes);
  return bytes;
}

}  // namespace livens
