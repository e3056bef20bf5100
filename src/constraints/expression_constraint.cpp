// Constraints that are written down: g(t, coordinates of some points) = 0.
#include "constraints/expression_constraint.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

#include "constraints/joints.hpp"
#include "constraints/read_items.hpp"
#include "constraints/read_joints.hpp"
#include "math/expression_derivatives.hpp"

namespace livens {
namespace {

constexpr std::size_t most_with_derivatives = 16;  // variables: more would make long programs

class WrittenConstraint final : public Constraint {
 public:
  WrittenConstraint(std::string name, std::vector<Expression> equations, std::vector<AffineForm> variables)
      : Constraint(std::move(name), static_cast<int>(equations.size())),
        equations_(std::move(equations)),
        variables_(std::move(variables)) {
    for (const AffineForm& form : variables_)
      for (const auto& term : form.terms) coordinates_.push_back(term.first);
    std::sort(coordinates_.begin(), coordinates_.end());
    coordinates_.erase(std::unique(coordinates_.begin(), coordinates_.end()), coordinates_.end());
    for (const Expression& equation : equations_)
      depends_on_time_ = depends_on_time_ || equation.uses(variables_.size());
    if (variables_.size() > most_with_derivatives) return;
    std::vector<std::size_t> slots(variables_.size() + 1);
    std::iota(slots.begin(), slots.end(), 0U);
    for (const Expression& equation : equations_) {
      const SignedExpression sum[] = {{1, equation}};
      first_.push_back(livens::gradient(sum, slots));
      second_.push_back(second_derivatives(sum, slots));
    }
  }

  void value(double t, ConstVector q, Vector g) const override {
    const Scratch& s = arguments(t, q);
    for (std::size_t k = 0; k < equations_.size(); ++k) g[k] = equations_[k].evaluate(s.x);
  }
  void add_jacobian(double t, ConstVector q, double scale, MatrixSink& sink) const override {
    Scratch& s = arguments(t, q);
    for (std::size_t k = 0; k < equations_.size(); ++k) {
      gradient(k, s);
      s.block.assign(coordinates_.size(), 0.0);
      for (std::size_t j = 0; j < variables_.size(); ++j)
        for (const auto& [i, weight] : variables_[j].terms) s.block[column(i)] += scale * s.g[j] * weight;
      const int row = static_cast<int>(k);
      sink.add_block(std::span<const int>(&row, 1), coordinates_, s.block.data());
    }
  }
  void add_force(double t, ConstVector q, ConstVector lambda, double scale, Vector f) const override {
    Scratch& s = arguments(t, q);
    for (std::size_t k = 0; k < equations_.size(); ++k) {
      gradient(k, s);
      for (std::size_t j = 0; j < variables_.size(); ++j)
        for (const auto& [i, weight] : variables_[j].terms) f[i] += scale * lambda[k] * s.g[j] * weight;
    }
  }
  void add_curvature(double t, ConstVector q, ConstVector lambda, double scale, MatrixSink& sink) const override {
    Scratch& s = arguments(t, q);
    const std::size_t n = coordinates_.size(), m = variables_.size() + 1;
    s.block.assign(n * n, 0.0);
    for (std::size_t k = 0; k < equations_.size(); ++k) {
      hessian(k, s);
      for (std::size_t a = 0; a + 1 < m; ++a)
        for (std::size_t b = 0; b + 1 < m; ++b)
          for (const auto& [i, wi] : variables_[a].terms)
            for (const auto& [j, wj] : variables_[b].terms)
              s.block[column(i) * n + column(j)] += scale * lambda[k] * s.H[a * m + b] * wi * wj;
    }
    sink.add_block(coordinates_, coordinates_, s.block.data());
  }
  void rates(double t, ConstVector q, ConstVector v, Vector rate, Vector second) const override {
    Scratch& s = arguments(t, q);
    const std::size_t m = variables_.size() + 1;
    std::vector<double>& speed = s.speed;  // of the variables; that of t is 1
    speed.assign(m, 1.0);
    for (std::size_t j = 0; j + 1 < m; ++j) speed[j] = variables_[j].rate(v);
    for (std::size_t k = 0; k < equations_.size(); ++k) {
      hessian(k, s);
      rate[k] = second[k] = 0;
      for (std::size_t a = 0; a < m; ++a) {
        rate[k] += s.g[a] * speed[a];
        for (std::size_t b = 0; b < m; ++b) second[k] += s.H[a * m + b] * speed[a] * speed[b];
      }
    }
  }
  // The rounding of an expression is not known; that of its arguments is, times its derivatives.
  void magnitude(double t, ConstVector q, Vector size) const override {
    Scratch& s = arguments(t, q);
    for (std::size_t k = 0; k < equations_.size(); ++k) {
      gradient(k, s);
      size[k] = 0;
      for (std::size_t j = 0; j < variables_.size(); ++j) size[k] += std::abs(s.g[j]) * variables_[j].magnitude(q);
    }
  }
  bool depends_on_time() const override { return depends_on_time_; }
  std::vector<int> coordinates() const override { return coordinates_; }

 private:
  struct Scratch {
    std::vector<double> x, g, H, block, lower, speed;
    Workspace<double> first;
    Workspace<Dual> second;
  };
  Scratch& arguments(double t, ConstVector q) const {
    thread_local Scratch s;  // its workspaces are too large for the stack; expressions call nothing else that uses it
    const std::size_t m = variables_.size() + 1;
    s.x.resize(m);
    s.g.resize(m);
    s.H.resize(m * m);
    for (std::size_t j = 0; j + 1 < m; ++j) s.x[j] = variables_[j].value(q);
    s.x[m - 1] = t;
    return s;
  }
  // Of equation k by all variables and t, in s.g and s.H.
  void gradient(std::size_t k, Scratch& s) const {
    const auto x = [&](std::size_t slot) { return s.x[slot]; };
    if (k < first_.size() && first_[k] && first_[k]->run(x, s.g.data())) return;
    equations_[k].gradient(s.x, s.g, s.first);
  }
  void hessian(std::size_t k, Scratch& s) const {
    const std::size_t m = s.x.size();
    const auto x = [&](std::size_t slot) { return s.x[slot]; };
    s.lower.resize(m * (m + 1) / 2);
    if (k < second_.size() && second_[k] && second_[k]->run(x, s.lower.data())) {
      for (std::size_t i = 0, e = 0; i < m; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++e) s.H[i * m + j] = s.H[j * m + i] = s.lower[e];
      return gradient(k, s);
    }
    equations_[k].hessian(s.x, s.g, s.H, s.second);
  }
  std::size_t column(int i) const {
    return static_cast<std::size_t>(std::lower_bound(coordinates_.begin(), coordinates_.end(), i) -
                                    coordinates_.begin());
  }

  std::vector<Expression> equations_;
  std::vector<AffineForm> variables_;
  std::vector<int> coordinates_;
  bool depends_on_time_ = false;
  std::vector<std::optional<DerivativeProgram>> first_, second_;  // by equation
};

// What a constraint connects: one point per body, and possibly the system in generalised coordinates.
struct Connected {
  std::vector<JointEnd> points;
  const Body* system = nullptr;
};

Connected connected(const Assembly& assembly, const std::vector<std::string>& bodies) {
  Connected result;
  for (const JointEnd& end : joint_ends(assembly, bodies)) {
    const Body* body = end.ground() ? nullptr : assembly.parts.bodies.data() + end.body;
    if (body != nullptr && body->dimension == 0)
      result.system = body;
    else
      result.points.push_back(end);
  }
  if (result.points.empty())
    throw AssemblyError("bodies", "there is no body besides the system: write the constraint into system.constraints.");
  return result;
}

// x, y, z of one point; x1, y1, z1, x2, ... of several; the coordinates of the system; then t.
std::vector<std::string> variable_names(const Assembly& assembly, const Connected& connected) {
  std::vector<std::string> names;
  const std::size_t points = connected.points.size(), dimension = static_cast<std::size_t>(assembly.dimension());
  for (std::size_t k = 0; k < points; ++k)
    for (std::size_t c = 0; c < dimension; ++c)
      names.push_back(std::string(1, "xyz"[c]) + (points > 1 ? std::to_string(k + 1) : ""));
  if (connected.system != nullptr)
    for (const std::string& name : assembly.parts.coordinates) {
      if (std::find(names.begin(), names.end(), name) != names.end())
        throw AssemblyError("bodies",
                            "'" + name + "' is a coordinate of the system and of a point: rename the former.");
      names.push_back(name);
    }
  names.push_back("t");
  return names;
}

std::vector<int> used_coordinates(const std::vector<Expression>& equations, const std::vector<AffineForm>& variables) {
  std::vector<int> used;
  for (std::size_t j = 0; j < variables.size(); ++j)
    if (std::any_of(equations.begin(), equations.end(), [&](const Expression& g) { return g.uses(j); }))
      for (const auto& term : variables[j].terms) used.push_back(term.first);
  return used;
}

// Only symmetries that do not move what a constraint holds remain, wherever it is.
void drop_symmetries(const std::vector<int>& held, Assembly& assembly) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> offset(-0.3, 0.3);
  std::vector<double> q = assembly.q, xi(q.size());
  for (double& x : q) x += offset(engine);
  std::erase_if(assembly.parts.symmetries, [&](const Symmetry& symmetry) {
    symmetry.generator(q, xi);
    return std::any_of(held.begin(), held.end(), [&](int i) { return xi[i] != 0; });
  });
}

// Throws AssemblyError.
Expression parse_equation(const std::string& text, const std::vector<std::string>& variables,
                          const std::map<std::string, double, std::less<>>& parameters) {
  try {
    return Expression::parse(text, variables, parameters);
  } catch (const ExpressionError& error) {
    throw AssemblyError("g", error.in(text));
  }
}

}  // namespace

std::shared_ptr<Constraint> make_expression_constraint(std::string name, std::vector<Expression> equations,
                                                       std::vector<AffineForm> variables) {
  return std::make_shared<WrittenConstraint>(std::move(name), std::move(equations), std::move(variables));
}

void add(Assembly& assembly, const ExpressionConstraint& constraint, const std::string& name) {
  const Connected all = connected(assembly, constraint.bodies);
  const std::size_t points = all.points.size();
  if (constraint.ends.size() != points)
    throw AssemblyError("ends", "expected " + std::to_string(points) + " points, one per body, found " +
                                    std::to_string(constraint.ends.size()) + ".");
  std::vector<AffineForm> variables;
  for (std::size_t k = 0; k < points; ++k) {
    const AffinePoint point = point_of(assembly, all.points[k], constraint.ends[k], "ends");
    variables.insert(variables.end(), point.begin(), point.end());
  }
  for (int i = 0; all.system != nullptr && i < all.system->size(); ++i)
    variables.push_back({0, {{all.system->first + i, 1.0}}});
  const auto names = variable_names(assembly, all);
  std::vector<Expression> equations;
  for (const std::string& text : constraint.g) {
    equations.push_back(parse_equation(text, names, constraint.parameters));
    const auto used = equations.back().used_variables();
    if (std::none_of(used.begin(), used.end(), [&](std::size_t slot) { return slot < variables.size(); }))
      throw AssemblyError("g", "'" + text + "' does not depend on any point.");
  }
  if (equations.empty()) throw AssemblyError("g", "is empty.");
  if (all.system != nullptr) drop_symmetries(used_coordinates(equations, variables), assembly);
  add(assembly, make_expression_constraint(name, std::move(equations), std::move(variables)), constraint.enforcement);
}

namespace {

std::vector<std::string> read_equations(const Settings& settings, const std::vector<std::string>& variables) {
  return read_items<std::string>(settings, "g", [&](const Node& item) {
    if (item.kind != Node::Kind::text) throw AssemblyError("g", "expected an expression in quotes.");
    parse_equation(item.text, variables, settings.environment->parameters);
    return item.text;
  });
}

void read_expression(const Settings& settings, const std::string& name, Assembly& assembly) {
  ExpressionConstraint constraint;
  constraint.bodies = settings.names("bodies");
  const Connected all = connected(assembly, constraint.bodies);
  constraint.ends = read_places(settings, "ends", all.points.size(), assembly.dimension());
  constraint.g = read_equations(settings, variable_names(assembly, all));
  constraint.parameters = settings.environment->parameters;
  constraint.enforcement = enforcement_of(settings);
  add(assembly, constraint, name);
}

}  // namespace

ConstraintRecord expression_constraint_record() {
  ConstraintRecord record;
  record.name = "expression";
  record.brief =
      "your own g(x, y, z, t) = 0 of one point, or g(x1, y1, z1, x2, ...) of several, and of the coordinates of the "
      "system";
  Parameter g = required(key("g", ValueType::table, "any", "", "one expression, or a list of them"));
  g.choices = {"text", "list"};
  record.parameters = with_enforcement({bodies_key("of the points; \"system\" is the one of generalised coordinates"),
                                        ends_key("the points at the start, none for the system"), g});
  record.example =
      "constraint = [{ kind = 'expression', bodies = ['a', 'b'], ends = [[0.2, 0, 0], [0.8, 0, 0]], "
      "g = 'sqrt((x2-x1)^2 + (y2-y1)^2 + (z2-z1)^2) - 0.6' }]";
  record.quadratic = record.frame_indifferent = false;
  record.add = read_expression;
  return record;
}

}  // namespace livens
