// The section [[contact]]: rigid planes and spheres.
#include <algorithm>
#include <cmath>

#include <livens/contact.hpp>

#include "bodies/solid.hpp"
#include "forces/components.hpp"
#include "forces/contact.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"
#include "model/part_records.hpp"

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

// ContactPlane or ContactSphere.
template <class Contact>
void add_particles(const Contact& contact, const Body& body, std::vector<ContactNode>& nodes) {
  if (body.rigid)
    throw AssemblyError(contact.body.empty() ? "" : "body",
                        "'" + body.name +
                            "' is rigid, and contact of rigid bodies is not supported: name the bodies that it "
                            "is for, or attach a solid to the rigid one.");
  if (!contact.stiffness)
    throw AssemblyError(
        "stiffness", "is needed for the particles of '" + body.name + "': they have no Young's modulus and no area.");
  if (!contact.onset)
    throw AssemblyError("onset", "is needed for the particles of '" + body.name + "': they have no edges.");
  for (int a = 0; a < body.nodes; ++a)
    nodes.push_back({body.first + a * body.dimension, *contact.stiffness, *contact.onset});
}

template <class Contact>
void add_contact(Assembly& assembly, const Contact& contact, const Record& record, Obstacle obstacle) {
  check_range(record, "relative_stiffness", contact.relative_stiffness);
  if (contact.stiffness) check_range(record, "stiffness", *contact.stiffness);
  if (contact.onset) check_range(record, "onset", *contact.onset);
  std::vector<ContactNode> nodes;
  for (const int k : bodies_of(assembly, contact.body)) {
    const Body& body = assembly.parts.bodies[at(k)];
    if (const SolidBody* solid = solid_of(assembly, k))
      add_solid(*solid, body, contact.relative_stiffness, nodes);
    else
      add_particles(contact, body, nodes);
  }
  const int dimension = assembly.dimension();
  check_components(contact.point, dimension, "point");
  std::copy(contact.point.begin(), contact.point.end(), obstacle.point);
  if (dimension > 0)
    assembly.parts.terms.push_back(std::make_shared<ContactTerm>(std::move(obstacle), dimension, std::move(nodes)));
}

// Numbers of a point or direction, as many as the bodies have dimensions.
Vec3 read_components(const Settings& settings, const std::string& key, const Assembly& assembly) {
  const auto& values = settings.vector(key);
  if (static_cast<int>(values.size()) != assembly.dimension())
    settings.refuse(key, "has " + std::to_string(values.size()) + " numbers, but the bodies are of " +
                             std::to_string(assembly.dimension()) + " dimensions.");
  Vec3 components{};
  std::copy(values.begin(), values.end(), components.begin());
  return components;
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

void add(Assembly& assembly, const ContactPlane& plane, const std::string& name) {
  check_components(plane.normal, assembly.dimension(), "normal");
  const double length = std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]);
  if (!(length > 0)) throw AssemblyError("normal", "has no direction.");
  Obstacle obstacle;
  obstacle.name = name;
  for (std::size_t c = 0; c < 3; ++c) obstacle.normal[c] = plane.normal[c] / length;
  add_contact(assembly, plane, contact_records().at("plane"), std::move(obstacle));
}

void add(Assembly& assembly, const ContactSphere& sphere, const std::string& name) {
  check_range(contact_records().at("sphere"), "radius", sphere.radius);
  Obstacle obstacle;
  obstacle.name = name;
  obstacle.kind = Obstacle::Kind::sphere;
  obstacle.radius = sphere.radius;
  add_contact(assembly, sphere, contact_records().at("sphere"), std::move(obstacle));
}

Registry<ContactRecord>& contact_records() {
  static Registry<ContactRecord> records("contact", [] {
    std::vector<ContactRecord> all;
    all.push_back(
        record("plane", "a rigid half space",
               {point_key("of its surface"),
                required(of_length(key("normal", ValueType::vector, "-", "", "points to the free side"), {1, 2, 3}))}));
    all.back().add = [](const Settings& s, const std::string& name, Assembly& assembly) {
      bodies_of(s, assembly);  // bodies without nodes are told first
      add(assembly,
          ContactPlane{given_text(s, "body"), read_components(s, "point", assembly),
                       read_components(s, "normal", assembly), s.number("relative_stiffness"),
                       given_number(s, "stiffness"), given_number(s, "onset")},
          name);
    };
    all.push_back(record("sphere", "a rigid ball, in 2D a disk",
                         {point_key("its centre"), required(positive(number_key("radius", "m", "", "of the ball")))}));
    all.back().add = [](const Settings& s, const std::string& name, Assembly& assembly) {
      bodies_of(s, assembly);  // bodies without nodes are told first
      add(assembly,
          ContactSphere{given_text(s, "body"), read_components(s, "point", assembly), s.number("radius"),
                        s.number("relative_stiffness"), given_number(s, "stiffness"), given_number(s, "onset")},
          name);
    };
    return all;
  }());
  return records;
}

}  // namespace livens
