#include <livens/function.hpp>

#include "math/expression.hpp"

namespace livens {

const std::string& Function::text() const { return expression_->text(); }
bool Function::constant() const { return expression_->constant(); }
double Function::value() const { return expression_->value(); }
double Function::operator()(std::span<const double> x) const { return expression_->evaluate(x); }

double Function::gradient(std::span<const double> x, std::span<double> g) const {
  Workspace<double> workspace;
  return expression_->gradient(x, g, workspace);
}

double Function::hessian(std::span<const double> x, std::span<double> g, std::span<double> h) const {
  Workspace<Dual> workspace;
  return expression_->hessian(x, g, h, workspace);
}

const Expression& expression_of(const Function& function) { return *function.expression_; }

}  // namespace livens
