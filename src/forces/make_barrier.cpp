#include "forces/make_barrier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "bodies/solid.hpp"
#include "contact/bounding_tree.hpp"
#include "contact/intersections.hpp"
#include "forces/barrier_contact.hpp"
#include "mesh/core/topology.hpp"
#include "model/assembly.hpp"

namespace livens {
namespace {

constexpr double distance_of_edge = 0.1;          // range over the mean edge
constexpr double stick_speed_of_diagonal = 1e-3;  // 1/s
constexpr double pressure_of_young = 0.03;        // with it the stiffness 2 E/edge of about one more layer of elements

using Facet = ContactSurface::Facet;

// Facets with midsides are cut into flat ones: triangles into four, edges into two.
void add_flat(const int* n, ElementKind kind, std::vector<Facet>& facets) {
  switch (kind) {
    case ElementKind::tri3: facets.push_back({n[0], n[1], -1}); return;
    case ElementKind::tri6: facets.insert(facets.end(), {Facet{n[0], n[2], -1}, Facet{n[2], n[1], -1}}); return;
    case ElementKind::tet4: facets.push_back({n[0], n[1], n[2]}); return;
    case ElementKind::tet10:
      facets.insert(facets.end(), {Facet{n[0], n[3], n[5]}, Facet{n[3], n[1], n[4]}, Facet{n[5], n[4], n[2]},
                                   Facet{n[3], n[4], n[5]}});
      return;
  }
}

void add_solid(const SolidBody& solid, const Body& body, ContactSurface& surface) {
  const Facets& boundary = solid.surface().facets;
  const int corners = solid.mesh->dimension();
  std::vector<Facet> facets;
  for (int f = 0; f < boundary.count(); ++f)
    add_flat(boundary.nodes.data() + at(f * boundary.nodes_each), solid.mesh->kind, facets);
  std::vector<int> place(at(body.nodes), -1), first;
  std::vector<Point3> reference;
  for (Facet& facet : facets)
    for (int k = 0; k < corners; ++k) place[at(facet[at(k)])] = 0;
  for (int a = 0; a < body.nodes; ++a) {
    if (place[at(a)] < 0) continue;
    place[at(a)] = static_cast<int>(first.size());
    first.push_back(body.first + a * body.dimension);
    const double* X = solid.mesh->X.data() + at(a * corners);
    reference.push_back({X[0], X[1], corners == 3 ? X[2] : 0});
  }
  for (Facet& facet : facets)
    for (int k = 0; k < corners; ++k) facet[at(k)] = place[at(facet[at(k)])];
  surface.add_body(body.name, first, reference, facets, solid.thickness);
}

void add_particles(const Body& body, const BarrierRule& rule, ContactSurface& surface) {
  if (!rule.radius)
    throw AssemblyError("radius", "is needed for the particles of '" + body.name + "': they have no surface.");
  std::vector<int> first;
  for (int a = 0; a < body.nodes; ++a) first.push_back(body.first + a * body.dimension);
  const std::vector<Point3> reference(first.size());
  surface.add_body(body.name, first, reference, {}, 1, std::numbers::pi * *rule.radius * *rule.radius);
}

}  // namespace

ContactSurface make_surface(const Assembly& assembly, const std::vector<int>& bodies, const BarrierRule& rule) {
  if (assembly.dimension() < 2)
    throw AssemblyError("", "barriers keep surfaces in the plane and in space apart; bodies on a line have none.");
  ContactSurface surface(assembly.dimension());
  for (const int k : bodies) {
    const Body& body = assembly.parts.bodies[at(k)];
    if (body.rigid)
      throw AssemblyError("",
                          "'" + body.name +
                              "' is rigid, and contact of rigid bodies is not supported: name the bodies that it is "
                              "for, or attach a solid to the rigid one.");
    if (const SolidBody* solid = solid_of(assembly, k))
      add_solid(*solid, body, surface);
    else
      add_particles(body, rule, surface);
  }
  return surface;
}

BarrierLaw barrier_law(const Assembly& assembly, const BarrierRule& rule, int a, int b) {
  double edge = std::numeric_limits<double>::infinity(), young = edge;
  for (const int k : {a, b}) {
    const SolidBody* solid = solid_of(assembly, k);
    if (solid == nullptr) continue;
    edge = std::min(edge, solid->surface().edge * (quadratic(solid->mesh->kind) ? 0.5 : 1));
    young = std::min(young, *std::min_element(solid->young.begin(), solid->young.end()));
  }
  const std::string& name = assembly.parts.bodies[at(a)].name;
  if (!rule.distance && !std::isfinite(edge))
    throw AssemblyError("distance", "is needed for the particles of '" + name + "': they have no edges.");
  if (!rule.pressure && !std::isfinite(young))
    throw AssemblyError("pressure", "is needed for the particles of '" + name + "': they have no Young's modulus.");
  return {rule.distance.value_or(distance_of_edge * edge), rule.pressure.value_or(pressure_of_young * young)};
}

FrictionLaw friction_law(const Assembly& assembly, const BarrierRule& rule) {
  if (!(rule.friction >= 0)) throw AssemblyError("friction", "must not be negative.");
  if (rule.stick_speed && !(*rule.stick_speed > 0)) throw AssemblyError("stick_speed", "must be positive.");
  Box all;
  for (const Body& body : assembly.parts.bodies)
    for (int a = 0; body.dimension > 0 && a < body.nodes; ++a) {
      const double* x = assembly.q.data() + body.first + a * body.dimension;
      all.take(Point3{x[0], body.dimension > 1 ? x[1] : 0, body.dimension > 2 ? x[2] : 0});
    }
  return {rule.friction, rule.stick_speed.value_or(stick_speed_of_diagonal * length(all.high - all.low))};
}

void add_barrier(Assembly& assembly, const std::string& name, ContactBarrier barrier, std::vector<Obstacle> obstacles) {
  if (const auto found = find_intersection(barrier, assembly.q))
    throw AssemblyError(
        "", fmt::format("the bodies pass through each other at the start, {} in {} place{}: first {} near "
                        "({:.4g}, {:.4g}, {:.4g}) m. Move them apart",
                        name, found->count, found->count == 1 ? "" : "s", found->what, found->place.x, found->place.y,
                        found->place.z));
  const auto term = std::make_shared<BarrierTerm>(name, std::move(barrier), std::move(obstacles));
  assembly.parts.terms.push_back(term);
  if (term->surfaces().friction().coefficient > 0)
    assembly.parts.forces.push_back(std::make_shared<BarrierFriction>(name + "_friction", term));
}

void add(Assembly& assembly, const ContactBodies& contact, const std::string& name) {
  std::vector<int> bodies;
  for (const std::string& body : contact.bodies) {
    const std::vector<int> found = bodies_of(assembly, body);
    bodies.insert(bodies.end(), found.begin(), found.end());
  }
  if (contact.bodies.empty())
    for (const int k : bodies_of(assembly, ""))
      if (solid_of(assembly, k) != nullptr) bodies.push_back(k);
  for (const int k : bodies)
    if (solid_of(assembly, k) == nullptr)
      throw AssemblyError("bodies", "'" + assembly.parts.bodies[at(k)].name +
                                        "' is no solid: particles and rigid bodies touch planes only.");
  std::sort(bodies.begin(), bodies.end());
  if (std::adjacent_find(bodies.begin(), bodies.end()) != bodies.end())
    throw AssemblyError("bodies", "a body is named twice. Set self = true if it touches itself.");
  if (bodies.size() < 2 && !contact.self)
    throw AssemblyError("bodies",
                        "there are not two solids that could touch. Set self = true for one that touches itself.");
  const auto count = bodies.size();
  std::vector<BarrierPair> pairs(count * count);
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) {
      const BarrierLaw law = barrier_law(assembly, contact.barrier, bodies[a], bodies[b]);
      pairs[a * count + b] = {a != b || contact.self, law.range, law.pressure};
    }
  ContactBarrier barrier(make_surface(assembly, bodies, contact.barrier), std::move(pairs), {},
                         friction_law(assembly, contact.barrier));
  add_barrier(assembly, name, std::move(barrier), {});
}

}  // namespace livens
