#include "constraints/joints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "constraints/penalty.hpp"
#include "records/parameter.hpp"
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

int dimension_of(const Build& build) { return build.parts.bodies.front().dimension; }

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

std::optional<std::vector<JointEnd>> joint_ends(const Settings& settings, std::size_t count, Build& build) {
  const auto& names = settings.names("bodies");
  if (names.empty() || names.size() != count) {
    if (names.empty()) count = 1;
    build.fail(settings, "bodies",
               "expected " + std::to_string(count) + (count == 1 ? " body or more" : " bodies") + ", found " +
                   std::to_string(names.size()) + "; \"ground\" counts as one.");
    return std::nullopt;
  }
  std::vector<JointEnd> ends;
  std::vector<std::string> known{"ground"};
  for (const Body& body : build.parts.bodies) known.push_back(body.name);
  for (const std::string& name : names) {
    JointEnd end;
    const auto& bodies = build.parts.bodies;
    const auto it = std::find_if(bodies.begin(), bodies.end(), [&](const Body& b) { return b.name == name; });
    if (it != bodies.end())
      end.body = static_cast<int>(it - bodies.begin());
    else if (name != "ground") {
      build.fail(settings, "bodies", "no body '" + name + "'." + suggestion(name, known, "There are"));
      return std::nullopt;
    }
    ends.push_back(end);
  }
  if (std::all_of(ends.begin(), ends.end(), [](const JointEnd& end) { return end.ground(); })) {
    build.fail(settings, "bodies", "connects the ground with itself: nothing moves there.");
    return std::nullopt;
  }
  return ends;
}

std::optional<AffinePoint> point_of(const Settings& settings, const std::string& key, const JointEnd& end,
                                    const Place3& X, Build& build) {
  const int dimension = dimension_of(build);
  if (end.ground()) return constant_point(X, dimension);
  const Body& body = build.parts.bodies[at(end.body)];
  if (body.rigid) return weighted(body, body.rigid->point(X));
  if (body.dimension == 0) {
    build.fail(settings, "bodies", "'" + body.name + "' has generalised coordinates and no points.");
    return std::nullopt;
  }
  const auto [node, distance] = nearest(body, X, build.q);
  const int first = body.first + node * body.dimension;
  if (distance > 1e-6 * std::max(extent(body), 1e-3)) {
    build.fail(settings, key,
               "'" + body.name + "' has no node at " + text_of(X.data(), body.dimension) +
                   " at the start; the nearest is at " + text_of(build.q.data() + first, body.dimension) + ".");
    return std::nullopt;
  }
  AffinePoint point(at(body.dimension));
  for (int c = 0; c < body.dimension; ++c) point[at(c)].terms = {{first + c, 1.0}};
  return point;
}

std::optional<AffinePoint> vector_of(const Settings& settings, const std::string& key, const JointEnd& end,
                                     const Place3& D, Build& build) {
  if (end.ground()) return constant_point(D, dimension_of(build));
  const Body& body = build.parts.bodies[at(end.body)];
  if (body.rigid) return weighted(body, body.rigid->vector(D));
  build.fail(settings, key,
             "'" + body.name +
                 "' has no orientation: joints with an axis connect rigid bodies and the ground. Attach the "
                 "nodes to a rigid body (kind = \"attachment\") and join that.");
  return std::nullopt;
}

std::optional<std::vector<Place3>> places_of(const Settings& settings, const std::string& key, std::size_t count,
                                             Build& build) {
  const Node& list = *settings.nodes.at(key);
  const auto refuse = [&](const Place& place, const std::string& message) {
    build.faults.push_back({place, settings.path + "." + key, message});
    return std::nullopt;
  };
  if (list.kind != Node::Kind::array || list.items.size() != count)
    return refuse(list.place, "expected a list of " + std::to_string(count) +
                                  " points, each a list of numbers (m) or the name of a marker.");
  std::vector<Place3> places;
  const auto dimension = at(dimension_of(build));
  for (const Node& item : list.items) {
    Place3 place{0, 0, 0};
    std::vector<double> numbers;
    if (item.kind == Node::Kind::text) {
      const auto marker = build.markers.find(item.text);
      if (marker == build.markers.end()) {
        std::vector<std::string> known;
        for (const auto& entry : build.markers) known.push_back(entry.first);
        return refuse(item.place, "no marker '" + item.text + "'." + suggestion(item.text, known, "There are"));
      }
      numbers = marker->second;
    } else {
      for (const Node& number : item.items) {
        if (number.kind == Node::Kind::text) {
          try {
            numbers.push_back(Expression::parse(number.text, {}, build.parameters).value());
          } catch (const ExpressionError& error) {
            return refuse(number.place, error.what());
          }
        } else if (number.kind == Node::Kind::number || number.kind == Node::Kind::integer) {
          numbers.push_back(number.number);
        } else {
          return refuse(number.place, "expected a number (m).");
        }
      }
    }
    if (numbers.size() != dimension)
      return refuse(item.place, "expected " + std::to_string(dimension) + " coordinates, found " +
                                    std::to_string(numbers.size()) + ".");
    std::copy(numbers.begin(), numbers.end(), place.begin());
    places.push_back(place);
  }
  return places;
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

std::optional<Place3> axis_of(const Settings& settings, Build& build) {
  const Place3 axis = place_of(settings, "axis");
  if (std::hypot(axis[0], axis[1], axis[2]) > 0) return axis;
  build.fail(settings, "axis", "has no length.");
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

std::optional<double> penalty_of(const Settings& settings, Build& build) {
  if (settings.text("enforcement") == "multiplier") {
    if (settings.given("penalty_stiffness"))
      build.fail(settings, "penalty_stiffness", "has no effect with enforcement = \"multiplier\".");
    return std::nullopt;
  }
  if (!settings.has("penalty_stiffness")) {
    build.fail(settings, "penalty_stiffness",
               "is required with enforcement = \"" + settings.text("enforcement") + "\": how stiff?");
    return 0;
  }
  return settings.number("penalty_stiffness");
}

void add_constraint(const Settings& settings, std::shared_ptr<Constraint> constraint, Build& build) {
  const auto stiffness = penalty_of(settings, build);
  if (stiffness && settings.text("enforcement") == "penalty") {
    build.parts.terms.push_back(make_penalty(std::move(constraint), *stiffness));
    return;
  }
  if (stiffness) constraint->enforcement = {Enforcement::Kind::augmented, *stiffness};
  build.parts.constraints.push_back(std::move(constraint));
}

void add_constraint(const Settings& settings, const std::string& name, std::vector<BilinearEquation> equations,
                    const std::vector<JointEnd>& ends, const AffinePoint& place, Build& build) {
  const bool free = std::none_of(ends.begin(), ends.end(), [](const JointEnd& end) { return end.ground(); });
  // Reactions are told on the last body that is not the ground.
  std::optional<BilinearConstraint::Joint> joint;
  for (const JointEnd& end : ends)
    if (!end.ground()) {
      const Body& body = build.parts.bodies[at(end.body)];
      joint = BilinearConstraint::Joint{body.first, body.first + body.size(), place};
    }
  add_constraint(
      settings, std::make_shared<BilinearConstraint>(name, std::move(equations), Invariance{free, free}, joint), build);
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

std::optional<JointParts> read_joint(const Settings& settings, bool oriented, Build& build) {
  JointParts parts;
  const auto ends = joint_ends(settings, 2, build);
  if (!ends) return std::nullopt;
  parts.ends = *ends;
  if (parts.ends[0].body == parts.ends[1].body && build.parts.bodies[at(parts.ends[0].body)].rigid)
    return build.fail(settings, "bodies", "connects a rigid body with itself."), std::nullopt;
  if (static_cast<int>(settings.vector("point").size()) != dimension_of(build))
    return build.fail(settings, "point",
                      "needs " + std::to_string(dimension_of(build)) + " coordinates, as the bodies have."),
           std::nullopt;
  const Place3 X = place_of(settings, "point");
  std::array<Place3, 3> frame{};
  if (oriented) {
    const auto axis = axis_of(settings, build);
    if (!axis) return std::nullopt;
    if (dimension_of(build) != 3)
      return build.fail(settings, "axis", "joints with an axis are for bodies in space."), std::nullopt;
    frame = frame_about(*axis);
  }
  for (std::size_t side = 0; side < 2; ++side) {
    const auto point = point_of(settings, "point", parts.ends[side], X, build);
    if (!point) return std::nullopt;
    parts.point[side] = *point;
    for (std::size_t k = 0; k < 3 && oriented; ++k) {
      const auto vector = vector_of(settings, "bodies", parts.ends[side], frame[k], build);
      if (!vector) return std::nullopt;
      parts.frame[side][k] = *vector;
    }
  }
  return parts;
}

}  // namespace livens
