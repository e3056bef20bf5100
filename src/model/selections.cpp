#include "model/selections.hpp"

#include <algorithm>
#include <numeric>

#include "mesh/core/select.hpp"
#include "mesh/core/shape.hpp"
#include "mesh/core/topology.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

constexpr double default_within = 1e-6;  // of the body's diameter

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
NodeSet implicit_selection(const Assembly& assembly, const std::string& text) {
  const std::size_t dot = text.find('.');
  const std::string name = text.substr(0, dot), group = text.substr(dot + 1);
  const int index = assembly.body_index(name);
  if (index < 0)
    throw AssemblyError("selection", "'" + text + "' selects nothing: there is no body '" + name + "'." +
                                         suggestion(name, names_of_bodies(assembly), "There are"));
  NodeSet set{index, {}};
  const Body& body = assembly.parts.bodies[at(index)];
  if (body.mesh != nullptr)
    set.nodes = nodes_of_group(*body.mesh, group);
  else if (group == "all")
    set.nodes = all_nodes(body.nodes);
  if (set.nodes.empty())
    throw AssemblyError("selection", "'" + text + "' selects nothing. " + (body.mesh != nullptr ? "Mesh '" : "Body '") +
                                         name + "' has " + listed(group_names(body), ", ") + ".");
  return set;
}

int selected_body(const Assembly& assembly, const std::string& name) {
  const auto& bodies = assembly.parts.bodies;
  if (name.empty() && bodies.size() != 1)
    throw AssemblyError("body", "which body? The scene has " + std::to_string(bodies.size()) + ".");
  const int index = name.empty() ? 0 : assembly.body_index(name);
  if (index < 0)
    throw AssemblyError("body", "no body '" + name + "'." + suggestion(name, names_of_bodies(assembly), "There are"));
  if (bodies[at(index)].dimension == 0)
    throw AssemblyError("body", "'" + bodies[at(index)].name + "' has generalised coordinates and no nodes to select.");
  return index;
}

// `select` takes the nodes out of a mesh; particles are a mesh of nodes alone.
template <class Select>
void keep(Assembly& assembly, const std::string& body_name, const std::string& name, const Select& select) {
  NodeSet set{selected_body(assembly, body_name), {}};
  const Body& body = assembly.parts.bodies[at(set.body)];
  try {
    set.nodes = body.mesh != nullptr ? select(*body.mesh) : select(nodes_alone(body));
  } catch (const MeshError& error) {
    throw AssemblyError("", error.what() + std::string("."));
  }
  if (set.nodes.empty())
    throw AssemblyError("", "selects nothing: no node of '" + body.name + "' is there in its reference shape.");
  assembly.selections[name] = std::move(set);
}

double tolerance(const std::optional<double>& within, const Mesh& mesh) {
  return within ? *within : default_within * diameter(mesh);
}

}  // namespace

void add(Assembly& assembly, const BoxSelection& selection, const std::string& name) {
  keep(assembly, selection.body, name, [&](const Mesh& mesh) {
    return select_box(mesh, selection.min, selection.max, tolerance(selection.within, mesh));
  });
}

void add(Assembly& assembly, const PlaneSelection& selection, const std::string& name) {
  keep(assembly, selection.body, name, [&](const Mesh& mesh) {
    return select_plane(mesh, selection.point, selection.normal, tolerance(selection.within, mesh));
  });
}

void add(Assembly& assembly, const SphereSelection& selection, const std::string& name) {
  keep(assembly, selection.body, name, [&](const Mesh& mesh) {
    return select_sphere(mesh, selection.point, selection.radius, tolerance(selection.within, mesh));
  });
}

void add(Assembly& assembly, const NearestSelection& selection, const std::string& name) {
  keep(assembly, selection.body, name, [&](const Mesh& mesh) { return select_nearest(mesh, selection.point); });
}

void add(Assembly& assembly, const GroupSelection& selection, const std::string& name) {
  keep(assembly, selection.body, name, [&](const Mesh& mesh) {
    std::vector<int> nodes = nodes_of_group(mesh, selection.group);
    if (!nodes.empty()) return nodes;
    const Body& body = assembly.parts.bodies[at(selected_body(assembly, selection.body))];
    throw AssemblyError("group", "'" + selection.group + "' selects nothing. Mesh '" + body.name + "' has " +
                                     listed(group_names(body), ", ") + ".");
  });
}

void add(Assembly& assembly, const BoundarySelection& selection, const std::string& name) {
  keep(assembly, selection.body, name, [](const Mesh& mesh) { return select_boundary(mesh); });
}

NodeSet selected_nodes(const Assembly& assembly, const std::string& selection) {
  const auto named = assembly.selections.find(selection);
  return named != assembly.selections.end() ? named->second : implicit_selection(assembly, selection);
}

std::vector<NodeSet> selected_nodes(const Settings& settings, const Assembly& assembly) {
  if (!settings.given("selection")) {
    std::vector<NodeSet> sets;
    for (const int body : bodies_of(settings, assembly))
      sets.push_back({body, all_nodes(assembly.parts.bodies[at(body)].nodes)});
    return sets;
  }
  try {
    return {selected_nodes(assembly, settings.text("selection"))};
  } catch (const AssemblyError& error) {
    settings.refuse(error.key, error.what());
  }
}

std::vector<bool> marks_of(const NodeSet& set, int nodes) {
  std::vector<bool> marked(at(nodes), false);
  for (const int node : set.nodes) marked[at(node)] = true;
  return marked;
}

}  // namespace livens
