// What of a model can be seen, as surfaces, points and lines whose vertices are weighted sums of nodes, and the bytes
// that the viewer's page gets of them (docs/view_protocol.md). Used for finished runs, live sessions and exported
// pages.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <livens/model.hpp>

namespace livens {

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
  double radius = 0;  // m, of points
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
  std::size_t positions_bytes() const;    // of one frame
};

Drawing draw(const Model& model);
// Without springs, rods and joints: all that a recording alone knows.
Drawing draw(std::vector<Body> bodies);

// Values of one field: for every body a list, empty where it has none.
struct FieldValues {
  bool per_cell = false;  // one value an element, otherwise one a node
  int components = 1;
  std::vector<std::vector<float>> of_body;
};

std::array<double, 3> position_of(const DrawnVertex& vertex, int dimension, ConstVector x);

// Least x y z and largest x y z of all vertices; zeros if there are none.
std::vector<double> box_of(const Drawing& drawing, ConstVector x);

std::string mesh_bytes(const Drawing& drawing);
void append_positions(const Drawing& drawing, ConstVector x, std::string& bytes);
// One number a vertex, or a triangle of surfaces if the field has values of elements; of vectors their length, of
// stresses the equivalent one of von Mises; NaN where there is none.
void append_field(const Drawing& drawing, const FieldValues& field, std::string& bytes);
// Three numbers a vertex, of fields that are vectors at nodes.
void append_arrows(const Drawing& drawing, const FieldValues& field, std::string& bytes);

// Least and largest finite number of a field as append_field writes it.
struct FieldRange {
  double least = std::numeric_limits<double>::infinity(), largest = -std::numeric_limits<double>::infinity();
  void add(const std::string& field_bytes);
};

template <class T>
void append_bytes(const T* values, std::size_t count, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

}  // namespace livens
