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
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <livens/jet.hpp>

namespace livens {

/// What is wrong with the text of an expression, and where.
class ExpressionError : public std::runtime_error {
 public:
  ExpressionError(const std::string& message, std::size_t offset_in) : std::runtime_error(message), offset(offset_in) {}

  std::size_t offset;  ///< byte of the text at which the fault stands
};

/// The text, and below it a caret under the byte at `offset`; long texts are shown around it.
std::string caret(std::string_view text, std::size_t offset);

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

namespace detail {

enum class Op : std::uint8_t {
  constant,  // c
  negate,    // -a
  add,       // a + b
  subtract,
  multiply,
  divide,
  shift,           // c + a
  subtract_from,   // c - a
  scale,           // c * a
  divide_by,       // a / c
  divide_into,     // c / a
  square,          // a * a
  power_integer,   // a^exponent
  power_constant,  // a^c
  power_of,        // c^a
  power,           // a^b
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  abs,
  min,
  max,
  select_less,        // c_node < d_node ? a : b
  select_less_equal,  // c_node <= d_node ? a : b
};

struct Instruction {
  double constant = 0.0;
  std::uint16_t a = 0, b = 0;            // nodes that the result is differentiated by
  std::uint16_t c_node = 0, d_node = 0;  // nodes that are only compared
  std::int16_t exponent = 0;
  Op op = Op::constant;
  std::uint8_t arity = 0;  // how many of a, b are in use
};

/// Nodes 0 to used.size()-1 are the variables that occur, the next ones the results of `code`; the last node is the
/// value. A constant expression has no nodes.
struct Program {
  std::string text;
  std::size_t variable_count = 0;
  double constant = 0.0;
  std::vector<std::size_t> used;  // slots of the variables that occur, ascending
  std::vector<Instruction> code;

  std::size_t node_count() const { return used.size() + code.size(); }
};

/// Uninitialised room for `count` numbers: on the stack, unless there are many.
template <class S>
class NodeBuffer {
  static_assert(std::is_trivially_copyable_v<S> && std::is_trivially_destructible_v<S>);
  static constexpr std::size_t capacity = std::clamp<std::size_t>(32768 / sizeof(S), 8, 256);

 public:
  explicit NodeBuffer(std::size_t count) {
    if (count > capacity) heap_.resize(count);
    data_ = count > capacity ? heap_.data() : reinterpret_cast<S*>(stack_);
  }
  NodeBuffer(const NodeBuffer&) = delete;
  NodeBuffer& operator=(const NodeBuffer&) = delete;

  S* data() { return data_; }

 private:
  alignas(S) std::byte stack_[capacity * sizeof(S)];
  std::vector<S> heap_;
  S* data_;
};

/// Whether nothing flows back through a node; packs go on regardless.
template <class S>
constexpr bool vanishes(const S&) {
  return false;
}
constexpr bool vanishes(double a) { return a == 0.0; }
constexpr bool vanishes(const Dual& a) { return a.value == 0.0 && a.derivative == 0.0; }

template <class S>
void sin_cos(const S& a, S& s, S& c) {
  using std::cos, std::sin;
  s = sin(a);
  c = cos(a);
}
inline void sin_cos(const Dual& a, Dual& s, Dual& c) {
  const double sine = std::sin(a.value), cosine = std::cos(a.value);
  s = {sine, cosine * a.derivative};
  c = {cosine, -sine * a.derivative};
}

enum class Sweep { values, values_and_partials };

/// Fills the nodes after the variables. With partials, also d node / d a and d node / d b of each instruction, and
/// clears the adjoints of these nodes (here, since reading back what memset has just written stalls).
template <Sweep sweep, class S>
void run(const Program& program, S* nodes, [[maybe_unused]] S* adjoints, [[maybe_unused]] S* partial_a,
         [[maybe_unused]] S* partial_b) {
  using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cos, std::cosh, std::exp, std::log, std::max,
      std::min, std::pow, std::sin, std::sinh, std::sqrt, std::tan, std::tanh;
  constexpr bool partials = sweep == Sweep::values_and_partials;

  S* out = nodes + program.used.size();
  if constexpr (partials) adjoints += program.used.size();
  for (const Instruction& i : program.code) {
    const S& a = nodes[i.a];
    const S& b = nodes[i.b];
    S& r = *out;
    switch (i.op) {
      case Op::constant: r = S(i.constant); break;
      case Op::negate:
        r = -a;
        if constexpr (partials) *partial_a = S(-1.0);
        break;
      case Op::add:
        r = a + b;
        if constexpr (partials) *partial_a = *partial_b = S(1.0);
        break;
      case Op::subtract:
        r = a - b;
        if constexpr (partials) *partial_a = S(1.0), *partial_b = S(-1.0);
        break;
      case Op::multiply:
        r = a * b;
        if constexpr (partials) *partial_a = b, *partial_b = a;
        break;
      case Op::divide:
        r = a / b;
        if constexpr (partials) *partial_a = 1.0 / b, *partial_b = -r / b;
        break;
      case Op::shift:
        r = i.constant + a;
        if constexpr (partials) *partial_a = S(1.0);
        break;
      case Op::subtract_from:
        r = i.constant - a;
        if constexpr (partials) *partial_a = S(-1.0);
        break;
      case Op::scale:
        r = i.constant * a;
        if constexpr (partials) *partial_a = S(i.constant);
        break;
      case Op::divide_by:
        r = a / i.constant;
        if constexpr (partials) *partial_a = S(1.0 / i.constant);
        break;
      case Op::divide_into:
        r = i.constant / a;
        if constexpr (partials) *partial_a = -r / a;
        break;
      case Op::square:
        r = a * a;
        if constexpr (partials) *partial_a = 2.0 * a;
        break;
      case Op::power_integer: {
        // |exponent| >= 2 except for -1; d a^n / da = n a^(n-1)
        const double n = i.exponent;
        if (i.exponent > 0) {
          const S lower = positive_power(a, static_cast<unsigned>(i.exponent - 1));
          r = lower * a;
          if constexpr (partials) *partial_a = n * lower;
        } else {
          r = 1.0 / positive_power(a, static_cast<unsigned>(-i.exponent));
          if constexpr (partials) *partial_a = n * r / a;
        }
        break;
      }
      case Op::power_constant:
        r = pow(a, i.constant);
        if constexpr (partials) *partial_a = i.constant * pow(a, i.constant - 1.0);
        break;
      case Op::power_of:
        r = pow(i.constant, a);
        if constexpr (partials) *partial_a = r * (i.constant == 0.0 ? 0.0 : std::log(i.constant));
        break;
      case Op::power:
        r = pow(a, b);
        if constexpr (partials) *partial_a = b * pow(a, b - 1.0), *partial_b = r * log(a);
        break;
      case Op::sin:
        if constexpr (partials)
          sin_cos(a, r, *partial_a);
        else
          r = sin(a);
        break;
      case Op::cos:
        if constexpr (partials) {
          S sine;
          sin_cos(a, sine, r);
          *partial_a = -sine;
        } else {
          r = cos(a);
        }
        break;
      case Op::tan:
        r = tan(a);
        if constexpr (partials) *partial_a = 1.0 + r * r;
        break;
      case Op::asin:
        r = asin(a);
        if constexpr (partials) *partial_a = 1.0 / sqrt((1.0 - a) * (1.0 + a));
        break;
      case Op::acos:
        r = acos(a);
        if constexpr (partials) *partial_a = -1.0 / sqrt((1.0 - a) * (1.0 + a));
        break;
      case Op::atan:
        r = atan(a);
        if constexpr (partials) *partial_a = 1.0 / (1.0 + a * a);
        break;
      case Op::atan2:
        r = atan2(a, b);
        if constexpr (partials) {
          const S r2 = a * a + b * b;
          *partial_a = b / r2;
          *partial_b = -a / r2;
        }
        break;
      case Op::sinh:
        r = sinh(a);
        if constexpr (partials) *partial_a = cosh(a);
        break;
      case Op::cosh:
        r = cosh(a);
        if constexpr (partials) *partial_a = sinh(a);
        break;
      case Op::tanh:
        r = tanh(a);
        if constexpr (partials) *partial_a = (1.0 - r) * (1.0 + r);
        break;
      case Op::exp:
        r = exp(a);
        if constexpr (partials) *partial_a = r;
        break;
      case Op::log:
        r = log(a);
        if constexpr (partials) *partial_a = 1.0 / a;
        break;
      case Op::sqrt:
        r = sqrt(a) + 0.0;  // sqrt(-0.0) is -0.0, and its slope must still be +inf
        if constexpr (partials) *partial_a = 0.5 / r;
        break;
      case Op::abs:
        r = abs(a);
        if constexpr (partials) *partial_a = select(a < 0.0, S(-1.0), select(a > 0.0, S(1.0), S(0.0)));
        break;
      case Op::min:
        r = min(a, b);
        if constexpr (partials) {
          *partial_a = select(b < a, S(0.0), S(1.0));
          *partial_b = select(b < a, S(1.0), S(0.0));
        }
        break;
      case Op::max:
        r = max(a, b);
        if constexpr (partials) {
          *partial_a = select(a < b, S(0.0), S(1.0));
          *partial_b = select(a < b, S(1.0), S(0.0));
        }
        break;
      case Op::select_less: {
        const auto condition = nodes[i.c_node] < nodes[i.d_node];
        r = select(condition, a, b);
        if constexpr (partials) {
          *partial_a = select(condition, S(1.0), S(0.0));
          *partial_b = select(condition, S(0.0), S(1.0));
        }
        break;
      }
      case Op::select_less_equal: {
        const auto condition = nodes[i.c_node] <= nodes[i.d_node];
        r = select(condition, a, b);
        if constexpr (partials) {
          *partial_a = select(condition, S(1.0), S(0.0));
          *partial_b = select(condition, S(0.0), S(1.0));
        }
        break;
      }
    }
    ++out;
    if constexpr (partials) *adjoints++ = S(0.0), ++partial_a, ++partial_b;
  }
}

}  // namespace detail

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

 private:
  explicit Expression(std::shared_ptr<const detail::Program> program) : program_(std::move(program)) {}

  /// Forwards and backwards over a workspace whose first nodes hold the variables that occur, with adjoints 0. These
  /// adjoints become the gradient.
  template <class S>
  S sweep(Workspace<S>& workspace) const;

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
  return value;
}

extern template Dual Expression::sweep<Dual>(Workspace<Dual>&) const;

}  // namespace livens
