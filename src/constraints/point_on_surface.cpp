// A point that stays on a plane, a sphere or a cylinder, of the ground or of another body.
#include <cmath>

#include "constraints/joints.hpp"
#include "constraints/read_joints.hpp"

namespace livens {
namespace {

// (sum of squares) / (2 r) - r / 2: about the distance less r.
BilinearEquation round_surface(const std::vector<AffineForm>& across, double radius) {
  BilinearEquation equation;
  equation.offset.constant = -radius / 2;
  for (const AffineForm& form : across) equation.products.push_back({1 / (2 * radius), form, form});
  return equation;
}

// |d|^2 - (axis.d)^2 is of fourth order on a body that turns: the cylinder belongs to the ground, and d has two fixed
// directions across.
BilinearEquation cylinder(const AffinePoint& d, const std::array<Vec3, 3>& frame, double radius) {
  std::vector<AffineForm> both;
  for (std::size_t k : {0u, 1u}) {
    AffineForm across;
    for (std::size_t c = 0; c < d.size(); ++c) {
      across.constant += frame[k][c] * d[c].constant;
      for (const auto& [i, weight] : d[c].terms)
        if (frame[k][c] != 0) across.terms.push_back({i, frame[k][c] * weight});
    }
    both.push_back(std::move(across));
  }
  return round_surface(both, radius);
}

}  // namespace

void add(Assembly& assembly, const PointOnSurface& constraint, const std::string& name) {
  using Surface = PointOnSurface::Surface;
  const Surface surface = constraint.surface;
  const auto ends = joint_ends(assembly, constraint.bodies);
  const AffinePoint center = point_of(assembly, ends[0], constraint.center, "center"),
                    point = point_of(assembly, ends[1], constraint.point, "point"), d = point - center;
  if (surface != Surface::plane && !(constraint.radius > 0))
    throw AssemblyError(
        "radius", std::string("is missing: a ") + (surface == Surface::sphere ? "sphere" : "cylinder") + " needs one.");
  std::vector<BilinearEquation> equations;
  if (surface == Surface::sphere) {
    equations.push_back(round_surface(d, constraint.radius));
  } else {
    const auto frame = frame_about(constraint.axis);
    if (surface == Surface::cylinder && !ends[0].ground())
      throw AssemblyError("bodies",
                          "a cylinder must belong to the ground. Use kind = \"expression\" for one that moves.");
    const Vec3& axis = constraint.axis;
    const bool in_plane = axis[2] == 0, along_z = axis[0] == 0 && axis[1] == 0;
    if (assembly.dimension() == 2 && !(surface == Surface::plane ? in_plane : along_z))
      throw AssemblyError("axis", surface == Surface::plane
                                      ? "of bodies in the plane the normal lies in it: expected 2 components."
                                      : "of bodies in the plane a cylinder is a circle: use surface = \"sphere\".");
    equations.push_back(surface == Surface::plane ? dot_equation(vector_of(assembly, ends[0], frame[2]), d, 0)
                                                  : cylinder(d, frame, constraint.radius));
  }
  add_equations(assembly, name, std::move(equations), ends, point, constraint.enforcement);
}

namespace {

void read_point_on_surface(const Settings& settings, const std::string& name, Assembly& assembly) {
  PointOnSurface constraint;
  constraint.bodies = bodies_of_joint<2>(settings);
  const std::string& shape = settings.text("surface");
  constraint.surface = shape == "plane"    ? PointOnSurface::Surface::plane
                       : shape == "sphere" ? PointOnSurface::Surface::sphere
                                           : PointOnSurface::Surface::cylinder;
  constraint.center = place_of(settings, "center");
  constraint.point = place_of(settings, "point");
  if (settings.has("radius")) constraint.radius = settings.number("radius");
  if (settings.given("axis"))
    constraint.axis = place_of(settings, "axis");
  else if (shape != "sphere")
    settings.refuse("axis", shape == "plane" ? "is missing: the normal of the plane."
                                             : "is missing: the direction of the cylinder.");
  constraint.enforcement = enforcement_of(settings);
  add(assembly, constraint, name);
}

}  // namespace

ConstraintRecord point_on_surface_record() {
  ConstraintRecord record;
  record.name = "point_on_surface";
  record.brief = "a point of the second body stays on a plane, sphere or cylinder of the first (1 equation)";
  record.parameters = with_enforcement(
      {bodies_key("the body with the surface, for example \"ground\", and the body with the point"),
       required(one_of(key("surface", ValueType::name, "-", "", "its shape"), {"plane", "sphere", "cylinder"})),
       required(of_length(key("center", ValueType::vector, "m", "",
                              "of the sphere, or a point of the plane or of the cylinder's axis"),
                          {2, 3})),
       point_key(), of_length(key("axis", ValueType::vector, "-", "", "of the cylinder; normal of the plane"), {2, 3}),
       positive(number_key("radius", "m", "", "of the sphere or cylinder"))});
  record.example =
      "constraint = [{ kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'plane', center = [0.5, 0, 0], "
      "axis = [0, 1, 0.5], point = [0.9, 0, 0] }]";
  record.add = read_point_on_surface;
  return record;
}

}  // namespace livens
