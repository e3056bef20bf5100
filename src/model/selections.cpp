#include "model/selections.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "mesh/core/select.hpp"
#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"
#include "records/read.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

using Point = std::array<double, 3>;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double default_within = 1e-6;  // of the body's diameter

Point point_of(const Settings& settings, const std::string& key, double missing = 0) {
  Point point{missing, missing, missing};
  const auto& values = settings.vector(key);
  std::copy(values.begin(), values.end(), point.begin());
  return point;
}

// Particles have no elements, but places: a mesh of nodes alone. What they lack of three dimensions is 0.
Mesh nodes_alone(const Body& body) {
  Mesh mesh;
  mesh.X.assign(at(body.nodes) * 3, 0.0);
  for (int i = 0; i < body.size(); ++i) mesh.X[at(i / body.dimension * 3 + i % body.dimension)] = body.reference[at(i)];
  return mesh;
}

std::vector<int> all_nodes(int count) {
  std::vector<int> nodes(at(count));
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

std::vector<int> nodes_of_region(const Mesh& mesh, int region) {
  std::vector<int> nodes;
  for (int e = 0; e < mesh.elements(); ++e)
    if (mesh.region[at(e)] == region) nodes.insert(nodes.end(), mesh.element(e), mesh.element(e) + nodes_of(mesh.kind));
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::vector<std::string> group_names(const Body& body) {
  std::vector<std::string> names = {"all"};
  if (body.mesh == nullptr) return names;
  names.emplace_back("boundary");
  const auto& groups = body.mesh->groups;
  for (const char* side : {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"})
    if (groups.count(side) != 0) names.emplace_back(side);
  for (const auto& group : groups)
    if (std::find(names.begin(), names.end(), group.first) == names.end()) names.push_back(group.first);
  for (const std::string& region : body.mesh->regions)
    if (std::find(names.begin(), names.end(), region) == names.end()) names.push_back(region);
  return names;
}

std::vector<int> nodes_of_group(const Mesh& mesh, const std::string& group) {
  if (group == "all") return all_nodes(mesh.nodes());
  if (group == "boundary") return select_boundary(mesh);
  const auto found = mesh.groups.find(group);
  if (found != mesh.groups.end()) return found->second;
  const auto region = std::find(mesh.regions.begin(), mesh.regions.end(), group);
  if (region == mesh.regions.end()) return {};
  return nodes_of_region(mesh, static_cast<int>(region - mesh.regions.begin()));
}

// body.group
bool implicit_selection(const std::string& text, const Settings& settings, const Assembly& assembly, NodeSet& set) {
  const std::size_t dot = text.find('.');
  const std::string name = text.substr(0, dot), group = text.substr(dot + 1);
  set.body = assembly.body_index(name);
  if (set.body < 0) {
    std::vector<std::string> known;
    for (const Body& body : assembly.parts.bodies) known.push_back(body.name);
    settings.refuse("selection", "'" + text + "' selects nothing: there is no body '" + name + "'." +
                                     suggestion(name, known, "There are"));
    return false;
  }
  const Body& body = assembly.parts.bodies[at(set.body)];
  if (body.mesh != nullptr)
    set.nodes = nodes_of_group(*body.mesh, group);
  else if (group == "all")
    set.nodes = all_nodes(body.nodes);
  if (!set.nodes.empty()) return true;
  settings.refuse("selection", "'" + text + "' selects nothing. " + (body.mesh != nullptr ? "Mesh '" : "Body '") +
                                   name + "' has " + listed(group_names(body), ", ") + ".");
  return false;
}

SelectionRecord record(std::string name, std::string brief, std::vector<Parameter> own) {
  SelectionRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief);
  made.parameters = {key("body", ValueType::name, "-", "the only one", "whose nodes")};
  made.parameters.insert(made.parameters.end(), own.begin(), own.end());
  made.parameters.push_back(bounded(number_key("within", "m", "1e-6 of the body", "tolerance of the selection"), 0));
  return made;
}

Parameter point_key(const std::string& name, const std::string& brief) {
  return required(of_length(key(name, ValueType::vector, "m", "", brief), {1, 2, 3}));
}

}  // namespace

Registry<SelectionRecord>& selection_records() {
  static Registry<SelectionRecord> records("selection", [] {
    std::vector<SelectionRecord> all;
    all.push_back(record("box", "nodes in a box",
                         {point_key("min", "corner with the least coordinates"),
                          point_key("max", "corner with the greatest coordinates")}));
    all.back().select = [](const Settings& s, const Mesh& mesh, double within) {
      return select_box(mesh, point_of(s, "min", -infinite), point_of(s, "max", infinite), within);
    };
    all.push_back(record("plane", "nodes on a plane, in 2D on a line",
                         {point_key("point", "of the plane"),
                          required(of_length(key("normal", ValueType::vector, "-", "", "of the plane"), {1, 2, 3}))}));
    all.back().select = [](const Settings& s, const Mesh& mesh, double within) {
      return select_plane(mesh, point_of(s, "point"), point_of(s, "normal"), within);
    };
    all.push_back(
        record("sphere", "nodes in a ball, in 2D in a disk",
               {point_key("point", "its centre"), required(bounded(number_key("radius", "m", "", "of the ball"), 0))}));
    all.back().select = [](const Settings& s, const Mesh& mesh, double within) {
      return select_sphere(mesh, point_of(s, "point"), s.number("radius"), within);
    };
    all.push_back(record("nearest", "the one node nearest to a point", {point_key("point", "where")}));
    all.back().select = [](const Settings& s, const Mesh& mesh, double) {
      return select_nearest(mesh, point_of(s, "point"));
    };
    all.push_back(record("group", "nodes that the mesh names",
                         {required(key("group", ValueType::text, "-", "", "all, boundary, or a group of the mesh"))}));
    all.back().select = [](const Settings& s, const Mesh& mesh, double) {
      return nodes_of_group(mesh, s.text("group"));
    };
    all.push_back(record("boundary", "nodes on the surface of a solid", {}));
    all.back().select = [](const Settings&, const Mesh& mesh, double) { return select_boundary(mesh); };
    return all;
  }());
  return records;
}

void add_selection(const Settings& settings, const std::string& name, const SelectionRecord& record,
                   Assembly& assembly) {
  NodeSet set;
  if (settings.given("body"))
    set.body = assembly.body_index(settings.text("body"));
  else if (assembly.parts.bodies.size() != 1)
    settings.refuse("body", "which body? The scene has " + std::to_string(assembly.parts.bodies.size()) + ".");
  const Body& body = assembly.parts.bodies[at(set.body)];
  if (body.dimension == 0)
    settings.refuse("body", "'" + body.name + "' has generalised coordinates and no nodes to select.");
  const Mesh alone = body.mesh != nullptr ? Mesh{} : nodes_alone(body);
  const Mesh& mesh = body.mesh != nullptr ? *body.mesh : alone;
  const double within = settings.given("within") ? settings.number("within") : default_within * diameter(mesh);
  try {
    set.nodes = record.select(settings, mesh, within);
  } catch (const MeshError& error) {
    settings.refuse("", error.what() + std::string("."));
  }
  if (set.nodes.empty() && record.name == "group")
    settings.refuse("group", "'" + settings.text("group") + "' selects nothing. Mesh '" + body.name + "' has " +
                                 listed(group_names(body), ", ") + ".");
  if (set.nodes.empty())
    settings.refuse("", "selects nothing: no node of '" + body.name + "' is there in its reference shape.");
  assembly.selections[name] = std::move(set);
}

std::vector<NodeSet> selected_nodes(const Settings& settings, const Assembly& assembly) {
  if (settings.given("selection")) {
    const std::string& name = settings.text("selection");
    const auto named = assembly.selections.find(name);
    if (named != assembly.selections.end()) return {named->second};
    NodeSet set;
    if (implicit_selection(name, settings, assembly, set)) return {set};
    return {};
  }
  std::vector<NodeSet> sets;
  for (const int body : bodies_of(settings, assembly))
    sets.push_back({body, all_nodes(assembly.parts.bodies[at(body)].nodes)});
  return sets;
}

std::vector<bool> marks_of(const NodeSet& set, int nodes) {
  std::vector<bool> marked(at(nodes), false);
  for (const int node : set.nodes) marked[at(node)] = true;
  return marked;
}

}  // namespace livens
