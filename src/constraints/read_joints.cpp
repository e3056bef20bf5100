#include "constraints/read_joints.hpp"

#include <algorithm>
#include <cmath>

#include "constraints/penalty.hpp"

namespace livens {

Parameter bodies_key(const std::string& brief) { return required(key("bodies", ValueType::names, "-", "", brief)); }

Parameter point_key() {
  return required(of_length(key("point", ValueType::vector, "m", "", "where it is at the start"), {2, 3}));
}

Parameter axis_key() {
  return required(of_length(key("axis", ValueType::vector, "-", "", "its direction at the start"), {3}));
}

Parameter axis_of_space_key() {
  Parameter axis = axis_key();
  axis.required = false;
  axis.brief += "; in the plane it is that of z, and not given";
  return axis;
}

Parameter ends_key(const std::string& brief) {
  Parameter ends = required(key("ends", ValueType::table, "m", "", brief));
  ends.choices = {"list"};
  return ends;
}

std::vector<Parameter> with_enforcement(std::vector<Parameter> parameters) {
  parameters.push_back(one_of(key("enforcement", ValueType::name, "-", "multiplier",
                                  "by Lagrange multipliers, by a penalty k |g|^2 / 2, or by augmented Lagrangians"),
                              {"multiplier", "penalty", "augmented"}));
  parameters.push_back(
      positive(number_key("penalty_stiffness", "N/m", "", "k of penalties and augmented Lagrangians")));
  parameters.push_back(
      bounded(number_key("damping_time", "s", "0",
                         "of penalties: the force -damping_time k dg/dt along each equation's gradient"),
              0));
  return parameters;
}

Enforcement enforcement_of(const Settings& settings) {
  Enforcement enforcement;
  const std::string& kind = settings.text("enforcement");
  if (kind == "penalty") enforcement.kind = Enforcement::Kind::penalty;
  if (kind == "augmented") enforcement.kind = Enforcement::Kind::augmented;
  if (settings.has("penalty_stiffness")) enforcement.stiffness = settings.number("penalty_stiffness");
  return enforcement;
}

namespace {

// g of points that coincide, or of a x b, turns with the bodies: away from g = 0 its rate in a rotation is not 0, and
// damping that has a moment. Looked at where nothing holds.
Invariance kept_by_damping(const Constraint& constraint, const Assembly& assembly) {
  Invariance keeps = constraint.invariance();
  if (!keeps.rotations) return keeps;
  const Vec3 omega = {0.3, -0.5, 0.7};
  std::vector<double> q = assembly.q, v(q.size(), 0.0);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.1 * std::sin(1.0 + 3.7 * static_cast<double>(i));
  for (const Body& body : assembly.parts.bodies)
    for (int i = body.first; body.dimension > 0 && i < body.first + body.size(); i += body.dimension) {
      const double x[3] = {q[i], q[i + 1], body.dimension == 3 ? q[i + 2] : 0};
      v[i] = (body.dimension == 3 ? omega[1] * x[2] : 0) - omega[2] * x[1];
      v[i + 1] = omega[2] * x[0] - (body.dimension == 3 ? omega[0] * x[2] : 0);
      if (body.dimension == 3) v[i + 2] = omega[0] * x[1] - omega[1] * x[0];
    }
  std::vector<double> rate(static_cast<std::size_t>(constraint.count())), second(rate.size()), size(rate.size());
  constraint.rates(assembly.t_begin, q, v, rate, second);
  constraint.magnitude(assembly.t_begin, q, size);
  for (std::size_t k = 0; k < rate.size(); ++k)
    keeps.rotations = keeps.rotations && std::abs(rate[k]) <= 1e-9 * size[k];
  return keeps;
}

}  // namespace

void read_penalty_damping(const Settings& settings, std::size_t first, Assembly& assembly) {
  const double time = settings.has("damping_time") ? settings.number("damping_time") : 0;
  if (time == 0) return;
  if (settings.text("enforcement") != "penalty")
    settings.refuse("damping_time",
                    "is for enforcement = \"penalty\": a constraint that holds exactly has no rate to damp.");
  for (std::size_t k = first; k < assembly.parts.terms.size(); ++k) {
    const auto& penalty = static_cast<const PenaltyTerm&>(*assembly.parts.terms[k]);
    if (penalty.constraint()->depends_on_time())
      settings.refuse(
          "damping_time",
          "is for constraints that stay: of one that moves the damping would do work, which no ledger tells "
          "from what it takes. Damp the bodies, with a damper or strain_damping.");
    assembly.parts.forces.push_back(make_penalty_damping(penalty.constraint(), time * penalty.stiffness(),
                                                         kept_by_damping(*penalty.constraint(), assembly)));
  }
}

std::vector<std::string> read_bodies(const Settings& settings, std::size_t count) {
  const auto& names = settings.names("bodies");
  if (names.size() == count) return names;
  settings.refuse("bodies", "expected " + std::to_string(count) + (count == 1 ? " body" : " bodies") + ", found " +
                                std::to_string(names.size()) + (count == 1 ? "." : "; \"ground\" counts as one."));
}

void refuse_enforcement_of_nodes(const Settings& settings) {
  const char* const why =
      "has no effect on a selection: nodes that are held or moved are eliminated from the equations, without "
      "multipliers or penalties. Leave it out";
  if (settings.text("enforcement") != "multiplier") settings.refuse("enforcement", why + std::string("."));
  for (const char* key : {"penalty_stiffness", "damping_time"})
    if (settings.given(key)) settings.refuse(key, why + std::string("."));
}

Vec3 place_of(const Settings& settings, const std::string& key) {
  Vec3 place{0, 0, 0};
  const auto& numbers = settings.vector(key);
  std::copy_n(numbers.begin(), std::min<std::size_t>(3, numbers.size()), place.begin());
  return place;
}

Vec3 point_of_joint(const Settings& settings, const Assembly& assembly) {
  if (static_cast<int>(settings.vector("point").size()) != assembly.dimension())
    settings.refuse("point", "needs " + std::to_string(assembly.dimension()) + " coordinates, as the bodies have.");
  return place_of(settings, "point");
}

Vec3 axis_of_space(const Settings& settings, const Assembly& assembly) {
  if (settings.given("axis")) return place_of(settings, "axis");
  if (assembly.dimension() == 3) settings.refuse("axis", "is missing: its direction at the start, in space.");
  return {};
}

}  // namespace livens
