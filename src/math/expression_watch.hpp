// Finds out which expression was not finite, after something that was computed from expressions was not: while a watch
// lives, evaluations on its thread are watched. Without one they cost a comparison with null.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "math/expression_program.hpp"

namespace livens {

struct UndefinedExpression {
  std::string text;                                       // of the whole
  std::string operation;                                  // "sqrt(-0.01)", or whose derivative is not finite
  std::vector<std::pair<std::string, double>> variables;  // that occur, with their values then
  std::string to_string() const;                          // "'k*sqrt(x)' is not finite at x = -0.01: sqrt(-0.01)"
};

class ExpressionWatch {
 public:
  ExpressionWatch() : before_(active_) { active_ = this; }
  ~ExpressionWatch() { active_ = before_; }
  ExpressionWatch(const ExpressionWatch&) = delete;
  ExpressionWatch& operator=(const ExpressionWatch&) = delete;

  static ExpressionWatch* active() { return active_; }
  // x: values of the variables that occur.
  void note(const detail::Program& program, std::span<const double> x);
  // The first one that was not finite.
  const std::optional<UndefinedExpression>& found() const { return found_; }

 private:
  ExpressionWatch* before_;
  std::optional<UndefinedExpression> found_;
  static inline thread_local constinit ExpressionWatch* active_ = nullptr;
};

namespace detail {

inline bool is_finite_number(double x) { return std::isfinite(x); }
inline bool is_finite_number(const Dual& x) { return std::isfinite(x.value) && std::isfinite(x.derivative); }
template <int N>
bool is_finite_number(const Jet2<N>& x) {
  const auto finite = [](double y) { return std::isfinite(y); };
  return finite(x.value) && std::all_of(x.gradient.begin(), x.gradient.end(), finite) &&
         std::all_of(x.packed_hessian.begin(), x.packed_hessian.end(), finite);
}
inline double value_of(double x) { return x; }
template <class S>
double value_of(const S& x) {
  return x.value;
}

// Where someone watches: notes an expression whose result is not finite. x(k): the variable that occurs as k-th.
template <class S, class Variable>
void watch(const Program& program, const S& result, const Variable& x) {
  if (ExpressionWatch::active() == nullptr) [[likely]]
    return;
  if (is_finite_number(result)) return;
  std::vector<double> values;
  for (std::size_t k = 0; k < program.used.size(); ++k) values.push_back(value_of(x(k)));
  ExpressionWatch::active()->note(program, values);
}

}  // namespace detail

}  // namespace livens
