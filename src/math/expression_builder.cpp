#include "math/expression_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace livens::detail {
namespace {

double folded(Op op, double a, double b) {
  switch (op) {
    case Op::negate: return -a;
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return is_integer(b) ? integer_power(a, static_cast<int>(b)) : std::pow(a, b);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::atan2: return std::atan2(a, b);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::sqrt: return std::sqrt(a);
    case Op::abs: return std::abs(a);
    case Op::min: return std::min(a, b);
    case Op::max: return std::max(a, b);
    default: return std::numeric_limits<double>::quiet_NaN();
  }
}

std::size_t hash_of(const Instruction& i) {
  std::size_t hash = std::bit_cast<std::uint64_t>(i.constant);
  for (const std::size_t part : {static_cast<std::size_t>(i.op), std::size_t{i.a}, std::size_t{i.b},
                                 std::size_t{i.c_node}, std::size_t{i.d_node}, static_cast<std::size_t>(i.exponent)})
    hash = (hash ^ part) * 0x9E3779B97F4A7C15U + (hash >> 29);
  return hash;
}

bool is_zero(const Operand& a) { return a.is_constant && a.value == 0.0; }

/// Whether multiplying by c never rounds (short of overflow and underflow).
bool is_power_of_two(double c) {
  int exponent = 0;
  return std::abs(std::frexp(c, &exponent)) == 0.5;
}

}  // namespace

Operand ProgramBuilder::variable(std::size_t slot) {
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].is_variable && nodes_[node].slot == slot) return at(node);
  nodes_.push_back({true, slot, {}});
  return at(nodes_.size() - 1);
}

Operand ProgramBuilder::unary(Op op, const Operand& a) {
  if (a.is_constant) return {true, folded(op, a.value, 0.0)};
  if (op == Op::negate)
    if (const Instruction* inner = instruction(a, Op::scale)) return emit_scale(-inner->constant, at(inner->a));
  return emit({.a = a.node, .op = op, .arity = 1});
}

Operand ProgramBuilder::binary(Op op, const Operand& a, const Operand& b) {
  if (a.is_constant && b.is_constant) return {true, folded(op, a.value, b.value)};
  if (op == Op::power) return power(a, b);
  if (a.is_constant || b.is_constant)
    if (const std::optional<Operand> shorter = with_constant(op, a, b)) return *shorter;
  return emit_binary(op, node_of(a), node_of(b));
}

Operand ProgramBuilder::select(Op op, const Operand& left, const Operand& right, const Operand& a, const Operand& b) {
  if (left.is_constant && right.is_constant)
    return (op == Op::select_less ? left.value < right.value : left.value <= right.value) ? a : b;
  if (a.is_constant && b.is_constant && std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value))
    return a;
  return emit(
      {.a = node_of(a), .b = node_of(b), .c_node = node_of(left), .d_node = node_of(right), .op = op, .arity = 2});
}

Program ProgramBuilder::program(const Operand& result) const {
  std::array<Operand, 1> results = {result};
  Program made = program(results);
  if (result.is_constant) made.constant = result.value;
  return made;
}

Program ProgramBuilder::program(std::span<Operand> results) const {
  Program program;
  const std::vector<bool> needed = nodes_needed(results);
  std::vector<std::uint16_t> place(nodes_.size());
  std::vector<bool> placed(nodes_.size(), false);
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (needed[node] && nodes_[node].is_variable) program.used.push_back(nodes_[node].slot);
  std::sort(program.used.begin(), program.used.end());

  const auto put = [&](std::size_t node) {
    place[node] = static_cast<std::uint16_t>(program.node_count());
    placed[node] = true;
    Instruction i = nodes_[node].instruction;
    if (i.arity >= 1) i.a = place[i.a];
    if (i.arity == 2) i.b = place[i.b];
    if (compares(i)) i.c_node = place[i.c_node], i.d_node = place[i.d_node];
    program.code.push_back(i);
  };
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (!needed[node] || placed[node]) continue;
    if (nodes_[node].is_variable) {
      const auto found = std::lower_bound(program.used.begin(), program.used.end(), nodes_[node].slot);
      place[node] = static_cast<std::uint16_t>(found - program.used.begin());
      continue;
    }
    const std::optional<std::size_t> other = results.size() > 1 ? partner(node) : std::nullopt;
    if (!other || !needed[*other]) {
      put(node);
      continue;
    }
    const bool sine_first = nodes_[node].instruction.op == Op::sin;
    put(sine_first ? node : *other);
    put(sine_first ? *other : node);
    program.code[program.code.size() - 2].op = Op::sin_cos;
    program.code.back().op = Op::made_before;
  }
  for (Operand& result : results)
    if (!result.is_constant) result.node = place[result.node];
  return program;
}

// The cosine of the angle of a sine, and the other way round.
std::optional<std::size_t> ProgramBuilder::partner(std::size_t node) const {
  const Instruction& i = nodes_[node].instruction;
  if (i.op != Op::sin && i.op != Op::cos) return std::nullopt;
  return place_of({.a = i.a, .op = i.op == Op::sin ? Op::cos : Op::sin, .arity = 1});
}

Operand ProgramBuilder::include(const Program& program) {
  if (program.used.empty()) return {true, program.constant, 0};
  std::vector<std::uint16_t> nodes;
  for (const std::size_t slot : program.used) nodes.push_back(variable(slot).node);
  for (Instruction i : program.code) {
    if (i.arity >= 1) i.a = nodes[i.a];
    if (i.arity == 2) i.b = nodes[i.b];
    if (compares(i)) i.c_node = nodes[i.c_node], i.d_node = nodes[i.d_node];
    nodes.push_back(emit(i).node);
  }
  return at(nodes.back());
}

std::vector<Operand> ProgramBuilder::gradient(const Operand& result, std::span<const std::size_t> slots) {
  constexpr Operand none{true, 0.0, 0};
  std::vector<Operand> adjoints(result.is_constant ? 0 : result.node + 1, none), slopes(slots.size(), none);
  if (result.is_constant) return slopes;
  adjoints[result.node] = {true, 1.0, 0};
  for (std::size_t node = adjoints.size(); node-- > 0 && !full_;) {
    if (nodes_[node].is_variable || is_zero(adjoints[node])) continue;
    flow_back(static_cast<std::uint16_t>(node), adjoints[node], [&](std::uint16_t operand, const Operand& part) {
      adjoints[operand] = binary(Op::add, adjoints[operand], part);
    });
  }
  for (std::size_t node = 0; node < adjoints.size(); ++node)
    for (std::size_t k = 0; k < slots.size(); ++k)
      if (nodes_[node].is_variable && nodes_[node].slot == slots[k]) slopes[k] = adjoints[node];
  return slopes;
}

template <class Take>
void ProgramBuilder::flow_back(std::uint16_t node, const Operand& adjoint, const Take& take) {
  constexpr Operand nothing{true, 0.0, 0};
  const Instruction i = nodes_[node].instruction;  // a copy: new nodes move the old ones
  const Operand r = at(node), a = at(i.a), b = at(i.b), c{true, i.constant, 0};
  const auto minus = [&](const Operand& x) { return unary(Op::negate, x); };
  const auto over = [&](const Operand& x, const Operand& y) { return binary(Op::divide, x, y); };
  // The adjoint goes to `yes` where left < right (or <=), else to `no`.
  const auto branch = [&](Op op, const Operand& left, const Operand& right, std::uint16_t yes, std::uint16_t no) {
    take(yes, select(op, left, right, adjoint, nothing));
    take(no, select(op, left, right, nothing, adjoint));
  };
  switch (i.op) {
    case Op::constant: return;
    case Op::shift: return take(i.a, adjoint);
    case Op::negate:
    case Op::subtract_from: return take(i.a, minus(adjoint));
    case Op::add: return take(i.a, adjoint), take(i.b, adjoint);
    case Op::subtract: return take(i.a, adjoint), take(i.b, minus(adjoint));
    case Op::multiply: return take(i.a, times(adjoint, b)), take(i.b, times(adjoint, a));
    case Op::divide: {
      const Operand part = over(adjoint, b);
      return take(i.a, part), take(i.b, minus(times(part, r)));
    }
    case Op::scale: return take(i.a, times(c, adjoint));
    case Op::divide_by: return take(i.a, over(adjoint, c));
    case Op::divide_into: return take(i.a, minus(over(times(adjoint, r), a)));
    case Op::power:
      take(i.a, times(adjoint, times(b, power(a, binary(Op::subtract, b, {true, 1.0, 0})))));
      return take(i.b, times(adjoint, times(r, unary(Op::log, a))));
    case Op::atan2: {
      const Operand square = binary(Op::add, times(a, a), times(b, b));
      return take(i.a, over(times(adjoint, b), square)), take(i.b, minus(over(times(adjoint, a), square)));
    }
    case Op::abs:
      return take(i.a, select(Op::select_less, a, nothing, minus(adjoint),
                              select(Op::select_less, nothing, a, adjoint, nothing)));
    case Op::min: return branch(Op::select_less, b, a, i.b, i.a);
    case Op::max: return branch(Op::select_less, a, b, i.b, i.a);
    case Op::select_less:
    case Op::select_less_equal: return branch(i.op, at(i.c_node), at(i.d_node), i.a, i.b);
    default: return take(i.a, function_back(i, r, adjoint));
  }
}

// The adjoint times the slope of a function of one number, r = f(a).
Operand ProgramBuilder::function_back(const Instruction& i, const Operand& r, const Operand& adjoint) {
  constexpr Operand one{true, 1.0, 0};
  const Operand a = at(i.a);
  const auto number = [](double value) { return Operand{true, value, 0}; };
  const auto minus = [&](const Operand& x) { return unary(Op::negate, x); };
  const auto plus = [&](const Operand& x, const Operand& y) { return binary(Op::add, x, y); };
  const auto over = [&](const Operand& x, const Operand& y) { return binary(Op::divide, x, y); };
  const auto below_one = [&](const Operand& x) { return binary(Op::subtract, one, x); };
  const auto cathetus = [&] { return unary(Op::sqrt, times(below_one(a), plus(one, a))); };  // sqrt(1 - a^2)
  switch (i.op) {
    case Op::square: return times(adjoint, times(number(2), a));
    case Op::power_integer:
      if (i.exponent > 0) return times(adjoint, times(number(i.exponent), power(a, number(i.exponent - 1))));
      return over(times(adjoint, times(number(i.exponent), r)), a);
    case Op::power_constant: return times(adjoint, times(number(i.constant), power(a, number(i.constant - 1))));
    case Op::power_of: return i.constant == 0 ? number(0) : times(adjoint, times(number(std::log(i.constant)), r));
    case Op::sin: return times(adjoint, unary(Op::cos, a));
    case Op::cos: return minus(times(adjoint, unary(Op::sin, a)));
    case Op::tan: return times(adjoint, plus(one, times(r, r)));
    case Op::asin: return over(adjoint, cathetus());
    case Op::acos: return minus(over(adjoint, cathetus()));
    case Op::atan: return over(adjoint, plus(one, times(a, a)));
    case Op::sinh: return times(adjoint, unary(Op::cosh, a));
    case Op::cosh: return times(adjoint, unary(Op::sinh, a));
    case Op::tanh: return times(adjoint, times(below_one(r), plus(one, r)));
    case Op::exp: return times(adjoint, r);
    case Op::log: return over(adjoint, a);
    case Op::sqrt: return over(times(number(0.5), adjoint), r);
    default: return number(std::numeric_limits<double>::quiet_NaN());  // there are no others
  }
}

bool ProgramBuilder::same(const Instruction& i, const Instruction& j) {
  return i.op == j.op && i.arity == j.arity && i.a == j.a && i.b == j.b && i.c_node == j.c_node &&
         i.d_node == j.d_node && i.exponent == j.exponent &&
         std::bit_cast<std::uint64_t>(i.constant) == std::bit_cast<std::uint64_t>(j.constant);
}

const Instruction* ProgramBuilder::instruction(const Operand& a, Op op) const {
  const Node& node = nodes_[a.node];
  return !node.is_variable && node.instruction.op == op ? &node.instruction : nullptr;
}

std::uint16_t ProgramBuilder::node_of(const Operand& a) {
  return a.is_constant ? emit({.constant = a.value, .op = Op::constant}).node : a.node;
}

std::optional<std::size_t> ProgramBuilder::place_of(const Instruction& wanted) const {
  const auto [first, last] = places_.equal_range(hash_of(wanted));
  for (auto found = first; found != last; ++found)
    if (same(nodes_[found->second].instruction, wanted)) return found->second;
  return std::nullopt;
}

Operand ProgramBuilder::emit(const Instruction& wanted) {
  if (const auto place = place_of(wanted)) return at(*place);
  if (nodes_.size() >= most_nodes_) {
    full_ = true;
    return {};
  }
  places_.emplace(hash_of(wanted), static_cast<std::uint16_t>(nodes_.size()));
  nodes_.push_back({false, 0, wanted});
  return at(nodes_.size() - 1);
}

Operand ProgramBuilder::emit_binary(Op op, std::uint16_t a, std::uint16_t b) {
  if (op == Op::multiply && a == b) return emit({.a = a, .op = Op::square, .arity = 1});
  if ((op == Op::add || op == Op::multiply) && a > b) std::swap(a, b);
  return emit({.a = a, .b = b, .op = op, .arity = 2});
}

Operand ProgramBuilder::emit_with(Op op, double constant, const Operand& a) {
  return emit({.constant = constant, .a = a.node, .op = op, .arity = 1});
}

Operand ProgramBuilder::emit_scale(double c, const Operand& a) {
  if (c == 1.0) return a;
  if (c == -1.0) return unary(Op::negate, a);
  if (const Instruction* inner = instruction(a, Op::scale)) {
    const double both = c * inner->constant;
    if ((is_power_of_two(c) || is_power_of_two(inner->constant)) && std::isnormal(both))
      return emit_scale(both, at(inner->a));
  }
  return emit_with(Op::scale, c, a);
}

std::optional<Operand> ProgramBuilder::with_constant(Op op, const Operand& a, const Operand& b) {
  const double c = a.is_constant ? a.value : b.value;
  const Operand& x = a.is_constant ? b : a;
  switch (op) {
    case Op::add: return c == 0.0 ? x : emit_with(Op::shift, c, x);
    case Op::subtract:
      if (a.is_constant) return c == 0.0 ? unary(Op::negate, x) : emit_with(Op::subtract_from, c, x);
      return c == 0.0 ? x : emit_with(Op::shift, -c, x);
    case Op::multiply: return emit_scale(c, x);
    case Op::divide:
      if (a.is_constant) return emit_with(Op::divide_into, c, x);
      if (is_power_of_two(c) && std::isnormal(1.0 / c)) return emit_scale(1.0 / c, x);
      return emit_with(Op::divide_by, c, x);
    default: return std::nullopt;
  }
}

Operand ProgramBuilder::power(const Operand& base, const Operand& exponent) {
  constexpr double largest_integer = 64.0;
  if (base.is_constant) return emit_with(Op::power_of, base.value, exponent);
  if (!exponent.is_constant) return emit_binary(Op::power, base.node, exponent.node);
  const double p = exponent.value;
  if (p == 0.0) return {true, 1.0};
  if (p == 1.0) return base;
  if (p == 2.0) return emit({.a = base.node, .op = Op::square, .arity = 1});
  if (p == 0.5) return emit({.a = base.node, .op = Op::sqrt, .arity = 1});
  if (std::abs(p) <= largest_integer && is_integer(p))
    return emit({.a = base.node, .exponent = static_cast<std::int16_t>(p), .op = Op::power_integer, .arity = 1});
  return emit_with(Op::power_constant, p, base);
}

std::vector<bool> ProgramBuilder::nodes_needed(std::span<const Operand> results) const {
  std::vector<bool> needed(nodes_.size(), false);
  for (const Operand& result : results)
    if (!result.is_constant) needed[result.node] = true;
  for (std::size_t node = nodes_.size(); node-- > 0;) {
    if (!needed[node] || nodes_[node].is_variable) continue;
    const Instruction& i = nodes_[node].instruction;
    if (i.arity >= 1) needed[i.a] = true;
    if (i.arity == 2) needed[i.b] = true;
    if (compares(i)) needed[i.c_node] = needed[i.d_node] = true;
  }
  return needed;
}

}  // namespace livens::detail
