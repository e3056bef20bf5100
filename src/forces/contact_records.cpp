// The section [[contact]]: bodies with each other, rigid planes and spheres.
#include <algorithm>
#include <cmath>

#include <livens/contact.hpp>

#include "bodies/solid.hpp"
#include "forces/components.hpp"
#include "forces/contact.hpp"
#include "forces/contact_keys.hpp"
#include "forces/impact_contact.hpp"
#include "forces/make_barrier.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"
#include "model/part_records.hpp"
#include "records/values.hpp"

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
                            "' is rigid, and a penalty acts on nodes, of which it has none on its surface: name the "
                            "bodies that it is for, or give it a shape and set rule = \"barrier\".");
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

// Points of a body are the first that meet a plane and the inside of a sphere. A sphere may also meet its faces and
// edges first, unless it is large beside them: of a face with sides of l nothing is deeper than its corners by more
// than l^2/(8 r). It does so as pairs of edges do, below half of the distance, as a ball at rest.
std::vector<BarrierPair> meet_faces(const std::vector<BarrierPlane>& planes, const Obstacle& obstacle,
                                    ContactSurface& surface) {
  constexpr double large = 10;  // radii over sides
  const std::size_t bodies = surface.bodies().size(), count = bodies + 1;
  std::vector<std::size_t> meeting;
  for (std::size_t b = 0; b < bodies && obstacle.radius > 0 && !planes.front().inside; ++b) {
    double longest = 0;
    for (int f = surface.bodies()[b].facets_begin; f < surface.bodies()[b].facets_end; ++f)
      for (int k = 0; k < (surface.dimension() == 3 ? 3 : 1); ++k) {
        const auto& corner = surface.facets()[f];
        const Point3 side = surface.reference(corner[(k + 1) % surface.dimension()]) - surface.reference(corner[k]);
        longest = std::max(longest, length(side));
      }
    if (obstacle.radius < large * longest) meeting.push_back(b);
  }
  if (meeting.empty()) return std::vector<BarrierPair>(bodies * bodies);
  surface.add_fixed_ball(obstacle.name, planes.front().point, obstacle.radius);
  std::vector<BarrierPair> pairs(count * count);
  for (const std::size_t b : meeting)
    pairs[b * count + bodies] = pairs[bodies * count + b] = {true, 0.5 * planes[b].range, planes[b].pressure};
  return pairs;
}

// A plane or sphere that nothing passes through.
void add_barrier_wall(Assembly& assembly, const std::string& body, const BarrierRule& rule, Obstacle obstacle,
                      bool inside) {
  std::vector<int> bodies = bodies_of(assembly, body);
  if (body.empty()) std::erase_if(bodies, [&](int k) { return is_held(assembly, k); });
  std::vector<BarrierPlane> planes;
  for (const int k : bodies) {
    const BarrierLaw law = barrier_law(assembly, rule, k, k);
    planes.push_back({static_cast<int>(planes.size()),
                      {obstacle.point[0], obstacle.point[1], obstacle.point[2]},
                      {obstacle.normal[0], obstacle.normal[1], obstacle.normal[2]},
                      law.range,
                      law.pressure,
                      radius_of(assembly, rule, k),
                      obstacle.radius,
                      inside});
  }
  ContactSurface surface = make_surface(assembly, bodies, rule);
  std::vector<BarrierPair> pairs = meet_faces(planes, obstacle, surface);
  ContactBarrier barrier(std::move(surface), std::move(pairs), std::move(planes), friction_law(assembly, rule),
                         rule.restitution);
  const std::string name = obstacle.name;
  add_barrier(assembly, name, std::move(barrier), {std::move(obstacle)}, rule);
}

// By the rule that a plane or a sphere has.
template <class Contact>
void add_wall(Assembly& assembly, const Contact& contact, const Record& record, Obstacle obstacle, bool inside) {
  if (!contact.barrier && !contact.impact) return add_contact(assembly, contact, record, std::move(obstacle));
  check_components(contact.point, assembly.dimension(), "point");
  std::copy(contact.point.begin(), contact.point.end(), obstacle.point);
  if (contact.barrier) return add_barrier_wall(assembly, contact.body, *contact.barrier, std::move(obstacle), inside);
  const std::string name = obstacle.name;
  add_impact_walls(assembly, name, contact.body, *contact.impact, std::move(obstacle), inside);
}

ImpactRule read_impact(const Settings& settings, const char* radius) {
  ImpactRule rule;
  rule.radius = given_number(settings, radius);
  if (settings.given("restitution")) rule.restitution = settings.number("restitution");
  if (settings.given("friction")) rule.friction = settings.number("friction");
  return rule;
}

// The rule of a contact; keys of other rules would have no meaning. radius: the key of that of particles.
struct Rules {
  std::optional<BarrierRule> barrier;
  std::optional<ImpactRule> impact;
};
Rules read_rules(const Settings& settings, const char* radius) {
  const std::string& rule = settings.text("rule");
  const auto belong = [&](std::initializer_list<const char*> keys, const char* owner, bool mine) {
    for (const char* key : keys)
      if (!mine && settings.given(key)) settings.refuse(key, "belongs to rule = " + std::string(owner));
  };
  belong({"relative_stiffness", "stiffness", "onset"}, "\"penalty\"", rule == "penalty");
  belong({"distance", "pressure", "stick_speed", "samples", "repair", "intersection_file"}, "\"barrier\"",
         rule == "barrier");
  belong({radius, "friction", "restitution", "inside"}, "\"barrier\" or \"impact\"", rule != "penalty");
  Rules rules;
  if (rule == "barrier") {
    rules.barrier = read_barrier(settings);
    rules.barrier->radius = given_number(settings, radius);
  }
  if (rule == "impact") rules.impact = read_impact(settings, radius);
  return rules;
}

Parameter rule_key(std::vector<std::string> rules) {
  const bool penalty = rules.front() == "penalty";
  return one_of(key("rule", ValueType::name, "-", rules.front(),
                    std::string(penalty ? "penalty: for every method; " : "") +
                        "barrier: nothing passes through, for energy_momentum and others; impact: at instants, for "
                        "particles and rigid bodies with stormer_verlet and rattle"),
                rules);
}

std::vector<std::array<std::string, 2>> read_excluded(const Settings& settings) {
  std::vector<std::array<std::string, 2>> pairs;
  for (const Node& item : settings.node("exclude").items) {
    const bool two = item.kind == Node::Kind::array && item.items.size() == 2 &&
                     item.items[0].kind == Node::Kind::text && item.items[1].kind == Node::Kind::text;
    if (!two) settings.refuse("exclude", "expected pairs of names of bodies: [[\"a\", \"b\"], [\"a\", \"c\"]].");
    pairs.push_back({item.items[0].text, item.items[1].text});
  }
  return pairs;
}

ContactRecord bodies_record() {
  ContactRecord made;
  made.name = "bodies";
  made.brief =
      "surfaces of solids, rigid bodies, particles and obstacles that do not pass through each other, by a barrier: "
      "energy and momenta are kept";
  made.citation = "Li et al. 2020, 2023; Gonzalez 1996";
  Parameter exclude = key("exclude", ValueType::table, "-", "", "pairs of bodies that do not touch: [[\"a\", \"b\"]]");
  exclude.choices = {"list"};
  made.parameters = {key("bodies", ValueType::names, "-", "all with a surface", "that touch each other"),
                     key("self", ValueType::boolean, "-", "false", "each solid touches itself, too"), exclude,
                     positive(number_key("radius", "m", "", "of each particle, for bodies of particles")),
                     rule_key({"barrier", "impact"})};
  for (Parameter& parameter : barrier_keys()) made.parameters.push_back(std::move(parameter));
  made.add = [](const Settings& s, const std::string& name, Assembly& assembly) {
    ContactBodies contact;
    if (s.given("bodies")) contact.bodies = s.names("bodies");
    contact.self = s.flag("self");
    const Rules rules = read_rules(s, "radius");
    if (rules.barrier) contact.barrier = *rules.barrier;
    contact.impact = rules.impact;
    if (rules.impact && contact.self) s.refuse("self", "belongs to rule = \"barrier\"");
    if (s.given("exclude")) contact.exclude = read_excluded(s);
    add(assembly, contact, name);
  };
  return made;
}

ContactRecord record(std::string name, std::string brief, std::vector<Parameter> own) {
  ContactRecord made;
  made.name = std::move(name);
  made.brief = std::move(brief);
  made.parameters = {key("body", ValueType::name, "-", "", "body that touches it; default: all that are not held")};
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

std::vector<Parameter> barrier_keys() {
  return {positive(number_key(
              "distance", "m", "0.1 edges",
              "of barriers: below it surfaces push; default: a tenth of the mean edge of the finer solid, of "
              "rigid bodies a fiftieth, of balls of their radius")),
          positive(number_key("pressure", "Pa", "0.03 E",
                              "of barriers: at half the distance; default: 0.03 of Young's modulus of the softer "
                              "body; needed where neither has one")),
          bounded(key("samples", ValueType::integer, "-", "0",
                      "of barriers: points inside every facet that push beside its corners, so many a side, n^2 of a "
                      "triangle: pressures of meshes in space that do not match"),
                  0, 8),
          key("repair", ValueType::boolean, "-", "false",
              "of barriers: bodies that intersect at the start are pushed apart, if nothing holds them"),
          key("intersection_file", ValueType::text, "-", "",
              "of barriers: file (OBJ) to be written if something intersects at the start, which shows it"),
          bounded(number_key("friction", "-", "0", "of barriers and impacts: coefficient of Coulomb friction"), 0),
          positive(
              number_key("stick_speed", "m/s", "0.002 falls",
                         "of barriers: slower, friction falls to nothing, and so does what rebounds lose; default: "
                         "0.002 of the speed of a fall through the diagonal of all bodies that move, or of the largest "
                         "one at the start; a thousandth of the diagonal in a second without gravity and speeds")),
          bounded(number_key("restitution", "-", "1", "of barriers and impacts: speed after over speed before"), 0, 1)};
}

BarrierRule read_barrier(const Settings& settings) {
  BarrierRule rule;
  rule.repair = settings.flag("repair");
  if (settings.given("intersection_file")) rule.shown_in = file_of(settings.node("intersection_file")).string();
  rule.distance = given_number(settings, "distance");
  rule.pressure = given_number(settings, "pressure");
  if (settings.given("friction")) rule.friction = settings.number("friction");
  rule.stick_speed = given_number(settings, "stick_speed");
  if (settings.given("restitution")) rule.restitution = settings.number("restitution");
  rule.samples = static_cast<int>(settings.integer("samples"));
  return rule;
}

void add(Assembly& assembly, const ContactPlane& plane, const std::string& name) {
  check_components(plane.normal, assembly.dimension(), "normal");
  const double length = std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]);
  if (!(length > 0)) throw AssemblyError("normal", "has no direction.");
  Obstacle obstacle;
  obstacle.name = name;
  for (std::size_t c = 0; c < 3; ++c) obstacle.normal[c] = plane.normal[c] / length;
  add_wall(assembly, plane, contact_records().at("plane"), std::move(obstacle), false);
}

void add(Assembly& assembly, const ContactSphere& sphere, const std::string& name) {
  check_range(contact_records().at("sphere"), "radius", sphere.radius);
  Obstacle obstacle;
  obstacle.name = name;
  obstacle.kind = Obstacle::Kind::sphere;
  obstacle.radius = sphere.radius;
  add_wall(assembly, sphere, contact_records().at("sphere"), std::move(obstacle), sphere.inside);
}

Registry<ContactRecord>& contact_records() {
  static Registry<ContactRecord> records("contact", [] {
    std::vector<ContactRecord> all;
    all.push_back(bodies_record());
    all.push_back(record(
        "plane",
        "a rigid half space, by a penalty on nodes, which does not prevent penetration, or by a barrier, which does",
        {point_key("of its surface"),
         required(of_length(key("normal", ValueType::vector, "-", "", "points to the free side"), {1, 2, 3})),
         rule_key({"penalty", "barrier", "impact"})}));
    for (Parameter& parameter : barrier_keys()) all.back().parameters.push_back(std::move(parameter));
    all.back().parameters.push_back(
        positive(number_key("radius", "m", "", "of barriers: of each particle, for bodies of particles")));
    all.back().add = [](const Settings& s, const std::string& name, Assembly& assembly) {
      bodies_of(s, assembly);  // bodies without nodes are told first
      const Rules rules = read_rules(s, "radius");
      add(assembly,
          ContactPlane{given_text(s, "body"), read_components(s, "point", assembly),
                       read_components(s, "normal", assembly), s.number("relative_stiffness"),
                       given_number(s, "stiffness"), given_number(s, "onset"), rules.barrier, rules.impact},
          name);
    };
    all.push_back(record(
        "sphere",
        "a rigid ball, in 2D a disk, by a penalty on nodes, which does not prevent penetration, and does not see "
        "features smaller than an edge, or by a barrier, from outside or inside",
        {point_key("its centre"), required(positive(number_key("radius", "m", "", "of the ball"))),
         rule_key({"penalty", "barrier", "impact"}),
         key("inside", ValueType::boolean, "-", "false", "of barriers and impacts: bodies are in the ball")}));
    for (Parameter& parameter : barrier_keys()) all.back().parameters.push_back(std::move(parameter));
    all.back().parameters.push_back(
        positive(number_key("particle_radius", "m", "", "of barriers and impacts: of each particle")));
    all.back().add = [](const Settings& s, const std::string& name, Assembly& assembly) {
      bodies_of(s, assembly);  // bodies without nodes are told first
      const Rules rules = read_rules(s, "particle_radius");
      add(assembly,
          ContactSphere{given_text(s, "body"), read_components(s, "point", assembly), s.number("radius"),
                        s.number("relative_stiffness"), given_number(s, "stiffness"), given_number(s, "onset"),
                        s.flag("inside"), rules.barrier, rules.impact},
          name);
    };
    all.push_back(contact_box_record());
    all.push_back(contact_cylinder_record());
    return all;
  }());
  return records;
}

}  // namespace livens
