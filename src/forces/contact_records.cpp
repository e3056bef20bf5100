// The section [[contact]]: rigid planes and spheres.
#include <cmath>

#include "bodies/solid.hpp"
#include "forces/contact.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"

namespace livens {
namespace {

constexpr double onset_of_edge = 0.02;  // s over the edge length of the surface

// Pressure per depth = relative stiffness * Young's modulus / edge length, times the area of each boundary node.
void add_solid(const SolidBody& solid, const Body& body, double relative, std::vector<ContactNode>& nodes) {
  const SolidSurface& surface = solid.surface();
  const int n = surface.facets.nodes_each;
  std::vector<double> stiffness(at(body.nodes), 0.0);
  for (int f = 0; f < surface.facets.count(); ++f) {
    const double young = solid.young[at(solid.mesh->region[at(surface.facets.element[at(f)])])];
    for (int k = 0; k < n; ++k)
      stiffness[at(surface.facets.nodes[at(f * n + k)])] +=
          relative * young / surface.edge * surface.area[at(f)] * facet_share(solid.mesh->kind, k);
  }
  for (int a = 0; a < body.nodes; ++a)
    if (stiffness[at(a)] > 0)
      nodes.push_back({body.first + a * body.dimension, stiffness[at(a)], onset_of_edge * surface.edge});
}

bool add_particles(const Settings& settings, const Body& body, std::vector<ContactNode>& nodes) {
  if (body.rigid)
    settings.refuse(settings.given("body") ? "body" : "",
                    "'" + body.name +
                        "' is rigid, and contact of rigid bodies is not supported: name the bodies that it "
                        "is for, or attach a solid to the rigid one.");
  if (!settings.given("stiffness"))
    settings.refuse("stiffness",
                    "is needed for the particles of '" + body.name + "': they have no Young's modulus and no area.");
  const double onset = settings.given("onset") ? settings.number("onset") : 0;
  if (!(onset > 0)) settings.refuse("onset", "is needed for the particles of '" + body.name + "': they have no edges.");
  for (int a = 0; a < body.nodes; ++a)
    nodes.push_back({body.first + a * body.dimension, settings.number("stiffness"), onset});
  return true;
}

// Numbers of a point or direction, as many as the bodies have dimensions.
bool read_point(const Settings& settings, const std::string& key, int dimension, double* out) {
  const auto& values = settings.vector(key);
  if (static_cast<int>(values.size()) != dimension)
    settings.refuse(key, "has " + std::to_string(values.size()) + " numbers, but the bodies are of " +
                             std::to_string(dimension) + " dimensions.");
  for (int c = 0; c < 3; ++c) out[c] = c < dimension ? values[at(c)] : 0.0;
  return true;
}

bool read_normal(const Settings& settings, int dimension, double* normal) {
  if (!read_point(settings, "normal", dimension, normal)) return false;
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  if (!(length > 0)) settings.refuse("normal", "has no direction.");
  for (int c = 0; c < 3; ++c) normal[c] /= length;
  return true;
}

void add(const Settings& settings, Obstacle obstacle, Assembly& assembly) {
  std::vector<ContactNode> nodes;
  int dimension = 0;
  for (const int k : bodies_of(settings, assembly)) {
    const Body& body = assembly.parts.bodies[at(k)];
    dimension = body.dimension;
    const SolidBody* solid = solid_of(assembly, k);
    if (solid != nullptr)
      add_solid(*solid, body, settings.number("relative_stiffness"), nodes);
    else if (!add_particles(settings, body, nodes))
      return;
  }
  if (dimension == 0 || !read_point(settings, "point", dimension, obstacle.point)) return;
  if (obstacle.kind == Obstacle::Kind::plane && !read_normal(settings, dimension, obstacle.normal)) return;
  if (obstacle.kind == Obstacle::Kind::sphere) obstacle.radius = settings.number("radius");
  assembly.parts.terms.push_back(std::make_shared<ContactTerm>(std::move(obstacle), dimension, std::move(nodes)));
}

ContactRecord record(std::string name, std::string brief, std::vector<Parameter> own) {
  ContactRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief) +
               ", by a penalty on nodes: does not prevent penetration, and does not see features smaller "
               "than an edge";
  made.parameters = {key("body", ValueType::name, "-", "", "body that touches it; default: all bodies")};
  made.parameters.insert(made.parameters.end(), own.begin(), own.end());
  made.parameters.push_back(positive(number_key(
      "relative_stiffness", "-", "10",
      "of solids: pressure per depth over Young's modulus / mean edge length of the surface; 1 is as stiff as "
      "one more layer of elements")));
  made.parameters.push_back(positive(number_key("stiffness", "N/m", "", "of each particle, for bodies of particles")));
  made.parameters.push_back(positive(
      number_key("onset", "m", "2 % of the edge", "depth over which the stiffness sets in; for bodies of particles")));
  return made;
}

Parameter point_key(const std::string& brief) {
  return required(of_length(key("point", ValueType::vector, "m", "", brief), {1, 2, 3}));
}

}  // namespace

Registry<ContactRecord>& contact_records() {
  static Registry<ContactRecord> records("contact", [] {
    std::vector<ContactRecord> all;
    all.push_back(
        record("plane", "a rigid half space",
               {point_key("of its surface"),
                required(of_length(key("normal", ValueType::vector, "-", "", "points to the free side"), {1, 2, 3}))}));
    all.back().add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
      Obstacle obstacle;
      obstacle.name = name;
      add(settings, obstacle, assembly);
    };
    all.push_back(record("sphere", "a rigid ball, in 2D a disk",
                         {point_key("its centre"), required(positive(number_key("radius", "m", "", "of the ball")))}));
    all.back().add = [](const Settings& settings, const std::string& name, Assembly& assembly) {
      Obstacle obstacle;
      obstacle.name = name;
      obstacle.kind = Obstacle::Kind::sphere;
      add(settings, obstacle, assembly);
    };
    return all;
  }());
  return records;
}

}  // namespace livens
