// A point that stays on a plane, a sphere or a cylinder, of the ground or of another body.
#include <cmath>

#include "constraints/joints.hpp"

namespace livens {
namespace {

// (sum of squares) / (2 r) - r / 2: about the distance less r.
BilinearEquation round_surface(const std::vector<AffineForm>& across, double radius) {
  BilinearEquation equation;
  equation.offset.constant = -radius / 2;
  for (const AffineForm& form : across) equation.products.push_back({1 / (2 * radius), form, form});
  return equation;
}

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  const auto ends = joint_ends(settings, 2, assembly);
  if (!ends) return;
  const Place3 centre = place_of(settings, "center"), X = place_of(settings, "point");
  const auto surface = point_of(settings, "center", (*ends)[0], centre, assembly),
             point = point_of(settings, "point", (*ends)[1], X, assembly);
  if (!surface || !point) return;
  const std::string& shape = settings.text("surface");
  const AffinePoint d = *point - *surface;
  std::vector<BilinearEquation> equations;
  if (shape != "plane" && !settings.has("radius")) settings.refuse("radius", "is missing: a " + shape + " needs one.");
  if (shape == "sphere") {
    equations.push_back(round_surface(d, settings.number("radius")));
  } else {
    if (!settings.given("axis"))
      settings.refuse("axis", shape == "plane" ? "is missing: the normal of the plane."
                                               : "is missing: the direction of the cylinder.");
    const auto axis = axis_of(settings);
    if (!axis) return;
    const auto frame = frame_about(*axis);
    if (shape == "plane") {
      const auto normal = vector_of(settings, "bodies", (*ends)[0], frame[2], assembly);
      if (!normal) return;
      equations.push_back(dot_equation(*normal, d, 0));
    } else {  // |d|^2 - (axis.d)^2 is of fourth order on a body that turns: the cylinder belongs to the ground
      if (!(*ends)[0].ground())
        settings.refuse("bodies",
                        "a cylinder must belong to the ground. Use kind = \"expression\" for one that moves.");
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
      equations.push_back(round_surface(both, settings.number("radius")));
    }
  }
  add_constraint(settings, name, std::move(equations), *ends, *point, assembly);
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
       point_key(), of_length(key("axis", ValueType::vector, "-", "", "of the cylinder; normal of the plane"), {3}),
       positive(number_key("radius", "m", "", "of the sphere or cylinder"))});
  record.example =
      "constraint = [{ kind = 'point_on_surface', bodies = ['a', 'b'], surface = 'plane', center = [0.5, 0, 0], "
      "axis = [0, 1, 0.5], point = [0.9, 0, 0] }]";
  record.add = add;
  return record;
}

}  // namespace livens
