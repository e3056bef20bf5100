// From operations to a program: constants are folded as they appear, equal instructions are merged, and what the result
// does not need is dropped at the end. Derivatives are more operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
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
  /// most_nodes: beyond them it is full, and what it returns is of no use.
  explicit ProgramBuilder(std::size_t most_nodes = std::numeric_limits<std::uint16_t>::max())
      : most_nodes_(most_nodes) {}
  bool full() const { return full_; }

  static bool compares(const Instruction& i) { return i.op == Op::select_less || i.op == Op::select_less_equal; }

  Operand variable(std::size_t slot);
  Operand unary(Op op, const Operand& a);
  Operand binary(Op op, const Operand& a, const Operand& b);
  Operand select(Op op, const Operand& left, const Operand& right, const Operand& a, const Operand& b);

  /// Takes in a whole program; returns its value.
  Operand include(const Program& program);
  /// The derivatives of `result` by the variables in `slots`, by one sweep backwards over symbols.
  std::vector<Operand> gradient(const Operand& result, std::span<const std::size_t> slots);

  /// Keeps what `result` needs, with the variables first.
  Program program(const Operand& result) const;
  /// Keeps what all of these need, and moves them to their nodes in the program; a sine and a cosine of one node are
  /// one operation.
  Program program(std::span<Operand> results) const;

 private:
  struct Node {
    bool is_variable = false;
    std::size_t slot = 0;
    Instruction instruction;
  };

  static bool same(const Instruction& i, const Instruction& j);
  static Operand at(std::size_t node) { return {false, 0.0, static_cast<std::uint16_t>(node)}; }
  const Instruction* instruction(const Operand& a, Op op) const;
  std::uint16_t node_of(const Operand& a);
  std::optional<std::size_t> place_of(const Instruction& wanted) const;
  std::optional<std::size_t> partner(std::size_t node) const;
  Operand emit(const Instruction& wanted);
  Operand emit_binary(Op op, std::uint16_t a, std::uint16_t b);
  Operand emit_with(Op op, double constant, const Operand& a);
  /// c * a; two factors become one where that changes no bit of the result.
  Operand emit_scale(double c, const Operand& a);
  std::optional<Operand> with_constant(Op op, const Operand& a, const Operand& b);
  Operand power(const Operand& base, const Operand& exponent);
  std::vector<bool> nodes_needed(std::span<const Operand> results) const;
  /// Calls take(operand, adjoint) for what the adjoint of a node gives to those of its operands.
  template <class Take>
  void flow_back(std::uint16_t node, const Operand& adjoint, const Take& take);
  Operand function_back(const Instruction& i, const Operand& r, const Operand& adjoint);
  Operand times(const Operand& a, const Operand& b) { return binary(Op::multiply, a, b); }

  std::vector<Node> nodes_;
  std::unordered_multimap<std::size_t, std::uint16_t> places_;  // of instructions, by their hash
  std::size_t most_nodes_;
  bool full_ = false;
};

}  // namespace livens::detail
