#include "constraints/joints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "constraints/penalty.hpp"
#include "model/assembly.hpp"
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

AffinePoint constant_point(const Vec3& X, int dimension) {
  AffinePoint point(at(dimension));
  for (int c = 0; c < dimension; ++c) point[at(c)].constant = X[at(c)];
  return point;
}

AffinePoint weighted(const Body& body, const std::array<double, 4>& weights) {
  AffinePoint point(at(body.dimension));
  for (int c = 0; c < body.dimension; ++c)
    for (int a = 0; a < body.nodes; ++a)
      if (weights[at(a)] != 0) point[at(c)].terms.push_back({body.first + body.dimension * a + c, weights[at(a)]});
  return point;
}

// The node that starts nearest to X, and how far it is.
std::pair<int, double> nearest(const Body& body, const Vec3& X, ConstVector q) {
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

std::vector<JointEnd> joint_ends(const Assembly& assembly, std::span<const std::string> bodies) {
  if (bodies.empty()) throw AssemblyError("bodies", "expected 1 body or more, found 0; \"ground\" counts as one.");
  std::vector<JointEnd> ends;
  for (const std::string& name : bodies) {
    ends.push_back({assembly.body_index(name)});
    if (!ends.back().ground() || name == "ground") continue;
    std::vector<std::string> known = names_of_bodies(assembly);
    known.insert(known.begin(), "ground");
    throw AssemblyError("bodies", "no body '" + name + "'." + suggestion(name, known, "There are"));
  }
  if (std::all_of(ends.begin(), ends.end(), [](const JointEnd& end) { return end.ground(); }))
    throw AssemblyError("bodies", "connects the ground with itself: nothing moves there.");
  return ends;
}

AffinePoint point_of(const Assembly& assembly, const JointEnd& end, const Vec3& X, const std::string& key) {
  if (end.ground()) return constant_point(X, assembly.dimension());
  const Body& body = assembly.parts.bodies[at(end.body)];
  if (body.rigid) return weighted(body, body.rigid->point(X));
  if (body.dimension == 0)
    throw AssemblyError("bodies", "'" + body.name + "' has generalised coordinates and no points.");
  const auto [node, distance] = nearest(body, X, assembly.q);
  const int first = body.first + node * body.dimension;
  if (distance > 1e-6 * std::max(extent(body), 1e-3))
    throw AssemblyError(key, "'" + body.name + "' has no node at " + text_of(X.data(), body.dimension) +
                                 " at the start; the nearest is at " +
                                 text_of(assembly.q.data() + first, body.dimension) + ".");
  AffinePoint point(at(body.dimension));
  for (int c = 0; c < body.dimension; ++c) point[at(c)].terms = {{first + c, 1.0}};
  return point;
}

AffinePoint vector_of(const Assembly& assembly, const JointEnd& end, const Vec3& D) {
  if (end.ground()) return constant_point(D, assembly.dimension());
  const Body& body = assembly.parts.bodies[at(end.body)];
  if (body.rigid) return weighted(body, body.rigid->vector(D));
  throw AssemblyError("bodies",
                      "'" + body.name +
                          "' has no orientation: joints with an axis connect rigid bodies and the ground. Attach the "
                          "nodes to a rigid body (kind = \"attachment\") and join that.");
}

std::array<Vec3, 3> frame_about(const Vec3& axis) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  if (!(length > 0)) throw AssemblyError("axis", "has no length.");
  const Vec3 e{axis[0] / length, axis[1] / length, axis[2] / length};
  // The world axis most nearly at right angles gives the first.
  std::size_t across = 0;
  for (std::size_t c = 1; c < 3; ++c)
    if (std::abs(e[c]) < std::abs(e[across])) across = c;
  Vec3 u{-e[across] * e[0], -e[across] * e[1], -e[across] * e[2]};
  u[across] += 1;
  const double norm = std::hypot(u[0], u[1], u[2]);
  for (double& x : u) x /= norm;
  const Vec3 w{e[1] * u[2] - e[2] * u[1], e[2] * u[0] - e[0] * u[2], e[0] * u[1] - e[1] * u[0]};
  return {u, w, e};
}

double penalty_stiffness(const Enforcement& enforcement) {
  const double k = enforcement.stiffness;
  if (enforcement.kind == Enforcement::Kind::multiplier) {
    if (k != 0) throw AssemblyError("penalty_stiffness", "has no effect with enforcement = \"multiplier\".");
    return 0;
  }
  const std::string kind = enforcement.kind == Enforcement::Kind::penalty ? "penalty" : "augmented";
  if (!(k > 0)) throw AssemblyError("penalty_stiffness", "is required with enforcement = \"" + kind + "\": how stiff?");
  return k;
}

void add(Assembly& assembly, std::shared_ptr<Constraint> constraint, const Enforcement& enforcement) {
  const double stiffness = penalty_stiffness(enforcement);
  for (const int i : constraint->coordinates())
    if (i < 0 || at(i) >= assembly.q.size())
      throw AssemblyError("", "constraint '" + constraint->name() + "' has coordinate " + std::to_string(i) + " of " +
                                  std::to_string(assembly.q.size()) + "; bodies come first.");
  if (enforcement.kind == Enforcement::Kind::penalty) {
    assembly.parts.terms.push_back(make_penalty(std::move(constraint), stiffness));
    return;
  }
  constraint->enforcement = enforcement;
  assembly.parts.constraints.push_back(std::move(constraint));
}

void add_equations(Assembly& assembly, const std::string& name, std::vector<BilinearEquation> equations,
                   std::span<const JointEnd> ends, const AffinePoint& place, const Enforcement& enforcement,
                   bool torque_free) {
  const bool free = std::none_of(ends.begin(), ends.end(), [](const JointEnd& end) { return end.ground(); });
  // Reactions are reported on the last body that is not the ground.
  std::optional<JointPlace> joint;
  for (const JointEnd& end : ends)
    if (!end.ground()) {
      const Body& body = assembly.parts.bodies[at(end.body)];
      joint = JointPlace{body.first, body.first + body.size(), place};
    }
  add(assembly,
      std::make_shared<BilinearConstraint>(name, std::move(equations), Invariance{free, free}, joint, torque_free),
      enforcement);
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

namespace {

JointParts joint_between(const Assembly& assembly, const std::array<std::string, 2>& bodies) {
  JointParts parts;
  parts.ends = joint_ends(assembly, bodies);
  if (parts.ends[0].body == parts.ends[1].body && assembly.parts.bodies[at(parts.ends[0].body)].rigid)
    throw AssemblyError("bodies", "connects a rigid body with itself.");
  return parts;
}

}  // namespace

JointParts joint_at(const Assembly& assembly, const std::array<std::string, 2>& bodies, const Vec3& point) {
  JointParts parts = joint_between(assembly, bodies);
  for (std::size_t side = 0; side < 2; ++side) parts.point[side] = point_of(assembly, parts.ends[side], point, "point");
  return parts;
}

JointParts joint_about(const Assembly& assembly, const std::array<std::string, 2>& bodies, const Vec3& point,
                       const Vec3& axis) {
  JointParts parts = joint_between(assembly, bodies);
  const std::array<Vec3, 3> frame = frame_about(axis);
  if (assembly.dimension() != 3)
    throw AssemblyError("axis",
                        "this joint is for bodies in space. In the plane there are revolute (a pin), prismatic (a "
                        "slide) and point_on_surface (a pin in a slot).");
  for (std::size_t side = 0; side < 2; ++side) {
    parts.point[side] = point_of(assembly, parts.ends[side], point, "point");
    for (std::size_t k = 0; k < 3; ++k) parts.frame[side][k] = vector_of(assembly, parts.ends[side], frame[k]);
  }
  return parts;
}

}  // namespace livens
