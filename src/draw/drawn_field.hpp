// Fields of bodies as values on what is drawn.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "draw/drawing.hpp"
#include "files/fields.hpp"

namespace livens {

// Values of one field: one list per body, empty where the body has none.
struct FieldValues {
  bool per_cell = false;  // one value per element, otherwise one per node
  int components = 1;
  std::vector<std::vector<float>> of_body;
};

// One number per vertex, or per triangle if the field has one value per element; the length of vectors, the von Mises
// equivalent of stresses; NaN where there is none. One list per drawable, or all of them in order.
std::vector<std::vector<float>> drawn_values_by_drawable(const Drawing& drawing, const FieldValues& field);
std::vector<float> drawn_values(const Drawing& drawing, const FieldValues& field);
// Three numbers per vertex, of fields that are vectors at nodes.
std::vector<float> drawn_vectors(const Drawing& drawing, const FieldValues& field);
// How many numbers drawn_values gives.
std::size_t drawn_value_count(const Drawing& drawing, bool per_cell);

// Least and largest finite number.
struct FieldRange {
  double least = std::numeric_limits<double>::infinity(), largest = -std::numeric_limits<double>::infinity();
  void add(std::span<const float> values);
  bool empty() const { return !(least <= largest); }
};

// A field that can be drawn.
struct DrawnField {
  std::string name;
  std::string source;  // the field it is read or computed from: stress for von_mises
  std::string unit;
  bool per_cell = false, vectors = false;
  FieldRange range = {};
};
DrawnField drawn_field(const FieldRecord& record);

}  // namespace livens
