#include "forces/make_barrier.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include <fmt/format.h>

#include "bodies/solid.hpp"
#include "contact/bounding_tree.hpp"
#include "contact/intersections.hpp"
#include "forces/barrier_contact.hpp"
#include "forces/impact_contact.hpp"
#include "forces/push_apart.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"

namespace livens {
namespace {

constexpr double distance_of_edge = 0.1;          // range over the mean edge of a solid
constexpr double distance_of_shape = 0.02;        // range over the mean edge or the radius of what does not give way
constexpr double stick_speed_of_fall = 2e-3;      // over the speed that matters
constexpr double stick_speed_of_diagonal = 1e-3;  // 1/s, where nothing falls or moves
constexpr double pressure_of_young = 0.03;        // with it the stiffness 2 E/edge of about one more layer of elements

using Part = ContactSurface::Part;

const BodyShape* shape_of(const Assembly& assembly, int k) {
  const auto found = assembly.shapes.find(assembly.parts.bodies[at(k)].name);
  return found == assembly.shapes.end() ? nullptr : found->second.get();
}

// Neither a solid nor rigid.
bool is_particles(const Assembly& assembly, int k) {
  return solid_of(assembly, k) == nullptr && !assembly.parts.bodies[at(k)].rigid;
}

void add_solid(const SolidBody& solid, const Body& body, ContactSurface& surface) {
  const int corners = solid.mesh->dimension();
  std::vector<std::array<int, 3>> facets = flat_facets(*solid.mesh, solid.surface().facets);
  std::vector<int> place(at(body.nodes), -1), first;
  std::vector<Point3> reference;
  for (const auto& facet : facets)
    for (int k = 0; k < corners; ++k) place[at(facet[at(k)])] = 0;
  for (int a = 0; a < body.nodes; ++a) {
    if (place[at(a)] < 0) continue;
    place[at(a)] = static_cast<int>(first.size());
    first.push_back(body.first + a * body.dimension);
    const double* X = solid.mesh->X.data() + at(a * corners);
    reference.push_back({X[0], X[1], corners == 3 ? X[2] : 0});
  }
  for (auto& facet : facets)
    for (int k = 0; k < corners; ++k) facet[at(k)] = place[at(facet[at(k)])];
  surface.add_body(body.name, first, reference, facets, solid.thickness);
}

void add_particles(const Body& body, const BarrierRule& rule, ContactSurface& surface) {
  if (!rule.radius)
    throw AssemblyError("radius", "is needed for the particles of '" + body.name + "': they have no surface.");
  ContactSurface::NewBody added;
  added.name = body.name;
  added.radius = *rule.radius;
  for (int a = 0; a < body.nodes; ++a) added.points.push_back({Part{body.first + a * body.dimension, 1}});
  added.reference.resize(added.points.size());
  surface.add_body(added);
}

// Every point is a sum of the nodes of the body; balls have these nodes as what shows their rotation.
void add_shape(const BodyShape& shape, const Body& body, ContactSurface& surface) {
  ContactSurface::NewBody added;
  added.name = body.name;
  added.radius = shape.radius;
  added.facets = shape.facets;
  for (const Vec3& X : shape.points) {
    const auto weights = body.rigid->point(X);
    std::vector<Part> parts;
    for (int a = 0; a < body.nodes; ++a) parts.push_back({body.first + a * body.dimension, weights[at(a)]});
    added.points.push_back(std::move(parts));
    added.reference.push_back({X[0], X[1], X[2]});
  }
  for (int a = 0; a < body.nodes && shape.radius > 0; ++a)
    added.carriers.push_back({Part{body.first + a * body.dimension, 1}});
  surface.add_body(added);
}

// A length that the range of a body is small beside, and that share of it.
struct RangeScale {
  double length, share;
};
RangeScale range_scale(const Assembly& assembly, const BarrierRule& rule, int k) {
  if (const SolidBody* solid = solid_of(assembly, k))
    return {solid->surface().edge * (quadratic(solid->mesh->kind) ? 0.5 : 1), distance_of_edge};
  if (const BodyShape* shape = shape_of(assembly, k)) {
    if (shape->radius > 0) return {shape->radius, distance_of_shape};
    double sum = 0;
    for (const auto& facet : shape->facets)
      for (int c = 0; c < (shape->dimension == 3 ? 3 : 1); ++c) {
        const Vec3 &a = shape->points[at(facet[at(c)])], &b = shape->points[at(facet[at((c + 1) % shape->dimension)])];
        sum += std::hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
      }
    return {sum / static_cast<double>(shape->facets.size() * (shape->dimension == 3 ? 3 : 1)), distance_of_shape};
  }
  return {rule.radius.value_or(0), distance_of_shape};
}

}  // namespace

ContactSurface make_surface(const Assembly& assembly, const std::vector<int>& bodies, const BarrierRule& rule) {
  if (assembly.dimension() < 2)
    throw AssemblyError("", "barriers keep surfaces in the plane and in space apart; bodies on a line have none.");
  ContactSurface surface(assembly.dimension());
  for (const int k : bodies) {
    const Body& body = assembly.parts.bodies[at(k)];
    const BodyShape* shape = shape_of(assembly, k);
    if (body.rigid && shape == nullptr)
      throw AssemblyError(
          "", "'" + body.name + "' is rigid and has no surface: give it a shape, or name the bodies that touch.");
    if (const SolidBody* solid = solid_of(assembly, k))
      add_solid(*solid, body, surface);
    else if (shape != nullptr)
      add_shape(*shape, body, surface);
    else
      add_particles(body, rule, surface);
    surface.add_samples(rule.samples);
  }
  return surface;
}

BarrierLaw barrier_law(const Assembly& assembly, const BarrierRule& rule, int a, int b) {
  double range = std::numeric_limits<double>::infinity(), young = range;
  for (const int k : {a, b}) {
    const RangeScale scale = range_scale(assembly, rule, k);
    if (scale.length > 0) range = std::min(range, scale.share * scale.length);
    const SolidBody* solid = solid_of(assembly, k);
    if (solid != nullptr) young = std::min(young, *std::min_element(solid->young.begin(), solid->young.end()));
  }
  const auto name = [&](int k) { return "'" + assembly.parts.bodies[at(k)].name + "'"; };
  if (!rule.distance && !std::isfinite(range))
    throw AssemblyError("distance", "is needed for the particles of " + name(a) + ": they have no edges.");
  if (!rule.pressure && !std::isfinite(young))
    throw AssemblyError("pressure",
                        "is needed for " + name(a) + (a == b ? "" : " and " + name(b)) +
                            ": what has no Young's modulus gives no scale for it. It is the pressure at half "
                            "the distance; start with ten times the weight of a body over the area it stands "
                            "on, or with what an impact needs.");
  return {rule.distance.value_or(range), rule.pressure.value_or(pressure_of_young * young)};
}

bool is_held(const Assembly& assembly, int k) {
  const Body& body = assembly.parts.bodies[at(k)];
  int held = 0;
  for (const Support& support : assembly.parts.supports)
    for (const int i : support.coordinates) held += i >= body.first && i < body.first + body.size() ? 1 : 0;
  return held == body.size();
}

double radius_of(const Assembly& assembly, const BarrierRule& rule, int body) {
  if (const BodyShape* shape = shape_of(assembly, body)) return shape->radius;
  return is_particles(assembly, body) ? rule.radius.value_or(0) : 0;
}

namespace {

// The acceleration by a load that is proportional to the masses; 0 if it is another.
double acceleration_of(const EnergyTerm& term, const Assembly& assembly, const std::vector<double>& mass) {
  std::vector<double> load(assembly.q.size(), 0.0);
  if (!term.add_constant_load(load)) return 0;
  double largest = 0;
  for (const Body& body : assembly.parts.bodies) {
    double squares = 0;
    for (int i = 0; i < body.size() && body.dimension > 0; ++i) {
      const std::size_t own = at(body.first + i), first = at(body.first + i % body.dimension);
      if (std::abs(load[own] * mass[first] - load[first] * mass[own]) > 1e-9 * std::abs(load[own]) * mass[first])
        return 0;
      if (own == first) squares += load[own] * load[own] / (mass[own] * mass[own]);
    }
    largest = std::max(largest, std::sqrt(squares));
  }
  return largest;
}

// 2e-3 of the larger one of the speed of a fall through the diagonal of the bodies that are not held and of the
// largest speed at the start.
double default_stick_speed(const Assembly& assembly) {
  Box all, loose;
  double speed = 0;
  for (std::size_t k = 0; k < assembly.parts.bodies.size(); ++k) {
    const Body& body = assembly.parts.bodies[k];
    const bool held = is_held(assembly, static_cast<int>(k));
    const auto node = [&](const std::vector<double>& of, int a) {
      const double* x = of.data() + body.first + a * body.dimension;
      return Point3{x[0], body.dimension > 1 ? x[1] : 0, body.dimension > 2 ? x[2] : 0};
    };
    for (int a = 0; body.dimension > 0 && a < body.nodes; ++a) {
      all.take(node(assembly.q, a));
      if (!held) loose.take(node(assembly.q, a));
      speed = std::max(speed, length(node(assembly.v, a)));
    }
  }
  const std::vector<double> mass = assembly.row_masses();
  double gravity = 0;
  for (const auto& term : assembly.parts.terms) gravity = std::max(gravity, acceleration_of(*term, assembly, mass));
  const double diagonal = length(loose.low.x <= loose.high.x ? loose.high - loose.low : all.high - all.low);
  const double fall = std::max(std::sqrt(2 * gravity * diagonal), speed);
  return fall > 0 ? stick_speed_of_fall * fall : stick_speed_of_diagonal * diagonal;
}

}  // namespace

FrictionLaw friction_law(const Assembly& assembly, const BarrierRule& rule) {
  if (!(rule.friction >= 0)) throw AssemblyError("friction", "must not be negative.");
  if (rule.stick_speed && !(*rule.stick_speed > 0)) throw AssemblyError("stick_speed", "must be positive.");
  if (!(rule.restitution >= 0 && rule.restitution <= 1))
    throw AssemblyError("restitution", "expected a number from 0 to 1: speed after over speed before of an impact.");
  return {rule.friction, rule.stick_speed ? *rule.stick_speed : default_stick_speed(assembly)};
}

namespace {

bool write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  return out.good();
}

// Collision detection has a floor, 64 roundings of the coordinates (contact/free_path.hpp): what is nearer cannot move.
void refuse_touching(const ContactBarrier& barrier, ConstVector q) {
  constexpr double floor_roundings = 64;
  std::vector<Point3> x;
  barrier.surface().positions(q, x);
  double largest = 0;
  for (const Point3& p : x) largest = std::max(largest, largest_of(p));
  const ContactGap found = barrier.smallest_gap(q);
  if (found.gap > floor_roundings * std::numeric_limits<double>::epsilon() * largest) return;
  throw AssemblyError(
      "", fmt::format("what it keeps apart touches at the start: {} near ({:.4g}, {:.4g}, {:.4g}) m are "
                      "{:.1g} m apart. Leave a gap between them; they push each other below {:.3g} m",
                      found.names, found.place.x, found.place.y, found.place.z, found.gap, barrier.largest_range()));
}

}  // namespace

void add_barrier(Assembly& assembly, const std::string& name, ContactBarrier barrier, std::vector<Obstacle> obstacles,
                 const BarrierRule& rule) {
  if (rule.repair) push_apart(assembly, barrier, name);
  if (const auto found = find_intersection(barrier, assembly.q)) {
    const bool shown =
        !rule.shown_in.empty() && write_text(rule.shown_in, intersection_obj(barrier, assembly.q, *found));
    std::string advice = rule.repair ? "Move them apart" : "Move them apart or set repair = true";
    advice += ", exclude pairs that may pass through each other";
    if (rule.shown_in.empty()) advice += ", or look at them with intersection_file = \"start.obj\"";
    throw AssemblyError(
        "", fmt::format("what it keeps apart meets at the start, in {} place{}: first {} near ({:.4g}, {:.4g}, {:.4g}) "
                        "m{}. {}",
                        found->count, found->count == 1 ? "" : "s", found->what, found->place.x, found->place.y,
                        found->place.z, shown ? ", see '" + rule.shown_in + "'" : "", advice));
  }
  refuse_touching(barrier, assembly.q);
  const auto term = std::make_shared<BarrierTerm>(name, std::move(barrier), std::move(obstacles));
  assembly.parts.terms.push_back(term);
  if (term->surfaces().friction().coefficient > 0)
    assembly.parts.forces.push_back(std::make_shared<BarrierFriction>(name + "_friction", term));
  if (term->surfaces().restitution().coefficient < 1)
    assembly.parts.forces.push_back(std::make_shared<BarrierRestitution>(name + "_restitution", term));
}

namespace {

// The bodies that a contact is for, by their numbers.
std::vector<int> touching_bodies(const Assembly& assembly, const ContactBodies& contact) {
  std::vector<int> bodies;
  for (const std::string& body : contact.bodies) {
    const std::vector<int> found = bodies_of(assembly, body);
    bodies.insert(bodies.end(), found.begin(), found.end());
  }
  if (contact.bodies.empty())
    for (int k = 0; k < static_cast<int>(assembly.parts.bodies.size()); ++k)
      if (solid_of(assembly, k) != nullptr || shape_of(assembly, k) != nullptr ||
          (is_particles(assembly, k) && assembly.parts.bodies[at(k)].dimension > 0 &&
           (contact.impact ? contact.impact->radius : contact.barrier.radius)))
        bodies.push_back(k);
  std::sort(bodies.begin(), bodies.end());
  if (std::adjacent_find(bodies.begin(), bodies.end()) != bodies.end())
    throw AssemblyError("bodies", "a body is named twice. Set self = true if it touches itself.");
  return bodies;
}

// Whether a and b are named in some pair to be left out; names that are no bodies of this contact are told.
std::vector<char> excluded_pairs(const Assembly& assembly, const ContactBodies& contact,
                                 const std::vector<int>& bodies) {
  const std::size_t count = bodies.size();
  std::vector<char> excluded(count * count, 0);
  for (const auto& pair : contact.exclude) {
    std::size_t place[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const int body = assembly.body_index(pair[k]);
      const auto found = std::find(bodies.begin(), bodies.end(), body);
      if (found == bodies.end()) throw AssemblyError("exclude", "'" + pair[k] + "' is no body of this contact.");
      place[k] = static_cast<std::size_t>(found - bodies.begin());
    }
    excluded[place[0] * count + place[1]] = excluded[place[1] * count + place[0]] = 1;
  }
  return excluded;
}

}  // namespace

void add(Assembly& assembly, const ContactBodies& contact, const std::string& name) {
  const std::vector<int> bodies = touching_bodies(assembly, contact);
  const std::vector<char> excluded = excluded_pairs(assembly, contact, bodies);
  if (contact.impact) return add_impacts_between(assembly, contact, bodies, excluded, name);
  const auto count = bodies.size();
  std::vector<BarrierPair> pairs(count * count);
  bool any = false;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) {
      const bool balls = is_particles(assembly, bodies[a]), others = is_particles(assembly, bodies[b]);
      const bool alone = a == b && !(balls && assembly.parts.bodies[at(bodies[a])].nodes > 1) &&
                         !(contact.self && solid_of(assembly, bodies[a]) != nullptr);
      if (alone || excluded[a * count + b] != 0 || (is_held(assembly, bodies[a]) && is_held(assembly, bodies[b])))
        continue;
      if (balls && others && contact.barrier.friction > 0)
        throw AssemblyError("friction",
                            "particles do not turn, and friction between two of them would have a moment "
                            "that nothing carries. Make them rigid bodies with shape.kind = \"sphere\", or "
                            "set friction = 0.");
      const BarrierLaw law = barrier_law(assembly, contact.barrier, bodies[a], bodies[b]);
      pairs[a * count + b] = {true, law.range, law.pressure};
      any = true;
    }
  if (!any)
    throw AssemblyError("bodies",
                        "there are not two bodies with surfaces that could touch. Set self = true for a solid that "
                        "touches itself; give rigid bodies a shape, and particles a radius.");
  ContactBarrier barrier(make_surface(assembly, bodies, contact.barrier), std::move(pairs), {},
                         friction_law(assembly, contact.barrier), contact.barrier.restitution);
  add_barrier(assembly, name, std::move(barrier), {}, contact.barrier);
}

}  // namespace livens
