// What can be seen of a model: surfaces, points and lines whose vertices are weighted sums of nodes. Used by the
// viewer, exported files and the gallery.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <livens/model.hpp>

namespace livens {

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

// x = constant + sum weight_k x(node_k)
struct DrawnVertex {
  std::array<double, 3> constant{};            // m
  std::array<int, 4> node = {-1, -1, -1, -1};  // their first coordinates; -1: none
  std::array<double, 4> weight{};
};

struct Drawable {
  enum class Kind { surface, points, lines };
  Kind kind = Kind::surface;
  std::string name;
  std::string style;  // of lines: spring, rod, joint
  int body = -1;      // of Drawing::bodies; -1: of none or several
  bool solid = false;
  bool pullable = false;
  bool obstacle = false;  // moves as given: it is dragged, not pulled
  bool room = false;      // bodies are in it: its triangles face inwards, and those nearer to the eye hide nothing
  double radius = 0;      // m, of points
  std::vector<DrawnVertex> vertices;
  std::vector<std::uint32_t> triangles;  // 3 vertices each
  std::vector<std::uint8_t> edges;       // bit k: the side from corner k to the next is an edge of an element
  std::vector<int> element;              // of the body, that each triangle belongs to; empty for rigid bodies
};

struct Drawing {
  int dimension = 3;
  std::vector<Body> bodies;  // whose coordinates x the vertices refer to
  std::vector<Drawable> drawables;
  // Coordinates of the bodies from those of the model, where they are others (systems in generalised coordinates).
  std::function<std::vector<double>(ConstVector q)> coordinates;

  std::vector<double> reference() const;  // of all bodies
};

Drawing draw(const Model& model);
// Without springs, rods and joints: all that can be drawn from a recording alone.
Drawing draw(std::vector<Body> bodies);

std::array<double, 3> position_of(const DrawnVertex& vertex, int dimension, ConstVector x);
// The vertices of one drawable, or of all drawables in order: 3 numbers per vertex.
std::vector<float> drawn_positions(const Drawing& drawing, const Drawable& drawable, ConstVector x);
std::vector<float> drawn_positions(const Drawing& drawing, ConstVector x);

// Least x y z and largest x y z of all vertices; zeros if there are none.
std::vector<double> box_of(const Drawing& drawing, ConstVector x);

}  // namespace livens
