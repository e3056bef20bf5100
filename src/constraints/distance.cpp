// Rods without mass: two points keep their distance, (|d|^2 - l^2) / (2 l) = 0, which is |d| - l to first order.
#include <cmath>

#include "constraints/joints.hpp"

namespace livens {
namespace {

BilinearEquation rod(const AffinePoint& a, const AffinePoint& b, double length) {
  const AffinePoint d = b - a;
  BilinearEquation equation = dot_equation(d, d, length * length);
  for (Product& product : equation.products) product.factor /= 2 * length;
  equation.offset.constant /= 2 * length;
  return equation;
}

double length_of(const AffinePoint& a, const AffinePoint& b, ConstVector q) {
  double square = 0;
  for (const AffineForm& form : b - a) square += form.value(q) * form.value(q);
  return std::sqrt(square);
}

// Between all neighbours of a body of particles.
void add_neighbours(const Settings& settings, const std::string& name, Assembly& assembly) {
  for (const int k : bodies_of(settings, assembly)) {
    const Body& body = assembly.parts.bodies[k];
    const auto& pairs = assembly.neighbours[body.name];
    if (pairs.empty())
      settings.refuse("body",
                      "'" + body.name + "' has no neighbours: use a layout that has some, or give bodies and ends.");
    for (const auto& pair : pairs) {
      AffinePoint ends[2];
      for (int side = 0; side < 2; ++side)
        for (int c = 0; c < body.dimension; ++c)
          ends[side].push_back({0, {{body.first + (side == 0 ? pair.i : pair.j) * body.dimension + c, 1.0}}});
      add_constraint(settings, name, {rod(ends[0], ends[1], length_of(ends[0], ends[1], assembly.q))}, {{k}, {k}},
                     ends[1], assembly);
    }
  }
}

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  if (!settings.given("bodies")) {
    if (settings.given("ends")) settings.refuse("bodies", "which bodies do the ends belong to?");
    return add_neighbours(settings, name, assembly);
  }
  const auto ends = joint_ends(settings, 2, assembly);
  if (!ends) return;
  if (!settings.given("ends")) settings.refuse("ends", "where on the bodies? Give two points.");
  const auto places = read_places(settings, "ends", 2, assembly.dimension());
  AffinePoint points[2];
  for (std::size_t side = 0; side < 2; ++side) {
    const auto point = point_of(settings, "ends", (*ends)[side], places[side], assembly);
    if (!point) return;
    points[side] = *point;
  }
  const double length =
      settings.given("length") ? settings.number("length") : length_of(points[0], points[1], assembly.q);
  if (!(length > 0)) settings.refuse("ends", "coincide: a rod needs a length. Use spherical.");
  add_constraint(settings, name, {rod(points[0], points[1], length)}, *ends, points[1], assembly);
}

}  // namespace

ConstraintRecord distance_record() {
  ConstraintRecord record;
  record.name = "distance";
  record.brief = "massless rod between two points, or between all neighbours of a body (1 equation each)";
  Parameter bodies = bodies_key();
  Parameter ends = ends_key("its ends at the start, one on each body");
  bodies.required = ends.required = false;
  record.parameters = with_enforcement(
      {bodies, ends, key("body", ValueType::name, "-", "", "particles to be linked with their neighbours"),
       positive(number_key("length", "m", "", "of the rod; default: as at the start"))});
  record.example = "constraint = [{ kind = 'distance', bodies = ['a', 'b'], ends = [[0.2, 0, 0.1], [0.8, 0.3, 0.2]] }]";
  record.add = add;
  return record;
}

}  // namespace livens
