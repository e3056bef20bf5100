// From operations to a program: constants are folded as they appear, equal instructions are merged, and what the result
// does not need is dropped at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "math/expression_program.hpp"

namespace livens::detail {

/// A number known now, or the node that will hold it.
struct Operand {
  bool is_constant = true;
  double value = 0.0;
  std::uint16_t node = 0;
};

/// Collects the nodes of a program: variables and instructions, in the order of first use.
class ProgramBuilder {
 public:
  Operand variable(std::size_t slot);
  Operand unary(Op op, const Operand& a);
  Operand binary(Op op, const Operand& a, const Operand& b);
  Operand select(Op op, const Operand& left, const Operand& right, const Operand& a, const Operand& b);

  /// Keeps what `result` needs, with the variables first.
  Program program(const Operand& result) const;

 private:
  struct Node {
    bool is_variable = false;
    std::size_t slot = 0;
    Instruction instruction;
  };

  static bool compares(const Instruction& i) { return i.op == Op::select_less || i.op == Op::select_less_equal; }
  static bool same(const Instruction& i, const Instruction& j);
  static Operand at(std::size_t node) { return {false, 0.0, static_cast<std::uint16_t>(node)}; }
  const Instruction* instruction(const Operand& a, Op op) const;
  std::uint16_t node_of(const Operand& a);
  Operand emit(const Instruction& wanted);
  Operand emit_binary(Op op, std::uint16_t a, std::uint16_t b);
  Operand emit_with(Op op, double constant, const Operand& a);
  /// c * a; two factors become one where that changes no bit of the result.
  Operand emit_scale(double c, const Operand& a);
  std::optional<Operand> with_constant(Op op, const Operand& a, const Operand& b);
  Operand power(const Operand& base, const Operand& exponent);
  std::vector<bool> nodes_needed(std::size_t result) const;

  std::vector<Node> nodes_;
};

}  // namespace livens::detail
