#include <livens/forces.hpp>
#include <livens/jet.hpp>

#include "math/expression.hpp"

namespace livens {

LoadFunction::LoadFunction(double constant)
    : value_([constant](const Vec3&, double) { return constant; }), uniform_(true), steady_(true) {}

LoadFunction::LoadFunction(const std::string& expression, const Parameters& parameters) {
  static const std::vector<std::string> variables = {"X", "Y", "Z", "t"};
  constexpr std::size_t t_slot = 3;
  Expression f;
  try {
    f = Expression::parse(expression, variables, parameters);
  } catch (const ExpressionError& error) {
    throw AssemblyError("", error.in(expression));
  }
  uniform_ = !f.uses(0) && !f.uses(1) && !f.uses(2);
  steady_ = !f.uses(t_slot);
  value_ = [f](const Vec3& X, double t) {
    const double x[4] = {X[0], X[1], X[2], t};
    return f.evaluate(std::span<const double>(x));
  };
  with_rate_ = [f](const Vec3& X, double t) -> std::array<double, 2> {
    const Dual x[4] = {X[0], X[1], X[2], Dual::variable(t)};
    const Dual value = f.evaluate<Dual>(std::span<const Dual>(x));
    return {value.value, value.derivative};
  };
}

}  // namespace livens
