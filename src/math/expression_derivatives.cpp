#include "math/expression_derivatives.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace livens {
namespace {

using detail::Instruction;
using detail::Op;
using detail::Operand;
using detail::ProgramBuilder;

constexpr Operand zero{true, 0.0, 0};

// The sum in a builder.
Operand sum_in(ProgramBuilder& builder, std::span<const SignedExpression> sum) {
  Operand total = zero;
  for (const auto& [sign, expression] : sum) {
    const Operand part = builder.include(expression.program());
    total =
        builder.binary(Op::add, total, sign == 1 ? part : builder.binary(Op::multiply, Operand{true, sign, 0}, part));
  }
  return total;
}

}  // namespace

std::optional<DerivativeProgram> DerivativeProgram::make(const ProgramBuilder& builder,
                                                         std::span<const Operand> results) {
  DerivativeProgram derivatives;
  derivatives.results_.assign(results.begin(), results.end());
  derivatives.program_ = builder.program(derivatives.results_);
  if (derivatives.program_.node_count() > most_nodes) return std::nullopt;
  derivatives.sort_by_runs();
  return derivatives;
}

// By depth, the longest way from a variable, and then by operation.
void DerivativeProgram::sort_by_runs() {
  std::vector<Instruction>& code = program_.code;
  const std::size_t variables = program_.used.size();
  std::vector<int> depth(program_.node_count(), 0);
  for (std::size_t k = 0; k < code.size(); ++k) {
    const Instruction& i = code[k];
    int& own = depth[variables + k];
    if (i.op == Op::made_before) {
      own = depth[variables + k - 1];
      continue;
    }
    if (i.arity >= 1) own = depth[i.a] + 1;
    if (i.arity == 2) own = std::max(own, depth[i.b] + 1);
    if (ProgramBuilder::compares(i)) own = std::max({own, depth[i.c_node] + 1, depth[i.d_node] + 1});
  }
  // A sine takes the cosine with it.
  const auto kind = [&](std::size_t k) { return code[k].op == Op::made_before ? Op::sin_cos : code[k].op; };
  std::vector<std::size_t> order(code.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return std::pair(depth[variables + i], kind(i)) < std::pair(depth[variables + j], kind(j));
  });

  std::vector<std::uint16_t> place(program_.node_count());
  std::iota(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(variables), std::uint16_t{0});
  for (std::size_t k = 0; k < order.size(); ++k)
    place[variables + order[k]] = static_cast<std::uint16_t>(variables + k);
  std::vector<Instruction> sorted;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Instruction i = code[order[k]];
    if (i.arity >= 1) i.a = place[i.a];
    if (i.arity == 2) i.b = place[i.b];
    if (ProgramBuilder::compares(i)) i.c_node = place[i.c_node], i.d_node = place[i.d_node];
    const bool goes_on =
        k > 0 && depth[variables + order[k]] == depth[variables + order[k - 1]] && kind(order[k]) == kind(order[k - 1]);
    if (goes_on)
      ++runs_.back().count;
    else
      runs_.push_back({kind(order[k]), 1});
    sorted.push_back(i);
  }
  code = std::move(sorted);
  for (Operand& result : results_)
    if (!result.is_constant) result.node = place[result.node];
}

void DerivativeProgram::run_code(double* nodes) const {
  const Instruction* i = program_.code.data();
  double* out = nodes + program_.used.size();
  for (const Run& run : runs_) {
    const Instruction* const end = i + run.count;
    const auto each = [&](const auto& operation) {
      for (; i != end; ++i, ++out) *out = operation(nodes[i->a], nodes[i->b]);
    };
    switch (run.op) {
      case Op::negate: each([](double a, double) { return -a; }); break;
      case Op::add: each([](double a, double b) { return a + b; }); break;
      case Op::subtract: each([](double a, double b) { return a - b; }); break;
      case Op::multiply: each([](double a, double b) { return a * b; }); break;
      case Op::divide: each([](double a, double b) { return a / b; }); break;
      case Op::square: each([](double a, double) { return a * a; }); break;
      case Op::sqrt: each([](double a, double) { return std::sqrt(a) + 0.0; }); break;
      case Op::shift: each([&](double a, double) { return i->constant + a; }); break;
      case Op::subtract_from: each([&](double a, double) { return i->constant - a; }); break;
      case Op::scale: each([&](double a, double) { return i->constant * a; }); break;
      case Op::divide_into: each([&](double a, double) { return i->constant / a; }); break;
      default:
        for (; i != end; ++i, ++out)
          detail::execute<detail::Sweep::values, double>(*i, nodes, {*out, nullptr, nullptr});
    }
  }
}

namespace {

// What `results` adds to the sum in a builder; nothing if that becomes too long.
template <class Results>
std::optional<DerivativeProgram> derived(std::span<const SignedExpression> sum, const Results& results) {
  ProgramBuilder builder(4 * DerivativeProgram::most_nodes);
  const std::vector<Operand> wanted = results(builder, sum_in(builder, sum));
  if (builder.full()) return std::nullopt;
  return DerivativeProgram::make(builder, wanted);
}

}  // namespace

std::optional<DerivativeProgram> value_and_gradient(std::span<const SignedExpression> sum,
                                                    std::span<const std::size_t> slots) {
  return derived(sum, [&](ProgramBuilder& builder, const Operand& value) {
    std::vector<Operand> results = builder.gradient(value, slots);
    results.insert(results.begin(), value);
    return results;
  });
}

std::optional<DerivativeProgram> gradient(std::span<const SignedExpression> sum, std::span<const std::size_t> slots) {
  return derived(sum, [&](ProgramBuilder& builder, const Operand& value) { return builder.gradient(value, slots); });
}

std::optional<DerivativeProgram> second_derivatives(std::span<const SignedExpression> sum,
                                                    std::span<const std::size_t> slots) {
  return derived(sum, [&](ProgramBuilder& builder, const Operand& value) {
    std::vector<Operand> results;
    const std::vector<Operand> first = builder.gradient(value, slots);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::vector<Operand> row = builder.gradient(first[i], slots.first(i + 1));
      results.insert(results.end(), row.begin(), row.end());
    }
    return results;
  });
}

}  // namespace livens
