// Derivatives of sums of expressions, worked out once as expressions of their own: the sweep backwards is done on
// symbols, so that a gradient or a matrix of second derivatives is a program without branches that has one result for
// each of its entries, and equal sub-expressions, sines and cosines among them, are computed once.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "math/expression.hpp"
#include "math/expression_builder.hpp"

namespace livens {

struct SignedExpression {
  double sign;
  Expression expression;
};

/// A program with several results.
class DerivativeProgram {
 public:
  static constexpr std::size_t most_nodes = 2048;

  /// The program of these results, which may need these variables; nothing if it is too long.
  static std::optional<DerivativeProgram> make(const detail::ProgramBuilder& builder,
                                               std::span<const detail::Operand> results);

  std::size_t size() const { return results_.size(); }  // of results

  /// Writes the results at x(slot), the value of a variable. False where one of them is not finite: symbols do not know
  /// which part of 0 * inf wins, sweeps over numbers do. Also where an ExpressionWatch lives, which watches sweeps.
  template <class Variable>
  bool run(const Variable& x, double* results) const {
    double nodes[most_nodes];  // most of it is not touched
    for (std::size_t k = 0; k < program_.used.size(); ++k) nodes[k] = x(program_.used[k]);
    run_code(nodes);
    double check = 0;
    for (std::size_t k = 0; k < results_.size(); ++k) {
      results[k] = results_[k].is_constant ? results_[k].value : nodes[results_[k].node];
      check += 0 * results[k];
    }
    return check == 0 && ExpressionWatch::active() == nullptr;
  }

 private:
  /// Equal operations whose operands are known before the first of them: one after the other in the code, and so are
  /// their results in the nodes.
  struct Run {
    detail::Op op;
    std::uint16_t count;
  };

  void sort_by_runs();
  void run_code(double* nodes) const;

  detail::Program program_;
  std::vector<Run> runs_;
  std::vector<detail::Operand> results_;
};

/// The value of the sum, then its derivatives by the variables in `slots`.
std::optional<DerivativeProgram> value_and_gradient(std::span<const SignedExpression> sum,
                                                    std::span<const std::size_t> slots);
/// The derivatives alone.
std::optional<DerivativeProgram> gradient(std::span<const SignedExpression> sum, std::span<const std::size_t> slots);
/// The second derivatives by these variables, the lower triangle row by row.
std::optional<DerivativeProgram> second_derivatives(std::span<const SignedExpression> sum,
                                                    std::span<const std::size_t> slots);

}  // namespace livens
