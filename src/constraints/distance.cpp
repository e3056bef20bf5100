// Rods without mass: two points keep their distance, (|d|^2 - l^2) / (2 l) = 0, which is |d| - l to first order.
#include <cmath>

#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"
#include "model/assembly.hpp"

namespace livens {
namespace {

BilinearEquation rod_equation(const AffinePoint& a, const AffinePoint& b, double length) {
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

}  // namespace

void add(Assembly& assembly, const Distance& rod, const std::string& name) {
  if (!(rod.length >= 0)) throw AssemblyError("length", "has to be above 0 m.");
  const auto ends = joint_ends(assembly, rod.bodies);
  AffinePoint points[2];
  for (std::size_t side = 0; side < 2; ++side) points[side] = point_of(assembly, ends[side], rod.ends[side], "ends");
  const double length = rod.length != 0 ? rod.length : length_of(points[0], points[1], assembly.q);
  if (!(length > 0)) throw AssemblyError("ends", "coincide: a rod needs a length. Use spherical.");
  add_equations(assembly, name, {rod_equation(points[0], points[1], length)}, ends, points[1], rod.enforcement);
}

void add(Assembly& assembly, const NeighbourDistances& rods, const std::string& name) {
  for (const int k : bodies_of(assembly, rods.body)) {
    const Body& body = assembly.parts.bodies[k];
    const auto& pairs = assembly.neighbours[body.name];
    if (pairs.empty())
      throw AssemblyError(
          "body", "'" + body.name + "' has no neighbours: use a layout that has some, or give bodies and ends.");
    const std::array both{JointEnd{k}, JointEnd{k}};
    for (const auto& pair : pairs) {
      AffinePoint ends[2];
      for (int side = 0; side < 2; ++side)
        for (int c = 0; c < body.dimension; ++c)
          ends[side].push_back({0, {{body.first + (side == 0 ? pair.i : pair.j) * body.dimension + c, 1.0}}});
      const double length = length_of(ends[0], ends[1], assembly.q);
      add_equations(assembly, name, {rod_equation(ends[0], ends[1], length)}, both, ends[1], rods.enforcement);
    }
  }
}

namespace {

void read_distance(const Settings& settings, const std::string& name, Assembly& assembly) {
  const Enforcement enforcement = enforcement_of(settings);
  if (!settings.given("bodies")) {
    if (settings.given("ends")) settings.refuse("bodies", "which bodies do the ends belong to?");
    return add(assembly, NeighbourDistances{settings.given("body") ? settings.text("body") : "", enforcement}, name);
  }
  const auto bodies = bodies_of_joint<2>(settings);
  if (!settings.given("ends")) settings.refuse("ends", "where on the bodies? Give two points.");
  add(assembly,
      Distance{bodies, ends_of_joint<2>(settings, assembly), settings.given("length") ? settings.number("length") : 0,
               enforcement},
      name);
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
  record.add = read_distance;
  return record;
}

}  // namespace livens
