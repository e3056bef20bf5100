#include "draw/drawn_field.hpp"

#include <algorithm>
#include <cmath>

namespace livens {
namespace {

constexpr float none = std::numeric_limits<float>::quiet_NaN();

// sqrt(3/2 dev(s) : dev(s)) of xx yy zz xy yz zx
double von_mises_of(const float* s) {
  const double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
  const double shear = double{s[3]} * s[3] + double{s[4]} * s[4] + double{s[5]} * s[5];
  return std::sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * shear);
}

float size_of(const float* value, int components) {
  if (components == 1) return value[0];
  if (components == 6) return static_cast<float>(von_mises_of(value));
  double sum = 0;
  for (int c = 0; c < components; ++c) sum += double{value[c]} * value[c];
  return static_cast<float>(std::sqrt(sum));
}

bool is_vector(const Drawing& drawing, const FieldValues& field) {
  return !field.per_cell && !drawing.bodies.empty() && field.components == drawing.bodies.front().dimension;
}

// A field of vectors as a number for each coordinate, NaN where there is none.
std::vector<double> by_coordinate(const Drawing& drawing, const FieldValues& field) {
  std::vector<double> all;
  for (std::size_t k = 0; k < drawing.bodies.size(); ++k) {
    const auto& values = field.of_body[k];
    const auto size = index(drawing.bodies[k].size());
    if (values.size() == size)
      all.insert(all.end(), values.begin(), values.end());
    else
      all.resize(all.size() + size, std::numeric_limits<double>::quiet_NaN());
  }
  return all;
}

// A weighted sum without the constant: how the vertex moves with its nodes.
std::array<double, 3> vector_of(const DrawnVertex& vertex, int dimension, ConstVector values) {
  DrawnVertex moving = vertex;
  moving.constant = {};
  return position_of(moving, dimension, values);
}

std::vector<float> scalars_of(const Drawing& drawing, const Drawable& drawable, const FieldValues& field) {
  const bool cells = field.per_cell && drawable.kind == Drawable::Kind::surface;
  const std::size_t count = cells ? drawable.edges.size() : drawable.vertices.size();
  std::vector<float> out(count, none);
  const std::vector<float>* values = drawable.body >= 0 ? &field.of_body[index(drawable.body)] : nullptr;
  const bool known = values != nullptr && !values->empty() && (cells ? !drawable.element.empty() : !field.per_cell);
  for (std::size_t k = 0; known && k < count; ++k) {
    const Body& body = drawing.bodies[index(drawable.body)];
    const DrawnVertex* vertex = cells ? nullptr : &drawable.vertices[k];
    if (vertex != nullptr && (vertex->node[0] < 0 || vertex->node[1] >= 0)) continue;  // between nodes
    const int place = cells ? drawable.element[k] : (vertex->node[0] - body.first) / body.dimension;
    const std::size_t at = index(place) * index(field.components);
    if (at + index(field.components) <= values->size()) out[k] = size_of(values->data() + at, field.components);
  }
  return out;
}

}  // namespace

std::vector<std::vector<float>> drawn_values_by_drawable(const Drawing& drawing, const FieldValues& field) {
  std::vector<std::vector<float>> all;
  const std::vector<double> vectors = is_vector(drawing, field) ? by_coordinate(drawing, field) : std::vector<double>{};
  for (const Drawable& drawable : drawing.drawables) {
    if (!is_vector(drawing, field)) {
      all.push_back(scalars_of(drawing, drawable, field));
      continue;
    }
    all.emplace_back();
    for (const DrawnVertex& vertex : drawable.vertices) {
      const auto u = vector_of(vertex, field.components, vectors);
      all.back().push_back(static_cast<float>(std::hypot(u[0], u[1], u[2])));
    }
  }
  return all;
}

std::vector<float> drawn_values(const Drawing& drawing, const FieldValues& field) {
  std::vector<float> all;
  for (const auto& own : drawn_values_by_drawable(drawing, field)) all.insert(all.end(), own.begin(), own.end());
  return all;
}

std::vector<float> drawn_vectors(const Drawing& drawing, const FieldValues& field) {
  const bool vectors = is_vector(drawing, field);
  const std::vector<double> values = vectors ? by_coordinate(drawing, field) : std::vector<double>{};
  std::vector<float> all;
  for (const Drawable& drawable : drawing.drawables)
    for (const DrawnVertex& vertex : drawable.vertices)
      for (const double c :
           vectors ? vector_of(vertex, field.components, values) : std::array<double, 3>{none, none, none})
        all.push_back(static_cast<float>(c));
  return all;
}

std::size_t drawn_value_count(const Drawing& drawing, bool per_cell) {
  std::size_t count = 0;
  for (const Drawable& drawable : drawing.drawables)
    count += per_cell && drawable.kind == Drawable::Kind::surface ? drawable.edges.size() : drawable.vertices.size();
  return count;
}

void FieldRange::add(std::span<const float> values) {
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    least = std::min(least, double{value});
    largest = std::max(largest, double{value});
  }
}

DrawnField drawn_field(const FieldRecord& record) {
  return {record.name, record.name, record.unit, record.per_cell, record.components == 0};
}

}  // namespace livens
