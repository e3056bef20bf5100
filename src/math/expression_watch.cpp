#include "math/expression_watch.hpp"

#include <array>
#include <cstdio>

namespace livens {
namespace {

using detail::Instruction;
using detail::Op;
using detail::Program;

std::string shown(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", x);
  return text.data();
}

// In front of ^ and behind an operator.
std::string enclosed(double x) { return x < 0 ? "(" + shown(x) + ")" : shown(x); }

std::string call(const char* name, double a) { return std::string(name) + "(" + shown(a) + ")"; }
std::string operation(double a, const char* sign, double b) { return enclosed(a) + sign + enclosed(b); }

// An instruction with the numbers that it met.
std::string operation_text(const Instruction& i, const std::vector<double>& nodes) {
  const double a = nodes[i.a], b = nodes[i.b], c = i.constant;
  switch (i.op) {
    case Op::add: return operation(a, " + ", b);
    case Op::subtract: return operation(a, " - ", b);
    case Op::multiply: return operation(a, "*", b);
    case Op::divide: return operation(a, "/", b);
    case Op::shift: return operation(c, " + ", a);
    case Op::subtract_from: return operation(c, " - ", a);
    case Op::scale: return operation(c, "*", a);
    case Op::divide_by: return operation(a, "/", c);
    case Op::divide_into: return operation(c, "/", a);
    case Op::square: return operation(a, "^", 2);
    case Op::power_integer: return operation(a, "^", i.exponent);
    case Op::power_constant: return operation(a, "^", c);
    case Op::power_of: return operation(c, "^", a);
    case Op::power: return operation(a, "^", b);
    case Op::tan: return call("tan", a);
    case Op::asin: return call("asin", a);
    case Op::acos: return call("acos", a);
    case Op::sinh: return call("sinh", a);
    case Op::cosh: return call("cosh", a);
    case Op::exp: return call("exp", a);
    case Op::log: return call("log", a);
    case Op::sqrt: return call("sqrt", a);
    default: return "a value that is not finite";  // a variable or a function of one
  }
}

// The node that an instruction with a result that is not finite has it from; -1: it is the first.
int guilty_operand(const Instruction& i, const std::vector<double>& nodes) {
  const auto bad = [&](int node) { return !std::isfinite(nodes[node]); };
  const bool compares = i.op == Op::select_less || i.op == Op::select_less_equal;
  if (compares) {
    const double c = nodes[i.c_node], d = nodes[i.d_node];
    return (i.op == Op::select_less ? c < d : c <= d) ? i.a : i.b;
  }
  if (i.arity > 0 && bad(i.a)) return i.a;
  return i.arity > 1 && bad(i.b) ? i.b : -1;
}

// Where the value became not finite: the node, followed from the result back to where it began.
int first_node(const Program& program, const std::vector<double>& nodes) {
  const int variables = static_cast<int>(program.used.size());
  int node = static_cast<int>(nodes.size()) - 1;
  while (node >= variables) {
    const int operand = guilty_operand(program.code[node - variables], nodes);
    if (operand < 0) break;
    node = operand;
  }
  return node;
}

std::string first_operation(const Program& program, const std::vector<double>& nodes) {
  const int variables = static_cast<int>(program.used.size()), node = first_node(program, nodes);
  return node < variables ? program.names[node] + " itself" : operation_text(program.code[node - variables], nodes);
}

// A number too large to be represented, of an operation that has a value: that is the doing of whatever let its
// operands grow.
bool overflows(const Program& program, const std::vector<double>& nodes) {
  const int variables = static_cast<int>(program.used.size()), node = first_node(program, nodes);
  if (node < variables || !std::isinf(nodes[node])) return false;
  const Instruction& i = program.code[node - variables];
  switch (i.op) {
    case Op::divide: return nodes[i.b] != 0;
    case Op::divide_into: return nodes[i.a] != 0;
    case Op::power_integer:
    case Op::power_constant:
    case Op::power: return nodes[i.a] != 0;
    case Op::log: return false;
    default: return true;
  }
}

}  // namespace

void ExpressionWatch::note(const Program& program, std::span<const double> x) {
  if (found_) return;
  std::vector<double> nodes(program.node_count());
  std::copy(x.begin(), x.end(), nodes.begin());
  detail::run<detail::Sweep::values, double>(program, nodes.data(), nullptr, nullptr, nullptr);
  if (!std::isfinite(nodes.back()) && overflows(program, nodes)) return;
  found_.emplace();
  found_->text = program.text;
  for (std::size_t k = 0; k < x.size(); ++k) found_->variables.emplace_back(program.names[k], x[k]);
  found_->operation =
      std::isfinite(nodes.back()) ? "a derivative of it is infinite there" : first_operation(program, nodes);
}

std::string UndefinedExpression::to_string() const {
  std::string result = "'" + text + "' is not finite at ";
  for (std::size_t k = 0; k < variables.size(); ++k)
    result += (k == 0 ? "" : ", ") + variables[k].first + " = " + shown(variables[k].second);
  return result + ": " + operation;
}

}  // namespace livens
