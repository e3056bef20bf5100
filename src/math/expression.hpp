// Expressions that scenes write as text, such as "m*g*l*(1 - cos(theta))": parsed once, then evaluated and
// differentiated many times.
//
// The text becomes a postfix program without branches: every instruction makes one new node from earlier nodes, and
// equal sub-expressions share a node. The gradient is one sweep forwards, which stores the partial derivatives of
// each instruction, and one backwards,
//   adjoint[operand] += adjoint[node] * d node / d operand.
// The Hessian is the gradient of dual numbers, once for each variable that occurs (forward over reverse).
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "math/expression_program.hpp"
#include "math/expression_watch.hpp"

namespace livens {

/// What is wrong with the text of an expression, and where.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t offset_in) : std::runtime_error(message), offset(offset_in) {}

  /// "in 'k*sim(x)': unknown function 'sim'; did you mean 'sin'?", a whole sentence; `where` goes before its end.
  std::string in(std::string_view text, const std::string& where = "") const;

  std::size_t offset;  ///< byte of the text at which the fault stands
};

/// The text, and below it a caret under the byte at `offset`; long texts are shown around it.
std::string caret(std::string_view text, std::size_t offset);

/// A word of the language: a function, or a constant.
struct ExpressionWord {
  std::string name;
  std::string form;   ///< "atan2(y, x)"
  std::string brief;  ///< one line
};
const std::vector<ExpressionWord>& expression_words();

/// How an expression depends on some of its variables, the velocities.
struct Structure {
  static constexpr int not_polynomial = std::numeric_limits<int>::max();

  int min_degree = 0;  ///< lowest degree of the terms that contain a velocity; 0 if there are none or it is unknown
  int max_degree = 0;  ///< highest degree, or `not_polynomial`
  bool coefficients_constant = true;  ///< whether the coefficients of those terms depend on no other variable

  /// One half of v'Mv (plus terms without velocities), with an M that never changes.
  bool quadratic_with_constant_coefficients() const {
    return min_degree == 2 && max_degree == 2 && coefficients_constant;
  }
};

class Expression;

/// Memory that `Expression::gradient` and `hessian` reuse; one serves any number of expressions, but one thread.
template <class S>
class Workspace {
 private:
  friend class Expression;

  void reserve(std::size_t node_count) {
    if (nodes_.size() >= node_count) return;
    nodes_.resize(node_count);
    adjoints_.resize(node_count);
    partials_a_.resize(node_count);
    partials_b_.resize(node_count);
  }

  std::vector<S> nodes_, adjoints_, partials_a_, partials_b_;
};

/// An expression of the scene language. Copies share one immutable program.
///
/// Numbers, `+ - * / ^`, parentheses, `sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs min max`,
/// `if(a < b, x, y)` with `< <= > >=`, and `pi`. `^` groups to the right and binds tighter than a minus before it:
/// -x^2 = -(x^2).
class Expression {
 public:
  static constexpr std::size_t max_text_size = 10'000;  ///< bytes
  static constexpr int max_nesting = 200;

  /// The constant 0.
  Expression();
  /// A constant.
  explicit Expression(double value);

  /// Reads an expression of `variables` (by slot) and `constants`; a variable hides a constant of its name.
  /// \throws ExpressionError
  static Expression parse(std::string_view text, std::span<const std::string> variables,
                          const std::map<std::string, double, std::less<>>& constants);

  const std::string& text() const { return program_->text; }
  std::size_t variable_count() const { return program_->variable_count; }

  /// Whether the value depends on no variable.
  bool constant() const { return program_->used.empty(); }
  /// The value of a constant expression.
  double value() const {
    assert(constant());
    return program_->constant;
  }
  /// Slots of the variables that occur, ascending.
  std::span<const std::size_t> used_variables() const { return program_->used; }
  bool uses(std::size_t slot) const { return std::binary_search(program_->used.begin(), program_->used.end(), slot); }

  /// The value at `x`, which has at least `variable_count()` entries.
  double evaluate(std::span<const double> x) const;

  /// The value where x(slot) is that of a variable.
  template <std::invocable<std::size_t> Variable>
  double evaluate(const Variable& x) const;

  /// The values at points one after the other that have n of the variables each; all others are zero but number 2 n,
  /// which is `last`. The bits of evaluate(); nobody watches.
  void evaluate_many(std::span<const double> points, std::size_t n, double last, std::span<double> values) const;

  /// The value in the arithmetic of S: double, Dual, Jet2, or a SIMD pack with the same functions and `select`.
  template <class S>
  S evaluate(std::span<const S> x) const;

  /// Returns the value and overwrites all of `g`, which is as long as `x`, with the gradient.
  template <class S>
  S gradient(std::span<const S> x, std::span<S> g, Workspace<S>& workspace) const;
  /// The same, and where the backward sweep meets 0 * inf (sqrt(x^2) at 0) the answer of the duals.
  double gradient(std::span<const double> x, std::span<double> g, Workspace<double>& workspace) const;

  /// Returns the value and overwrites the gradient and the symmetric, row-major matrix of second derivatives.
  double hessian(std::span<const double> x, std::span<double> gradient, std::span<double> hessian_row_major,
                 Workspace<Dual>& workspace) const;

  /// How the expression depends on the variables in `velocity_slots`. Errs towards `not_polynomial` and
  /// non-constant coefficients: it does not see terms that cancel.
  Structure structure(std::span<const std::size_t> velocity_slots) const;

  const detail::Program& program() const { return *program_; }

 private:
  explicit Expression(std::shared_ptr<const detail::Program> program) : program_(std::move(program)) {}

  /// Forwards and backwards over a workspace whose first nodes hold the variables that occur, with adjoints 0. These
  /// adjoints become the gradient.
  template <class S>
  S sweep(Workspace<S>& workspace) const;

  void watch_derivatives(std::span<const double> x, std::span<const double> derivatives) const;
  void gradient_by_duals(std::span<const double> x, std::span<double> g) const;
  void hessian_by_jets(std::span<const double> x, std::span<double> g, std::span<double> h) const;

  std::shared_ptr<const detail::Program> program_;
};

template <class S>
S Expression::evaluate(std::span<const S> x) const {
  assert(x.size() >= variable_count());
  const detail::Program& program = *program_;
  if (program.used.empty()) return S(program.constant);
  detail::NodeBuffer<S> buffer(program.node_count());
  S* const nodes = buffer.data();
  for (std::size_t k = 0; k < program.used.size(); ++k) nodes[k] = x[program.used[k]];
  detail::run<detail::Sweep::values, S>(program, nodes, nullptr, nullptr, nullptr);
  detail::watch(program, nodes[program.node_count() - 1], [&](std::size_t k) { return nodes[k]; });
  return nodes[program.node_count() - 1];
}

template <std::invocable<std::size_t> Variable>
double Expression::evaluate(const Variable& x) const {
  const detail::Program& program = *program_;
  if (program.used.empty()) return program.constant;
  detail::NodeBuffer<double> buffer(program.node_count());
  double* const nodes = buffer.data();
  for (std::size_t k = 0; k < program.used.size(); ++k) nodes[k] = x(program.used[k]);
  detail::run<detail::Sweep::values, double>(program, nodes, nullptr, nullptr, nullptr);
  detail::watch(program, nodes[program.node_count() - 1], [&](std::size_t k) { return nodes[k]; });
  return nodes[program.node_count() - 1];
}

template <class S>
S Expression::sweep(Workspace<S>& workspace) const {
  const detail::Program& program = *program_;
  const std::size_t variables = program.used.size(), count = program.node_count();
  S* const adjoints = workspace.adjoints_.data();
  const S* const partials_a = workspace.partials_a_.data();
  const S* const partials_b = workspace.partials_b_.data();

  detail::run<detail::Sweep::values_and_partials, S>(program, workspace.nodes_.data(), adjoints,
                                                     workspace.partials_a_.data(), workspace.partials_b_.data());
  adjoints[count - 1] = S(1.0);
  for (std::size_t k = program.code.size(); k-- > 0;) {
    const detail::Instruction& i = program.code[k];
    const S adjoint = adjoints[variables + k];
    if (i.arity == 0 || detail::vanishes(adjoint)) continue;
    adjoints[i.a] += adjoint * partials_a[k];
    if (i.arity == 2) adjoints[i.b] += adjoint * partials_b[k];
  }
  return workspace.nodes_[count - 1];
}

template <class S>
S Expression::gradient(std::span<const S> x, std::span<S> g, Workspace<S>& workspace) const {
  assert(x.size() >= variable_count() && g.size() == x.size());
  const detail::Program& program = *program_;
  S value(program.constant);
  if (!program.used.empty()) {
    workspace.reserve(program.node_count());
    for (std::size_t k = 0; k < program.used.size(); ++k) {
      workspace.nodes_[k] = x[program.used[k]];
      workspace.adjoints_[k] = S(0.0);
    }
    value = sweep(workspace);
  }
  for (std::size_t slot = 0, k = 0; slot < g.size(); ++slot) {
    const bool occurs = k < program.used.size() && program.used[k] == slot;
    g[slot] = occurs ? workspace.adjoints_[k++] : S(0.0);
  }
  detail::watch(program, value, [&](std::size_t k) { return x[program.used[k]]; });
  return value;
}

extern template Dual Expression::sweep<Dual>(Workspace<Dual>&) const;

}  // namespace livens
