#include "constraints/joints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "constraints/penalty.hpp"
#include "records/suggest.hpp"

namespace livens {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string text_of(const double* x, int dimension) {
  std::string text = "(";
  for (int c = 0; c < dimension; ++c) {
    char number[32];
    std::snprintf(number, sizeof number, "%.6g", x[c]);
    text += (c > 0 ? ", " : "") + std::string(number);
  }
  return text + ") m";
}

AffinePoint constant_point(const Place3& X, int dimension) {
  AffinePoint point(at(dimension));
  for (int c = 0; c < dimension; ++c) point[at(c)].constant = X[at(c)];
  return point;
}

AffinePoint weighted(const Body& body, const std::array<double, 4>& weights) {
  AffinePoint point(3);
  for (std::size_t c = 0; c < 3; ++c)
    for (int a = 0; a < 4; ++a)
      if (weights[at(a)] != 0) point[c].terms.push_back({body.first + 3 * a + static_cast<int>(c), weights[at(a)]});
  return point;
}

// The node that starts nearest to X, and how far it is.
std::pair<int, double> nearest(const Body& body, const Place3& X, ConstVector q) {
  std::pair<int, double> best{0, -1};
  for (int a = 0; a < body.nodes; ++a) {
    double square = 0;
    for (int c = 0; c < body.dimension; ++c) {
      const double d = q[at(body.first + a * body.dimension + c)] - X[at(c)];
      square += d * d;
    }
    if (best.second < 0 || square < best.second) best = {a, square};
  }
  return {best.first, std::sqrt(best.second)};
}

double extent(const Body& body) {
  double largest = 0;
  for (int a = 1; a < body.nodes; ++a)
    for (int c = 0; c < body.dimension; ++c)
      largest = std::max(largest, std::abs(body.reference[at(a * body.dimension + c)] - body.reference[at(c)]));
  return largest;
}

}  // namespace

std::optional<std::vector<JointEnd>> joint_ends(const Settings& settings, std::size_t count, Assembly& assembly) {
  const auto& names = settings.names("bodies");
  if (names.empty() || names.size() != count) {
    if (names.empty()) count = 1;
    settings.refuse("bodies", "expected " + std::to_string(count) + (count == 1 ? " body or more" : " bodies") +
                                  ", found " + std::to_string(names.size()) + "; \"ground\" counts as one.");
    return std::nullopt;
  }
  std::vector<JointEnd> ends;
  std::vector<std::string> known{"ground"};
  for (const Body& body : assembly.parts.bodies) known.push_back(body.name);
  for (const std::string& name : names) {
    JointEnd end;
    const auto& bodies = assembly.parts.bodies;
    const auto it = std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == name; });
    if (it != bodies.end())
      end.body = static_cast<int>(it - bodies.begin());
    else if (name != "ground") {
      settings.refuse("bodies", "no body '" + name + "'." + suggestion(name, known, "There are"));
      return std::nullopt;
    }
    ends.push_back(end);
  }
  if (std::all_of(ends.begin(), ends.end(), [](const JointEnd& end) { return end.ground(); })) {
    settings.refuse("bodies", "connects the ground with itself: nothing moves there.");
    return std::nullopt;
  }
  return ends;
}

std::optional<AffinePoint> point_of(const Settings& settings, const std::string& key, const JointEnd& end,
                                    const Place3& X, Assembly& assembly) {
  const int dimension = assembly.dimension();
  if (end.ground()) return constant_point(X, dimension);
  const Body& body = assembly.parts.bodies[at(end.body)];
  if (body.rigid) return weighted(body, body.rigid->point(X));
  if (body.dimension == 0) {
    settings.refuse("bodies", "'" + body.name + "' has generalised coordinates and no points.");
    return std::nullopt;
  }
  const auto [node, distance] = nearest(body, X, assembly.q);
  const int first = body.first + node * body.dimension;
  if (distance > 1e-6 * std::max(extent(body), 1e-3)) {
    settings.refuse(key, "'" + body.name + "' has no node at " + text_of(X.data(), body.dimension) +
                             " at the start; the nearest is at " + text_of(assembly.q.data() + first, body.dimension) +
                             ".");
    return std::nullopt;
  }
  AffinePoint point(at(body.dimension));
  for (int c = 0; c < body.dimension; ++c) point[at(c)].terms = {{first + c, 1.0}};
  return point;
}

std::optional<AffinePoint> vector_of(const Settings& settings, const std::string& key, const JointEnd& end,
                                     const Place3& D, Assembly& assembly) {
  if (end.ground()) return constant_point(D, assembly.dimension());
  const Body& body = assembly.parts.bodies[at(end.body)];
  if (body.rigid) return weighted(body, body.rigid->vector(D));
  settings.refuse(key, "'" + body.name +
                           "' has no orientation: joints with an axis connect rigid bodies and the ground. Attach the "
                           "nodes to a rigid body (kind = \"attachment\") and join that.");
  return std::nullopt;
}

Place3 place_of(const Settings& settings, const std::string& key) {
  Place3 place{0, 0, 0};
  const auto& numbers = settings.vector(key);
  std::copy_n(numbers.begin(), std::min<std::size_t>(3, numbers.size()), place.begin());
  return place;
}

std::array<Place3, 3> frame_about(const Place3& axis) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  const Place3 e{axis[0] / length, axis[1] / length, axis[2] / length};
  // The world axis that is most across gives the first.
  std::size_t across = 0;
  for (std::size_t c = 1; c < 3; ++c)
    if (std::abs(e[c]) < std::abs(e[across])) across = c;
  Place3 u{-e[across] * e[0], -e[across] * e[1], -e[across] * e[2]};
  u[across] += 1;
  const double norm = std::hypot(u[0], u[1], u[2]);
  for (double& x : u) x /= norm;
  const Place3 w{e[1] * u[2] - e[2] * u[1], e[2] * u[0] - e[0] * u[2], e[0] * u[1] - e[1] * u[0]};
  return {u, w, e};
}

std::optional<Place3> axis_of(const Settings& settings) {
  const Place3 axis = place_of(settings, "axis");
  if (std::hypot(axis[0], axis[1], axis[2]) > 0) return axis;
  settings.refuse("axis", "has no length.");
  return std::nullopt;
}

Parameter bodies_key(const std::string& brief) { return required(key("bodies", ValueType::names, "-", "", brief)); }

Parameter point_key() {
  return required(of_length(key("point", ValueType::vector, "m", "", "where it is at the start"), {2, 3}));
}

Parameter axis_key() {
  return required(of_length(key("axis", ValueType::vector, "-", "", "its direction at the start"), {3}));
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
  return parameters;
}

std::optional<double> penalty_of(const Settings& settings) {
  if (settings.text("enforcement") == "multiplier") {
    if (settings.given("penalty_stiffness"))
      settings.refuse("penalty_stiffness", "has no effect with enforcement = \"multiplier\".");
    return std::nullopt;
  }
  if (!settings.has("penalty_stiffness")) {
    settings.refuse("penalty_stiffness",
                    "is required with enforcement = \"" + settings.text("enforcement") + "\": how stiff?");
    return 0;
  }
  return settings.number("penalty_stiffness");
}

void add_constraint(const Settings& settings, std::shared_ptr<Constraint> constraint, Assembly& assembly) {
  const auto stiffness = penalty_of(settings);
  if (stiffness && settings.text("enforcement") == "penalty") {
    assembly.parts.terms.push_back(make_penalty(std::move(constraint), *stiffness));
    return;
  }
  if (stiffness) constraint->enforcement = {Enforcement::Kind::augmented, *stiffness};
  assembly.parts.constraints.push_back(std::move(constraint));
}

void add_constraint(const Settings& settings, const std::string& name, std::vector<BilinearEquation> equations,
                    const std::vector<JointEnd>& ends, const AffinePoint& place, Assembly& assembly) {
  const bool free = std::none_of(ends.begin(), ends.end(), [](const JointEnd& end) { return end.ground(); });
  // Reactions are told on the last body that is not the ground.
  std::optional<BilinearConstraint::Joint> joint;
  for (const JointEnd& end : ends)
    if (!end.ground()) {
      const Body& body = assembly.parts.bodies[at(end.body)];
      joint = BilinearConstraint::Joint{body.first, body.first + body.size(), place};
    }
  add_constraint(settings,
                 std::make_shared<BilinearConstraint>(name, std::move(equations), Invariance{free, free}, joint),
                 assembly);
}

void append_equal(const AffinePoint& a, const AffinePoint& b, std::vector<BilinearEquation>& equations) {
  for (const AffineForm& form : a - b) equations.push_back({form, {}, {}});
}

void append_dot(const AffinePoint& a, const AffinePoint& b, ConstVector q, std::vector<BilinearEquation>& equations) {
  double value = 0;
  for (std::size_t c = 0; c < a.size(); ++c) value += a[c].value(q) * b[c].value(q);
  equations.push_back(dot_equation(a, b, value));
}

void append_axis_in_common(const JointParts& joint, ConstVector q, std::vector<BilinearEquation>& equations) {
  const AffinePoint slid = joint.point[1] - joint.point[0];
  for (std::size_t k : {0u, 1u}) {
    append_dot(joint.frame[0][k], joint.frame[1][2], q, equations);
    append_dot(joint.frame[0][k], slid, q, equations);
  }
}

std::optional<JointParts> read_joint(const Settings& settings, bool oriented, Assembly& assembly) {
  JointParts parts;
  const auto ends = joint_ends(settings, 2, assembly);
  if (!ends) return std::nullopt;
  parts.ends = *ends;
  if (parts.ends[0].body == parts.ends[1].body && assembly.parts.bodies[at(parts.ends[0].body)].rigid)
    settings.refuse("bodies", "connects a rigid body with itself.");
  if (static_cast<int>(settings.vector("point").size()) != assembly.dimension())
    settings.refuse("point", "needs " + std::to_string(assembly.dimension()) + " coordinates, as the bodies have.");
  const Place3 X = place_of(settings, "point");
  std::array<Place3, 3> frame{};
  if (oriented) {
    const auto axis = axis_of(settings);
    if (!axis) return std::nullopt;
    if (assembly.dimension() != 3) settings.refuse("axis", "joints with an axis are for bodies in space.");
    frame = frame_about(*axis);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const auto point = point_of(settings, "point", parts.ends[side], X, assembly);
    if (!point) return std::nullopt;
    parts.point[side] = *point;
    for (std::size_t k = 0; k < 3 && oriented; ++k) {
      const auto vector = vector_of(settings, "bodies", parts.ends[side], frame[k], assembly);
      if (!vector) return std::nullopt;
      parts.frame[side][k] = *vector;
    }
  }
  return parts;
}

}  // namespace livens
