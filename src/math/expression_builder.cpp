#include "math/expression_builder.hpp"

#include <algorithm>
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
  Program program;
  if (result.is_constant) {
    program.constant = result.value;
    return program;
  }
  const std::vector<bool> needed = nodes_needed(result.node);
  std::vector<std::uint16_t> place(nodes_.size());
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (needed[node] && nodes_[node].is_variable) program.used.push_back(nodes_[node].slot);
  std::sort(program.used.begin(), program.used.end());

  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (!needed[node]) continue;
    if (nodes_[node].is_variable) {
      const auto found = std::lower_bound(program.used.begin(), program.used.end(), nodes_[node].slot);
      place[node] = static_cast<std::uint16_t>(found - program.used.begin());
    } else {
      place[node] = static_cast<std::uint16_t>(program.node_count());
      Instruction i = nodes_[node].instruction;
      if (i.arity >= 1) i.a = place[i.a];
      if (i.arity == 2) i.b = place[i.b];
      if (compares(i)) i.c_node = place[i.c_node], i.d_node = place[i.d_node];
      program.code.push_back(i);
    }
  }
  return program;
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

Operand ProgramBuilder::emit(const Instruction& wanted) {
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (!nodes_[node].is_variable && same(nodes_[node].instruction, wanted)) return at(node);
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

std::vector<bool> ProgramBuilder::nodes_needed(std::size_t result) const {
  std::vector<bool> needed(nodes_.size(), false);
  needed[result] = true;
  for (std::size_t node = result + 1; node-- > 0;) {
    if (!needed[node] || nodes_[node].is_variable) continue;
    const Instruction& i = nodes_[node].instruction;
    if (i.arity >= 1) needed[i.a] = true;
    if (i.arity == 2) needed[i.b] = true;
    if (compares(i)) needed[i.c_node] = needed[i.d_node] = true;
  }
  return needed;
}

}  // namespace livens::detail
