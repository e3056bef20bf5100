// The program that an expression becomes: instructions without branches, each of which makes one new node from earlier
// nodes; and the sweep forwards over them, in any arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <livens/jet.hpp>

namespace livens::detail {

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
  sin_cos,            // sin(a), and cos(a) in the node after it; in derivatives
  made_before,        // that node
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
  std::vector<std::size_t> used;   // slots of the variables that occur, ascending
  std::vector<std::string> names;  // of these variables
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

/// The new node r of an instruction and, with partials, dr/da and dr/db. Slopes are given as functions, which are
/// called only where partials are wanted, and after r is known.
template <Sweep sweep, class S>
struct Result {
  static constexpr bool partials = sweep == Sweep::values_and_partials;
  S& r;
  S *by_a, *by_b;

  void set(const S& value) const { r = value; }
  template <class SlopeA>
  void set(const S& value, const SlopeA& slope_a) const {
    r = value;
    if constexpr (partials) *by_a = slope_a();
  }
  template <class SlopeA, class SlopeB>
  void set(const S& value, const SlopeA& slope_a, const SlopeB& slope_b) const {
    r = value;
    if constexpr (partials) *by_a = slope_a(), *by_b = slope_b();
  }

  // Sine and cosine of one angle are taken together: the one is the slope of the other.
  void sine(const S& a) const {
    using std::sin;
    if constexpr (partials)
      sin_cos(a, r, *by_a);
    else
      r = sin(a);
  }
  void cosine(const S& a) const {
    using std::cos;
    if constexpr (partials) {
      S minus;
      sin_cos(a, minus, r);
      *by_a = -minus;
    } else {
      r = cos(a);
    }
  }
  // The cosine goes into the node after this one; in values only.
  void sine_and_cosine(const S& a) const {
    if constexpr (!partials) sin_cos(a, r, (&r)[1]);
  }
  // |n| >= 2 except for -1; d a^n / da = n a^(n-1)
  void integer_power(const S& a, int n) const {
    if (n > 0) {
      const S lower = positive_power(a, static_cast<unsigned>(n - 1));
      set(lower * a, [&] { return static_cast<double>(n) * lower; });
    } else {
      set(1.0 / positive_power(a, static_cast<unsigned>(-n)), [&] { return static_cast<double>(n) * r / a; });
    }
  }
  void atan2(const S& a, const S& b) const {
    using std::atan2;
    r = atan2(a, b);
    if constexpr (partials) {
      const S r2 = a * a + b * b;
      *by_a = b / r2;
      *by_b = -a / r2;
    }
  }
  // a or b by a condition: dr/da is `held` where it holds, else `otherwise`; dr/db the other way round.
  template <class Condition>
  void choice(const S& value, const Condition& condition, double held, double otherwise) const {
    set(
        value, [&] { return select(condition, S(held), S(otherwise)); },
        [&] { return select(condition, S(otherwise), S(held)); });
  }
};

/// One instruction.
template <Sweep sweep, class S>
[[gnu::always_inline]] inline void execute(const Instruction& i, const S* nodes, const Result<sweep, S>& out) {
  using std::abs, std::acos, std::asin, std::atan, std::cosh, std::exp, std::log, std::max, std::min, std::pow,
      std::sinh, std::sqrt, std::tan, std::tanh;
  const S &a = nodes[i.a], &b = nodes[i.b], &r = out.r;
  const double& c = i.constant;  // read where it is used, not before the switch
  const auto one = [] { return S(1.0); };
  const auto minus_one = [] { return S(-1.0); };
  switch (i.op) {
    case Op::constant: return out.set(S(c));
    case Op::negate: return out.set(-a, minus_one);
    case Op::add: return out.set(a + b, one, one);
    case Op::subtract: return out.set(a - b, one, minus_one);
    case Op::multiply:
      return out.set(
          a * b, [&] { return b; }, [&] { return a; });
    case Op::divide:
      return out.set(
          a / b, [&] { return 1.0 / b; }, [&] { return -r / b; });
    case Op::shift: return out.set(c + a, one);
    case Op::subtract_from: return out.set(c - a, minus_one);
    case Op::scale: return out.set(c * a, [&] { return S(c); });
    case Op::divide_by: return out.set(a / c, [&] { return S(1.0 / c); });
    case Op::divide_into: return out.set(c / a, [&] { return -r / a; });
    case Op::square: return out.set(a * a, [&] { return 2.0 * a; });
    case Op::power_integer: return out.integer_power(a, i.exponent);
    case Op::power_constant: return out.set(pow(a, c), [&] { return c * pow(a, c - 1.0); });
    case Op::power_of: return out.set(pow(c, a), [&] { return r * (c == 0.0 ? 0.0 : std::log(c)); });
    case Op::power:
      return out.set(
          pow(a, b), [&] { return b * pow(a, b - 1.0); }, [&] { return r * log(a); });
    case Op::sin: return out.sine(a);
    case Op::cos: return out.cosine(a);
    case Op::tan: return out.set(tan(a), [&] { return 1.0 + r * r; });
    case Op::asin: return out.set(asin(a), [&] { return 1.0 / sqrt((1.0 - a) * (1.0 + a)); });
    case Op::acos: return out.set(acos(a), [&] { return -1.0 / sqrt((1.0 - a) * (1.0 + a)); });
    case Op::atan: return out.set(atan(a), [&] { return 1.0 / (1.0 + a * a); });
    case Op::atan2: return out.atan2(a, b);
    case Op::sinh: return out.set(sinh(a), [&] { return cosh(a); });
    case Op::cosh: return out.set(cosh(a), [&] { return sinh(a); });
    case Op::tanh: return out.set(tanh(a), [&] { return (1.0 - r) * (1.0 + r); });
    case Op::exp: return out.set(exp(a), [&] { return r; });
    case Op::log: return out.set(log(a), [&] { return 1.0 / a; });
    case Op::sqrt:
      return out.set(sqrt(a) + 0.0, [&] { return 0.5 / r; });  // sqrt(-0.0) is -0.0, but has the slope +inf
    case Op::abs: return out.set(abs(a), [&] { return select(a < 0.0, S(-1.0), select(a > 0.0, S(1.0), S(0.0))); });
    case Op::min: return out.choice(min(a, b), b < a, 0.0, 1.0);
    case Op::max: return out.choice(max(a, b), a < b, 0.0, 1.0);
    case Op::select_less: {
      const auto condition = nodes[i.c_node] < nodes[i.d_node];
      return out.choice(select(condition, a, b), condition, 1.0, 0.0);
    }
    case Op::select_less_equal: {
      const auto condition = nodes[i.c_node] <= nodes[i.d_node];
      return out.choice(select(condition, a, b), condition, 1.0, 0.0);
    }
    case Op::sin_cos: return out.sine_and_cosine(a);
    case Op::made_before: return;
  }
}

/// Fills the nodes after the variables. With partials, also d node / d a and d node / d b of each instruction, and
/// clears the adjoints of these nodes (here, since reading back what memset has just written stalls).
template <Sweep sweep, class S>
void run(const Program& program, S* nodes, [[maybe_unused]] S* adjoints, S* partial_a, S* partial_b) {
  constexpr bool partials = sweep == Sweep::values_and_partials;
  S* out = nodes + program.used.size();
  if constexpr (partials) adjoints += program.used.size();
  for (const Instruction& i : program.code) {
    execute<sweep, S>(i, nodes, {*out++, partial_a, partial_b});
    if constexpr (partials) *adjoints++ = S(0.0), ++partial_a, ++partial_b;
  }
}

}  // namespace livens::detail
