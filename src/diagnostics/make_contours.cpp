// The contours of a scene, and what can be wrong with them.
#include <algorithm>
#include <cmath>
#include <set>

#include "diagnostics/contours.hpp"
#include "diagnostics/probes.hpp"
#include "mesh/mesh_tools.hpp"
#include "scene/selections.hpp"

namespace livens {
namespace {

using Faults = std::vector<SceneFault>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Crack {
  int body = -1;
  std::vector<int> tip;  // nodes
  std::array<double, 3> direction{};
};

ProbeRecord integral(std::string name, std::string brief, bool kinetic) {
  ProbeRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief) + " (N; per length of the front N/m)";
  made.unit = "N";
  made.citation = "L04 5";
  made.evaluate =
      kinetic
          ? [](const ProbeTarget& t, const Sample& s, double* out) { *out = t.contour->j(s.model, s.state); }
          : [](const ProbeTarget& t, const Sample& s, double* out) { *out = t.contour->j(s.model, s.state, false); };
  return made;
}

const std::vector<ProbeRecord>& contour_records() {
  static const std::vector<ProbeRecord> records = {
      integral("J", "energy released by growth of the crack, for its thickness", true),
      integral("J_static", "the same without the inertia of what is inside the contour", false)};
  return records;
}

// Selections speak of a scene that is being built; a finished model has all that they look at.
Build stand_in(const ValidatedScene& scene, const Model& model) {
  Build build;
  build.parts.bodies = model.bodies();
  for (const Entry* entry : scene.all("selection"))
    for (const SelectionRecord& record : selection_records())
      if (record.name == entry->kind) add_selection(entry->settings, entry->name, record, build);
  return build;
}

bool read_crack(const Settings& settings, const Model& model, Build& build, Crack& crack) {
  const auto sets = selected_nodes(settings, build);
  if (sets.empty()) return false;
  crack.body = sets.front().body;
  crack.tip = sets.front().nodes;
  const Body& body = model.bodies()[at(crack.body)];
  if (body.mesh == nullptr)
    return build.fail(settings, "selection", "a crack is in a solid; '" + body.name + "' is none."), false;
  const auto& given = settings.vector("direction");
  if (static_cast<int>(given.size()) != body.dimension)
    return build.fail(settings, "direction",
                      "needs " + std::to_string(body.dimension) + " numbers, as the body has dimensions."),
           false;
  double square = 0;
  for (const double value : given) square += value * value;
  if (!(square > 0)) return build.fail(settings, "direction", "has no length."), false;
  for (std::size_t c = 0; c < given.size(); ++c) crack.direction[c] = given[c] / std::sqrt(square);
  return true;
}

// Nodes of elements that touch the set, again and again.
std::vector<int> grown(const Mesh& mesh, const std::vector<int>& tip, long rings) {
  std::vector<bool> inside(at(mesh.nodes()), false);
  for (const int a : tip) inside[at(a)] = true;
  for (long ring = 0; ring < rings; ++ring) {
    std::vector<bool> next = inside;
    for (int e = 0; e < mesh.elements(); ++e) {
      const int* nodes = mesh.element(e);
      const int count = nodes_of(mesh.kind);
      if (std::none_of(nodes, nodes + count, [&](int a) { return inside[at(a)]; })) continue;
      for (int a = 0; a < count; ++a) next[at(nodes[a])] = true;
    }
    inside.swap(next);
  }
  std::vector<int> nodes;
  for (int a = 0; a < mesh.nodes(); ++a)
    if (inside[at(a)]) nodes.push_back(a);
  return nodes;
}

std::vector<int> within(const Mesh& mesh, const std::vector<int>& tip, double radius) {
  const int d = mesh.dimension();
  std::vector<int> nodes;
  for (int a = 0; a < mesh.nodes(); ++a)
    for (const int b : tip) {
      double square = 0;
      for (int c = 0; c < d; ++c) {
        const double x = mesh.X[at(a * d + c)] - mesh.X[at(b * d + c)];
        square += x * x;
      }
      if (square > radius * radius) continue;
      nodes.push_back(a);
      break;
    }
  return nodes;
}

// Why a set of nodes is no domain of a contour; empty if it is one. The faces of a straight crack may be inside, the
// ends of the body and changes of material may not.
std::string obstacle(const Mesh& mesh, const std::vector<int>& inside, const Crack& crack) {
  std::vector<bool> node(at(mesh.nodes()), false);
  for (const int a : inside) node[at(a)] = true;
  for (const int a : crack.tip)
    if (!node[at(a)]) return "does not enclose the tip.";
  if (mesh.regions.size() > 1) {
    std::vector<int> region(at(mesh.nodes()), -1);
    for (int e = 0; e < mesh.elements(); ++e)
      for (int a = 0; a < nodes_of(mesh.kind); ++a) {
        int& known = region[at(mesh.element(e)[a])];
        if (node[at(mesh.element(e)[a])] && known >= 0 && known != mesh.region[at(e)])
          return "encloses an interface between the regions '" + mesh.regions[at(known)] + "' and '" +
                 mesh.regions[at(mesh.region[at(e)])] + "': its force would count as the crack's. Take a smaller one.";
        known = mesh.region[at(e)];
      }
  }
  const Facets facets = boundary_facets(mesh);
  const int d = mesh.dimension();
  for (std::size_t f = 0; f < facets.nodes.size(); f += at(facets.nodes_each)) {
    const int* corner = facets.nodes.data() + f;
    if (std::none_of(corner, corner + facets.nodes_each, [&](int a) { return node[at(a)]; })) continue;
    double u[2][3] = {}, normal[3] = {0, 0, 0};
    for (int k = 0; k < d - 1; ++k)
      for (int c = 0; c < d; ++c) u[k][c] = mesh.X[at(corner[k + 1] * d + c)] - mesh.X[at(corner[0] * d + c)];
    if (d == 2) {
      normal[0] = u[0][1];
      normal[1] = -u[0][0];
    } else {
      for (int c = 0; c < 3; ++c)
        normal[c] = u[0][(c + 1) % 3] * u[1][(c + 2) % 3] - u[0][(c + 2) % 3] * u[1][(c + 1) % 3];
    }
    double along = 0, length = 0;
    for (int c = 0; c < 3; ++c) {
      along += normal[c] * crack.direction[at(c)];
      length += normal[c] * normal[c];
    }
    if (std::abs(along) > 1e-6 * std::sqrt(length))
      return "reaches a surface of the body that is not parallel to the crack. Take a smaller one.";
  }
  return "";
}

}  // namespace

void add_contour_probes(const ValidatedScene& scene, const Model& model, std::vector<Probe>& probes, Faults& faults) {
  if (scene.all("contour").empty() && scene.all("crack").empty()) return;
  Build build = stand_in(scene, model);
  for (const Entry* entry : scene.all("contour")) {
    const Settings& settings = entry->settings;
    const Entry* named = scene.find("crack", settings.text("crack"));
    Crack crack;
    if (named == nullptr || !read_crack(named->settings, model, build, crack)) continue;
    const Mesh& mesh = *model.bodies()[at(crack.body)].mesh;
    if (settings.has("radius") == settings.has("rings")) {
      build.fail(settings, "radius",
                 "how far around the tip? Give either a radius, or rings of elements (0: the tip alone).");
      continue;
    }
    const std::vector<int> inside = settings.has("rings") ? grown(mesh, crack.tip, settings.integer("rings"))
                                                          : within(mesh, crack.tip, settings.number("radius"));
    const std::string reason = obstacle(mesh, inside, crack);
    if (!reason.empty()) {
      build.fail(settings, settings.has("rings") ? "rings" : "radius", reason);
      continue;
    }
    ProbeTarget target;
    target.body = crack.body;
    target.contour = std::make_shared<const Contour>(model, crack.body, inside, crack.direction);
    for (const std::string& name : settings.names("integrals")) {
      const auto& records = contour_records();
      const auto found =
          std::find_if(records.begin(), records.end(), [&](const ProbeRecord& r) { return r.name == name; });
      if (found == records.end())
        build.fail(settings, "integrals", "no integral '" + name + "'. There are J, J_static.");
      else
        probes.emplace_back(*found, target, entry->name);
    }
  }
  std::set<std::string> told;
  for (SceneFault& fault : build.faults)
    if (told.insert(fault.to_string()).second) faults.push_back(std::move(fault));
}

}  // namespace livens
