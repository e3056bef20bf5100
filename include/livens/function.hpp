// A function that a scene wrote as text, such as "k*(x - 1)^2", of the variables that its parameter names, in that
// order. Copies share one immutable program, which any number of threads may evaluate.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace livens {

class Expression;  // its inside

class Function {
 public:
  explicit Function(std::shared_ptr<const Expression> expression) : expression_(std::move(expression)) {}

  const std::string& text() const;
  bool constant() const;  // depends on no variable
  double value() const;   // of a constant one
  double operator()(std::span<const double> x) const;
  // These return the value and overwrite the derivatives; the matrix of the second ones is full.
  double gradient(std::span<const double> x, std::span<double> g) const;
  double hessian(std::span<const double> x, std::span<double> g, std::span<double> h) const;

  friend const Expression& expression_of(const Function& function);

 private:
  std::shared_ptr<const Expression> expression_;
};

}  // namespace livens
