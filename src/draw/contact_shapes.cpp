#include "draw/contact_shapes.hpp"

#include <cmath>
#include <numbers>

#include "contact/contact_barrier.hpp"
#include "contact/impacts.hpp"

namespace livens {
namespace {

constexpr std::uint8_t no_edges = 0, all_edges = 7;
constexpr int slices = 24, rings = 12;  // of balls that are drawn

DrawnVertex vertex_of(const Body& body, const std::array<double, 4>& weights) {
  DrawnVertex vertex;
  for (int a = 0; a < body.nodes; ++a) vertex.node[index(a)] = body.first + body.dimension * a;
  vertex.weight = weights;
  return vertex;
}

void add_triangle(Drawable& drawable, int a, int b, int c, std::uint8_t edges) {
  for (const int corner : {a, b, c}) drawable.triangles.push_back(static_cast<std::uint32_t>(corner));
  drawable.edges.push_back(edges);
}

// A fan about the first point: polygons in the plane, right where they are convex.
void add_outline(const ContactSurface& surface, const ContactSurface::Body& body, Drawable& drawable) {
  for (int f = body.facets_begin; f < body.facets_end; ++f) {
    const auto& facet = surface.facets()[index(f)];
    const int a = facet[0] - body.points_begin, b = facet[1] - body.points_begin;
    if (a != 0 && b != 0) add_triangle(drawable, 0, a, b, 2);
  }
}

void add_facets(const ContactSurface& surface, const ContactSurface::Body& body, const Body& drawn,
                Drawable& drawable) {
  for (int p = body.points_begin; p < body.points_end; ++p) {
    const Point3& X = surface.reference(p);
    drawable.vertices.push_back(vertex_of(drawn, drawn.rigid->point({X.x, X.y, X.z})));
  }
  if (surface.dimension() == 2) return add_outline(surface, body, drawable);
  for (int f = body.facets_begin; f < body.facets_end; ++f) {
    const auto& facet = surface.facets()[index(f)];
    add_triangle(drawable, facet[0] - body.points_begin, facet[1] - body.points_begin, facet[2] - body.points_begin,
                 all_edges);
  }
}

void add_ball(const ContactSurface& surface, const ContactSurface::Body& body, const Body& drawn, Drawable& drawable) {
  const Point3& center = surface.reference(body.points_begin);
  const auto add = [&](double polar, double around) {
    const bool plane = surface.dimension() == 2;
    const double r = body.radius * (plane ? 1 : std::sin(polar));
    drawable.vertices.push_back(
        vertex_of(drawn, drawn.rigid->point({center.x + r * std::cos(around), center.y + r * std::sin(around),
                                             plane ? 0 : center.z + body.radius * std::cos(polar)})));
  };
  const auto angle = [](int k) { return 2 * std::numbers::pi * k / slices; };
  if (surface.dimension() == 2) {
    for (int k = 0; k < slices; ++k) add(0, angle(k));
    for (int k = 1; k + 1 < slices; ++k) add_triangle(drawable, 0, k, k + 1, no_edges);
    return;
  }
  for (int ring = 0; ring <= rings; ++ring)
    for (int k = 0; k < slices; ++k) add(std::numbers::pi * ring / rings, angle(k));
  for (int ring = 0; ring < rings; ++ring)
    for (int k = 0; k < slices; ++k) {
      const int a = ring * slices + k, b = ring * slices + (k + 1) % slices;
      // One line from pole to pole shows how it turns.
      add_triangle(drawable, a, a + slices, b, k == 0 ? 1 : no_edges);
      add_triangle(drawable, b, a + slices, b + slices, no_edges);
    }
}

// Of what touches by a barrier or by impacts; null: none.
const ContactSurface* surface_of(const EnergyTerm& term) {
  if (term.barrier() != nullptr) return &term.barrier()->surface();
  return term.impacts() != nullptr ? &term.impacts()->surface() : nullptr;
}

}  // namespace

std::optional<Drawable> contact_shape(const Model& model, const Body& drawn) {
  if (!drawn.rigid) return std::nullopt;
  for (const auto& term : model.parts().terms) {
    const ContactSurface* surface = surface_of(*term);
    if (surface == nullptr) continue;
    for (const auto& body : surface->bodies()) {
      if (drawn.name != body.name) continue;
      Drawable shape;
      if (body.radius > 0)
        add_ball(*surface, body, drawn, shape);
      else
        add_facets(*surface, body, drawn, shape);
      return shape;
    }
  }
  return std::nullopt;
}

void draw_contact_shapes(const Model& model, Drawing& drawing) {
  for (Drawable& drawable : drawing.drawables) {
    if (drawable.body < 0) continue;
    const Body& drawn = drawing.bodies[index(drawable.body)];
    if (drawable.name != drawn.name) continue;
    std::optional<Drawable> shape = contact_shape(model, drawn);
    if (!shape) continue;
    drawable.vertices = std::move(shape->vertices);
    drawable.triangles = std::move(shape->triangles);
    drawable.edges = std::move(shape->edges);
  }
}

}  // namespace livens
