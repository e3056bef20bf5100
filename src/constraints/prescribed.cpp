// Nodes that move as given, x(t) = X + u(X, Y, Z, t); the velocity is the exact derivative by t.
#include <array>
#include <cmath>
#include <memory>

#include <livens/jet.hpp>

#include "constraints/joints.hpp"
#include "constraints/supports.hpp"
#include "math/expression.hpp"
#include "model/selections.hpp"

namespace livens {
namespace {

struct Moved {
  std::shared_ptr<const Expression> displacement;
  std::array<double, 3> X;
  double start;  // reference position of the coordinate
};

void evaluate(const std::vector<Moved>& moved, double t, Vector position, Vector velocity) {
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Moved& m = moved[k];
    const Dual variables[4] = {m.X[0], m.X[1], m.X[2], Dual::variable(t)};
    const Dual u = m.displacement->evaluate<Dual>(std::span<const Dual>(variables, 4));
    position[k] = m.start + u.value;
    velocity[k] = u.derivative;
  }
}

// Expressions, null for "free".
std::vector<std::shared_ptr<const Expression>> read_displacement(const Settings& settings, int dimension) {
  const Node& list = settings.node("displacement");
  std::vector<std::shared_ptr<const Expression>> functions;
  const std::string path = settings.path + ".displacement";
  const auto refuse = [&](const Place& place, const std::string& message) {
    throw SceneError({{place, path, message}});
  };
  if (static_cast<int>(list.items.size()) != dimension)
    refuse(list.place,
           "expected " + std::to_string(dimension) + " components, found " + std::to_string(list.items.size()) + ".");
  const std::vector<std::string> variables = {"X", "Y", "Z", "t"};
  bool any = false;
  for (const Node& item : list.items) {
    functions.push_back(nullptr);
    if (item.kind == Node::Kind::text && item.text == "free") continue;
    any = true;
    if (item.kind == Node::Kind::number || item.kind == Node::Kind::integer) {
      functions.back() = std::make_shared<const Expression>(item.number);
    } else if (item.kind == Node::Kind::text) {
      try {
        functions.back() = std::make_shared<const Expression>(
            Expression::parse(item.text, variables, settings.environment->parameters));
      } catch (const ExpressionError& error) {
        refuse(item.place, "in '" + item.text + "': " + error.what() + ".");
      }
    } else {
      refuse(item.place, "expected a number, an expression of X, Y, Z, t, or \"free\".");
    }
  }
  if (!any) refuse(list.place, "all components are free: nothing is prescribed.");
  return functions;
}

// A point of a body that moves as given: x = X + u(t), as many equations as components.
void drive(const Settings& settings, const std::string& name, Assembly& assembly) {
  const auto ends = joint_ends(settings, 1, assembly);
  if (!ends) return;
  if (!settings.has("point")) settings.refuse("point", "which point of the body? Give it.");
  const Place3 X = place_of(settings, "point");
  const auto point = point_of(settings, "point", ends->front(), X, assembly);
  const auto functions = read_displacement(settings, static_cast<int>(point->size()));
  std::vector<BilinearEquation> equations;
  for (std::size_t c = 0; c < point->size(); ++c) {
    if (functions[c] == nullptr) continue;
    BilinearEquation equation;
    equation.offset = (*point)[c];
    equation.offset.constant -= X[c];
    equation.given = [function = functions[c], X](double t) -> std::array<double, 3> {
      const Jet2<1> variables[4] = {X[0], X[1], X[2], Jet2<1>::variable(t, 0)};
      const Jet2<1> u = function->evaluate<Jet2<1>>(std::span<const Jet2<1>>(variables, 4));
      return {u.value, u.gradient[0], u.hessian(0, 0)};
    };
    equations.push_back(std::move(equation));
  }
  // The ground moves it.
  add_constraint(settings, name, std::move(equations), {JointEnd{}, ends->front()}, *point, assembly);
}

void add(const Settings& settings, const std::string& name, Assembly& assembly) {
  if (settings.given("bodies") == settings.given("selection"))
    settings.refuse("selection", "what is moved? Give either a selection of nodes, or a body and a point.");
  if (settings.given("bodies")) return drive(settings, name, assembly);
  Support support;
  support.name = name;
  auto moved = std::make_shared<std::vector<Moved>>();
  for (const NodeSet& set : selected_nodes(settings, assembly)) {
    const Body& body = assembly.parts.bodies[set.body];
    if (assembly.has_consistent_mass(set.body))
      settings.refuse("selection", "body '" + body.name +
                                       "' has a consistent mass matrix: moving nodes would act on their neighbours by "
                                       "inertia, which is not computed. Use mass_matrix = \"lumped\".");
    const auto functions = read_displacement(settings, body.dimension);
    for (const int node : set.nodes) {
      std::array<double, 3> X{0, 0, 0};
      for (int c = 0; c < body.dimension; ++c) X[c] = body.reference[node * body.dimension + c];
      for (int c = 0; c < body.dimension; ++c) {
        const auto& function = functions[c];
        if (function == nullptr) continue;
        support.coordinates.push_back(body.first + node * body.dimension + c);
        moved->push_back({function, X, X[c]});
      }
    }
  }
  if (support.coordinates.empty()) return;
  std::vector<double> x(moved->size()), v(moved->size());
  evaluate(*moved, assembly.t_begin, x, v);
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!std::isfinite(x[k]) || !std::isfinite(v[k]))
      settings.refuse("displacement", "is not finite, or has no finite velocity, at the start.");
  support.motion = [moved](double t, Vector position, Vector velocity) { evaluate(*moved, t, position, velocity); };
  add_support(settings, std::move(support), assembly);
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
  record.add = add;
  return record;
}

}  // namespace livens
