#include "draw/contact_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <Eigen/Geometry>

#include "contact/contact_barrier.hpp"
#include "contact/impacts.hpp"

namespace livens {
namespace {

constexpr std::uint8_t no_edges = 0;
constexpr double same_face = 1 - 1e-9;  // cosine between the normals of facets of one face
constexpr double room_band = 0.03;      // width of rooms in the plane, over their distance from the centre
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

// The facets of one body as the reference has them.
class Facets {
 public:
  Facets(const ContactSurface& surface, const ContactSurface::Body& body) : surface_(surface), body_(body) {}

  int begin() const { return body_.facets_begin; }
  int end() const { return body_.facets_end; }
  int points() const { return body_.points_end - body_.points_begin; }
  bool plane() const { return surface_.dimension() == 2; }
  int corner(int f, std::size_t k) const { return surface_.facets()[index(f)][k] - body_.points_begin; }
  Eigen::Vector3d point(int p) const {
    const Point3& X = surface_.reference(body_.points_begin + p);
    return {X.x, X.y, X.z};
  }
  Eigen::Vector3d center() const {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (int p = 0; p < points(); ++p) sum += point(p);
    return sum / points();
  }
  Eigen::Vector3d normal(int f) const {
    const Eigen::Vector3d a = point(corner(f, 0));
    return (point(corner(f, 1)) - a).cross(point(corner(f, 2)) - a).normalized();
  }
  // Of what the facets enclose, by cones over them: negative if they face inwards.
  double volume() const {
    const Eigen::Vector3d c = center();
    double sum = 0;
    for (int f = begin(); f < end(); ++f) {
      const Eigen::Vector3d a = point(corner(f, 0)) - c, b = point(corner(f, 1)) - c;
      sum += plane() ? a.cross(b).z() : a.cross(b).dot(point(corner(f, 2)) - c);
    }
    return sum;
  }

 private:
  const ContactSurface& surface_;
  const ContactSurface::Body& body_;
};

DrawnVertex vertex_at(const Body& drawn, const Eigen::Vector3d& X) {
  return vertex_of(drawn, drawn.rigid->point({X.x(), X.y(), X.z()}));
}

// A fan about the first point: polygons in the plane, right where they are convex.
void add_area(const Facets& facets, Drawable& drawable) {
  for (int f = facets.begin(); f < facets.end(); ++f) {
    const int a = facets.corner(f, 0), b = facets.corner(f, 1);
    if (a != 0 && b != 0) add_triangle(drawable, 0, a, b, 2);
  }
}

// A room in the plane: a band about its outline.
void add_band(const Facets& facets, const Body& drawn, Drawable& drawable) {
  const Eigen::Vector3d center = facets.center();
  const int count = facets.points();
  for (int p = 0; p < count; ++p)
    drawable.vertices.push_back(vertex_at(drawn, center + (1 + room_band) * (facets.point(p) - center)));
  for (int f = facets.begin(); f < facets.end(); ++f) {
    const int a = facets.corner(f, 0), b = facets.corner(f, 1);
    add_triangle(drawable, a, b, count + b, 1);
    add_triangle(drawable, a, count + b, count + a, 2);
  }
}

// Edges at which the surface bends, and its borders; those within a flat face only cut it into triangles.
std::vector<std::uint8_t> edges_of(const Facets& facets) {
  std::map<std::pair<int, int>, std::vector<int>> at_edge;
  const auto ends = [&](int f, std::size_t k) {
    return std::minmax({facets.corner(f, k), facets.corner(f, (k + 1) % 3)});
  };
  for (int f = facets.begin(); f < facets.end(); ++f)
    for (std::size_t k = 0; k < 3; ++k) at_edge[ends(f, k)].push_back(f);
  std::vector<std::uint8_t> edges;
  for (int f = facets.begin(); f < facets.end(); ++f) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& meet = at_edge.at(ends(f, k));
      if (meet.size() != 2 || facets.normal(meet[0]).dot(facets.normal(meet[1])) < same_face) bits |= 1u << k;
    }
    edges.push_back(static_cast<std::uint8_t>(bits));
  }
  return edges;
}

void add_facets(const Facets& facets, const Body& drawn, Drawable& drawable) {
  for (int p = 0; p < facets.points(); ++p) drawable.vertices.push_back(vertex_at(drawn, facets.point(p)));
  drawable.room = facets.volume() < 0;
  if (facets.plane()) return drawable.room ? add_band(facets, drawn, drawable) : add_area(facets, drawable);
  const auto edges = edges_of(facets);
  for (int f = facets.begin(); f < facets.end(); ++f)
    add_triangle(drawable, facets.corner(f, 0), facets.corner(f, 1), facets.corner(f, 2),
                 edges[index(f - facets.begin())]);
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
        add_facets({*surface, body}, drawn, shape);
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
    drawable.room = shape->room;
  }
}

}  // namespace livens
