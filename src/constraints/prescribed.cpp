// Nodes that move as given, x(t) = X + u(X, Y, Z, t); the velocity is the exact derivative by t.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <livens/jet.hpp>

#include "constraints/joints.hpp"
#include "constraints/read_items.hpp"
#include "constraints/read_joints.hpp"
#include "constraints/supports.hpp"
#include "math/expression.hpp"

namespace livens {
namespace {

// The coordinates of a support that moves.
struct Motion {
  struct Coordinate {
    std::size_t component;  // of the displacement
    Vec3 X;                 // of its node
  };
  std::vector<Displacement> displacement;
  std::vector<Coordinate> coordinates;

  // Position and velocity of one of them.
  std::array<double, 2> of(double t, std::size_t k) const {
    const auto& [component, X] = coordinates[k];
    const auto [u, rate] = displacement[component].with_velocity(X, t);
    return {X[component] + u, rate};
  }
  void evaluate(double t, Vector position, Vector velocity) const {
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const auto [x, rate] = of(t, k);
      position[k] = x;
      velocity[k] = rate;
    }
  }
};

void check(const std::vector<Displacement>& displacement, std::size_t dimension) {
  if (displacement.size() != dimension)
    throw AssemblyError("displacement", "expected " + std::to_string(dimension) + " components, found " +
                                            std::to_string(displacement.size()) + ".");
  if (std::all_of(displacement.begin(), displacement.end(), [](const Displacement& u) { return u.free(); }))
    throw AssemblyError("displacement", "all components are free: nothing is prescribed.");
}

}  // namespace

Displacement::Displacement(double constant)
    : with_acceleration_([constant](const Vec3&, double) {
        return std::array<double, 3>{constant, 0, 0};
      }) {}

Displacement::Displacement(const std::string& expression, const Parameters& parameters) {
  Expression f;
  try {
    f = Expression::parse(expression, std::array<std::string, 4>{"X", "Y", "Z", "t"}, parameters);
  } catch (const ExpressionError& error) {
    throw AssemblyError("displacement", error.in(expression));
  }
  with_velocity_ = [f](const Vec3& X, double t) -> std::array<double, 2> {
    const Dual variables[4] = {X[0], X[1], X[2], Dual::variable(t)};
    const Dual u = f.evaluate<Dual>(std::span<const Dual>(variables, 4));
    return {u.value, u.derivative};
  };
  with_acceleration_ = [f](const Vec3& X, double t) -> std::array<double, 3> {
    const Jet2<1> variables[4] = {X[0], X[1], X[2], Jet2<1>::variable(t, 0)};
    const Jet2<1> u = f.evaluate<Jet2<1>>(std::span<const Jet2<1>>(variables, 4));
    return {u.value, u.gradient[0], u.hessian(0, 0)};
  };
}

std::array<double, 2> Displacement::with_velocity(const Vec3& X, double t) const {
  if (with_velocity_) return with_velocity_(X, t);
  const auto u = with_acceleration_(X, t);
  return {u[0], u[1]};
}

void add(Assembly& assembly, const Prescribed& support, const std::string& name) {
  const NodeSet set = selected_nodes(assembly, support.selection);
  const Body& body = assembly.parts.bodies[set.body];
  if (assembly.has_consistent_mass(set.body))
    throw AssemblyError("selection", "body '" + body.name +
                                         "' has a consistent mass matrix: the momentum of its free nodes would "
                                         "contain the given velocities, p = M_ff v_f + M_fs v_s(t), and is then no "
                                         "state of the body alone. Use mass_matrix = \"lumped\", where M_fs = 0.");
  check(support.displacement, static_cast<std::size_t>(body.dimension));
  Support made;
  made.name = name;
  const auto motion = std::make_shared<Motion>();
  motion->displacement = support.displacement;
  for (const int node : set.nodes) {
    Vec3 X{0, 0, 0};
    for (int c = 0; c < body.dimension; ++c) X[c] = body.reference[node * body.dimension + c];
    for (int c = 0; c < body.dimension; ++c) {
      if (support.displacement[c].free()) continue;
      made.coordinates.push_back(body.first + node * body.dimension + c);
      motion->coordinates.push_back({static_cast<std::size_t>(c), X});
    }
  }
  if (made.coordinates.empty()) return;
  std::vector<double> x(made.coordinates.size()), v(x.size());
  motion->evaluate(assembly.t_begin, x, v);
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!std::isfinite(x[k]) || !std::isfinite(v[k]))
      throw AssemblyError("displacement", "is not finite, or has no finite velocity, at the start.");
  made.motion = [motion](double t, Vector position, Vector velocity) { motion->evaluate(t, position, velocity); };
  made.motion_of = [motion](double t, std::size_t k) { return motion->of(t, k); };
  add_support(std::move(made), assembly);
}

// x = X + u(t), as many equations as components.
void add(Assembly& assembly, const PrescribedPoint& joint, const std::string& name) {
  const auto ends = joint_ends(assembly, joint.bodies);
  const Vec3& X = joint.point;
  const AffinePoint point = point_of(assembly, ends.front(), X, "point");
  check(joint.displacement, point.size());
  std::vector<BilinearEquation> equations;
  for (std::size_t c = 0; c < point.size(); ++c) {
    if (joint.displacement[c].free()) continue;
    BilinearEquation equation;
    equation.offset = point[c];
    equation.offset.constant -= X[c];
    equation.given = [u = joint.displacement[c], X](double t) { return u.with_acceleration(X, t); };
    equations.push_back(std::move(equation));
  }
  // The ground moves it.
  add_equations(assembly, name, std::move(equations), std::array{JointEnd{}, ends.front()}, point, joint.enforcement);
}

namespace {

// Throws AssemblyError.
Displacement read_component(const Settings& settings, const Node& item) {
  if (item.kind == Node::Kind::number || item.kind == Node::Kind::integer) return item.number;
  if (item.kind != Node::Kind::text)
    throw AssemblyError("displacement", "expected a number, an expression of X, Y, Z, t, or \"free\".");
  if (item.text == "free") return {};
  return {item.text, settings.environment->parameters};
}

void read_prescribed(const Settings& settings, const std::string& name, Assembly& assembly) {
  if (settings.given("bodies") == settings.given("selection"))
    settings.refuse("selection", "what is moved? Give either a selection of nodes, or a body and a point.");
  const auto displacement = read_items<Displacement>(settings, "displacement",
                                                     [&](const Node& item) { return read_component(settings, item); });
  if (settings.given("selection")) {
    refuse_enforcement_of_nodes(settings);
    return add(assembly, Prescribed{settings.text("selection"), displacement}, name);
  }
  const auto bodies = bodies_of_joint<1>(settings);
  if (!settings.has("point")) settings.refuse("point", "which point of the body? Give it.");
  add(assembly, PrescribedPoint{bodies, place_of(settings, "point"), displacement, enforcement_of(settings)}, name);
}

}  // namespace

ConstraintRecord prescribed_record() {
  ConstraintRecord record;
  record.name = "prescribed";
  record.brief = "nodes, or a point of a body, that move as given";
  Parameter displacement =
      required(key("displacement", ValueType::table, "m", "",
                   "one f(X, Y, Z, t) per direction, added to the reference position, or \"free\""));
  displacement.choices = {"list"};
  Parameter bodies = bodies_key("the one body whose point is moved"), point = point_key();
  bodies.required = point.required = false;
  record.parameters =
      with_enforcement({key("selection", ValueType::name, "-", "", "nodes: a [[selection]], or body.group"),
                        displacement, bodies, point});
  record.example =
      "constraint = [{ kind = 'prescribed', bodies = ['b'], point = [1, 0, 0], displacement = ['free', '0.1*sin(3*t)', "
      "'free'] "
      "}]";
  record.frame_indifferent = false;
  record.add = read_prescribed;
  return record;
}

}  // namespace livens
