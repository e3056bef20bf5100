#include "draw/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/contact_shapes.hpp"
#include "files/fields.hpp"
#include "files/surface.hpp"
#include "model/assembly.hpp"

namespace livens {
namespace {

constexpr double largest_radius = 0.015;  // of points, over the size of their body
constexpr double radius_to_spacing = 0.3;

DrawnVertex node_vertex(const Body& body, int node) {
  DrawnVertex vertex;
  vertex.node[0] = body.first + node * body.dimension;
  vertex.weight[0] = 1;
  return vertex;
}

DrawnVertex rigid_vertex(const Body& body, const std::array<double, 4>& weights) {
  DrawnVertex vertex;
  for (int a = 0; a < body.nodes; ++a) vertex.node[index(a)] = body.first + body.dimension * a;
  vertex.weight = weights;
  return vertex;
}

// A point as the constraints have it: the terms of its first component say which nodes.
DrawnVertex affine_vertex(const AffinePoint& point) {
  DrawnVertex vertex;
  for (std::size_t c = 0; c < point.size(); ++c) vertex.constant[c] = point[c].constant;
  const auto& terms = point.front().terms;
  for (std::size_t k = 0; k < std::min(terms.size(), vertex.node.size()); ++k) {
    vertex.node[k] = terms[k].first;
    vertex.weight[k] = terms[k].second;
  }
  return vertex;
}

double extent_of(const Body& body) {
  double largest = 0;
  for (int c = 0; c < body.dimension; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = index(c); i < body.reference.size(); i += index(body.dimension)) {
      low = std::min(low, body.reference[i]);
      high = std::max(high, body.reference[i]);
    }
    largest = std::max(largest, high - low);
  }
  return largest;
}

// Points sized so that they nearly touch where they fill their body evenly.
double radius_of(const Body& body) {
  const double extent = extent_of(body) > 0 ? extent_of(body) : 1;
  const double spacing = extent / std::pow(static_cast<double>(std::max(body.nodes, 1)), 1.0 / body.dimension);
  return std::min(largest_radius * extent, radius_to_spacing * spacing);
}

void set_triangles(Drawable& drawable, const SurfaceTriangles& surface, const std::vector<int>& vertex_of) {
  for (const int node : surface.nodes)
    drawable.triangles.push_back(static_cast<std::uint32_t>(vertex_of.empty() ? node : vertex_of[index(node)]));
  for (const unsigned edges : surface.edges) drawable.edges.push_back(static_cast<std::uint8_t>(edges));
}

Drawable solid_drawable(const Body& body) {
  Drawable drawable;
  drawable.solid = true;
  const SurfaceTriangles surface = surface_triangles(*body.mesh);
  std::vector<int> vertex_of(index(body.nodes), -1);
  for (const int node : surface.nodes) vertex_of[index(node)] = 0;
  for (int node = 0; node < body.nodes; ++node)
    if (vertex_of[index(node)] == 0) {
      vertex_of[index(node)] = static_cast<int>(drawable.vertices.size());
      drawable.vertices.push_back(node_vertex(body, node));
    }
  set_triangles(drawable, surface, vertex_of);
  drawable.element = surface.element;
  return drawable;
}

Drawable rigid_drawable(const Body& body) {
  Drawable drawable;
  const RigidBox box = rigid_box(*body.rigid);
  for (const auto& weights : box.corners) drawable.vertices.push_back(rigid_vertex(body, weights));
  set_triangles(drawable, box.surface, {});
  return drawable;
}

Drawable points_drawable(const Body& body) {
  Drawable drawable;
  drawable.kind = Drawable::Kind::points;
  drawable.radius = radius_of(body);
  for (int node = 0; node < body.nodes; ++node) drawable.vertices.push_back(node_vertex(body, node));
  return drawable;
}

void add_bodies(Drawing& drawing) {
  for (std::size_t k = 0; k < drawing.bodies.size(); ++k) {
    const Body& body = drawing.bodies[k];
    if (body.dimension == 0) continue;
    Drawable drawable = body.mesh != nullptr ? solid_drawable(body)
                        : body.rigid         ? rigid_drawable(body)
                                             : points_drawable(body);
    drawable.name = body.name;
    drawable.body = static_cast<int>(k);
    drawable.pullable = true;
    drawing.dimension = body.dimension == 3 ? 3 : 2;
    drawing.drawables.push_back(std::move(drawable));
  }
}

Drawable lines_named(std::string name, std::string style) {
  Drawable lines;
  lines.kind = Drawable::Kind::lines;
  lines.name = std::move(name);
  lines.style = std::move(style);
  return lines;
}

double length_at(const DrawnVertex& a, const DrawnVertex& b, int dimension, ConstVector x) {
  const auto p = position_of(a, dimension, x), q = position_of(b, dimension, x);
  return std::hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
}

// Springs across the border of a periodic body end at an image of their node: these, the long ones, are left out.
void leave_images_out(Drawable& lines, int dimension, ConstVector reference) {
  std::vector<double> lengths;
  for (std::size_t k = 0; k + 1 < lines.vertices.size(); k += 2)
    lengths.push_back(length_at(lines.vertices[k], lines.vertices[k + 1], dimension, reference));
  if (lengths.empty()) return;
  std::vector<double> sorted = lengths;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2), sorted.end());
  const double longest = 2 * sorted[sorted.size() / 2];
  std::vector<DrawnVertex> kept;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    if (lengths[k] <= longest) kept.insert(kept.end(), {lines.vertices[2 * k], lines.vertices[2 * k + 1]});
  lines.vertices = std::move(kept);
}

void add_springs(const Model& model, ConstVector reference, Drawing& drawing) {
  const bool periodic =
      std::any_of(model.bodies().begin(), model.bodies().end(), [](const Body& body) { return body.periodic; });
  for (const auto& term : model.parts().terms) {
    if (is_contact(*term)) continue;
    Drawable lines = lines_named(term->name(), "spring");
    for (const Link& link : term->links())
      for (const AffinePoint& end : link.ends) lines.vertices.push_back(affine_vertex(end));
    if (const auto stencils = term->stencils();
        lines.vertices.empty() && stencils != nullptr && stencils->drawn() && stencils->per_stencil() == 2) {
      for (int k = 0; k < stencils->count(); ++k)
        for (const int node : stencils->nodes(k)) {
          DrawnVertex vertex;
          vertex.node[0] = node;
          vertex.weight[0] = 1;
          lines.vertices.push_back(vertex);
        }
      if (periodic) leave_images_out(lines, model.dimension(), reference);
    }
    if (!lines.vertices.empty()) drawing.drawables.push_back(std::move(lines));
  }
}

// From the centres of the rigid bodies that a joint connects to its point.
void add_joint(const Model& model, const Constraint& constraint, ConstVector reference, Drawable& lines) {
  const DrawnVertex point = affine_vertex(constraint.joint()->point);
  const std::vector<int> coordinates = constraint.coordinates();
  for (const Body& body : model.bodies()) {
    const auto touched = std::lower_bound(coordinates.begin(), coordinates.end(), body.first);
    if (!body.rigid || touched == coordinates.end() || *touched >= body.first + body.size()) continue;
    const DrawnVertex center = rigid_vertex(body, body.rigid->point(body.rigid->center));
    const double size = std::hypot(body.rigid->half[0], body.rigid->half[1], body.rigid->half[2]);
    if (length_at(center, point, body.dimension, reference) > 1e-6 * size)
      lines.vertices.insert(lines.vertices.end(), {center, point});
  }
}

void add_rods_and_joints(const Model& model, ConstVector reference, Drawing& drawing) {
  Drawable rods = lines_named("rods", "rod"), joints = lines_named("joints", "joint");
  for (const auto& constraint : model.parts().constraints) {
    for (const Link& link : constraint->links())
      for (const AffinePoint& end : link.ends) rods.vertices.push_back(affine_vertex(end));
    if (constraint->links().empty() && constraint->joint() != nullptr) add_joint(model, *constraint, reference, joints);
  }
  for (Drawable* lines : {&rods, &joints})
    if (!lines->vertices.empty()) drawing.drawables.push_back(std::move(*lines));
}

}  // namespace

std::vector<double> Drawing::reference() const {
  std::vector<double> all;
  for (const Body& body : bodies) {
    all.insert(all.end(), body.reference.begin(), body.reference.end());
    all.resize(index(body.first + body.size()), 0.0);
  }
  return all;
}

Drawing draw(std::vector<Body> bodies) {
  Drawing drawing;
  drawing.bodies = std::move(bodies);
  add_bodies(drawing);
  return drawing;
}

Drawing draw(const Model& model) {
  Drawing drawing = draw(model.bodies());
  if (drawing.drawables.empty()) return drawing;
  for (Drawable& drawable : drawing.drawables)
    drawable.obstacle = drawable.body >= 0 && is_obstacle(drawing.bodies[index(drawable.body)], model.parts().supports);
  draw_contact_shapes(model, drawing);
  const std::vector<double> reference = drawing.reference();
  add_springs(model, reference, drawing);
  add_rods_and_joints(model, reference, drawing);
  return drawing;
}

std::array<double, 3> position_of(const DrawnVertex& vertex, int dimension, ConstVector x) {
  std::array<double, 3> position = vertex.constant;
  for (std::size_t k = 0; k < vertex.node.size() && vertex.node[k] >= 0; ++k)
    for (int c = 0; c < dimension; ++c) position[index(c)] += vertex.weight[k] * x[index(vertex.node[k] + c)];
  return position;
}

std::vector<double> box_of(const Drawing& drawing, ConstVector x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> box = {infinity, infinity, infinity, -infinity, -infinity, -infinity};
  for (const Drawable& drawable : drawing.drawables)
    for (const DrawnVertex& vertex : drawable.vertices) {
      const auto p = position_of(vertex, drawing.bodies.front().dimension, x);
      for (std::size_t c = 0; c < 3; ++c) {
        box[c] = std::min(box[c], p[c]);
        box[3 + c] = std::max(box[3 + c], p[c]);
      }
    }
  return box[0] <= box[3] ? box : std::vector<double>(6, 0.0);
}

std::vector<float> drawn_positions(const Drawing& drawing, const Drawable& drawable, ConstVector x) {
  std::vector<float> positions;
  positions.reserve(3 * drawable.vertices.size());
  for (const DrawnVertex& vertex : drawable.vertices)
    for (const double c : position_of(vertex, drawing.bodies.front().dimension, x))
      positions.push_back(static_cast<float>(c));
  return positions;
}

std::vector<float> drawn_positions(const Drawing& drawing, ConstVector x) {
  std::vector<float> all;
  for (const Drawable& drawable : drawing.drawables) {
    const std::vector<float> own = drawn_positions(drawing, drawable, x);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace livens
