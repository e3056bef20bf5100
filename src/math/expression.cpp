// What expressions do with plain doubles: values, gradients and Hessians.
#include "math/expression.hpp"

#include <cmath>
#include <utility>

namespace livens {

template Dual Expression::sweep<Dual>(Workspace<Dual>&) const;

namespace {

using detail::Program;

/// The value, from nodes of which the variables are filled in.
template <class S>
S run_values(const Program& program, S* nodes) {
  detail::run<detail::Sweep::values, S>(program, nodes, nullptr, nullptr, nullptr);
  return nodes[program.node_count() - 1];
}

// One instruction for `some` points, whose numbers stand side by side.
void each_by_itself(const detail::Instruction& i, const double* nodes, std::size_t stride, std::size_t some,
                    double* out) {
  detail::Instruction own = i;
  own.a = 0, own.b = 1, own.c_node = 2, own.d_node = 3;
  for (std::size_t s = 0; s < some; ++s) {
    const double operands[] = {nodes[i.a * stride + s], nodes[i.b * stride + s], nodes[i.c_node * stride + s],
                               nodes[i.d_node * stride + s]};
    detail::execute<detail::Sweep::values, double>(own, operands, {out[s], nullptr, nullptr});
  }
}

}  // namespace

double Expression::evaluate(std::span<const double> x) const { return evaluate<double>(x); }

// An instruction is carried out for some points before the next one is looked at.
void Expression::evaluate_many(std::span<const double> points, std::size_t n, double last,
                               std::span<double> values) const {
  constexpr std::size_t at_once = 32;
  const Program& program = *program_;
  const std::size_t variables = program.used.size(), count = program.node_count();
  std::vector<double> nodes(count * at_once);
  for (std::size_t first = 0; first < values.size(); first += at_once) {
    const std::size_t some = std::min(at_once, values.size() - first);
    for (std::size_t k = 0; k < variables; ++k) {
      const std::size_t slot = program.used[k];
      for (std::size_t s = 0; s < some; ++s)
        nodes[k * at_once + s] = slot < n ? points[(first + s) * n + slot] : slot == 2 * n ? last : 0;
    }
    double* out = nodes.data() + variables * at_once;
    for (const detail::Instruction& i : program.code) {
      const double *a = nodes.data() + i.a * at_once, *b = nodes.data() + i.b * at_once;
      const auto each = [&](const auto& operation) {
        for (std::size_t s = 0; s < some; ++s) out[s] = operation(a[s], b[s]);
      };
      const double c = i.constant;
      using detail::Op;
      switch (i.op) {
        case Op::add: each([](double x, double y) { return x + y; }); break;
        case Op::subtract: each([](double x, double y) { return x - y; }); break;
        case Op::multiply: each([](double x, double y) { return x * y; }); break;
        case Op::divide: each([](double x, double y) { return x / y; }); break;
        case Op::shift: each([&](double x, double) { return c + x; }); break;
        case Op::subtract_from: each([&](double x, double) { return c - x; }); break;
        case Op::scale: each([&](double x, double) { return c * x; }); break;
        case Op::divide_into: each([&](double x, double) { return c / x; }); break;
        case Op::square: each([](double x, double) { return x * x; }); break;
        case Op::sqrt: each([](double x, double) { return std::sqrt(x) + 0.0; }); break;
        case Op::sin: each([](double x, double) { return std::sin(x); }); break;
        case Op::cos: each([](double x, double) { return std::cos(x); }); break;
        default: each_by_itself(i, nodes.data(), at_once, some, out);
      }
      out += at_once;
    }
    std::copy_n(out - at_once, some, values.data() + first);
  }
}

double Expression::gradient(std::span<const double> x, std::span<double> g, Workspace<double>& workspace) const {
  const auto value = gradient<double>(x, g, workspace);
  const bool undefined =
      std::any_of(program_->used.begin(), program_->used.end(), [&](std::size_t slot) { return std::isnan(g[slot]); });
  if (undefined && !std::isnan(value)) gradient_by_duals(x, g);
  if (ExpressionWatch::active() != nullptr) watch_derivatives(x, g);
  return value;
}

double Expression::hessian(std::span<const double> x, std::span<double> gradient, std::span<double> hessian_row_major,
                           Workspace<Dual>& workspace) const {
  const std::size_t n = gradient.size();
  assert(x.size() >= variable_count() && n == x.size() && hessian_row_major.size() == n * n);
  const Program& program = *program_;
  const std::size_t count = program.used.size();
  if (count < n) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    std::fill(hessian_row_major.begin(), hessian_row_major.end(), 0.0);
  }
  if (program.used.empty()) return program.constant;

  workspace.reserve(program.node_count());
  for (std::size_t k = 0; k < count; ++k) {
    workspace.nodes_[k] = Dual(x[program.used[k]]);
    workspace.adjoints_[k] = Dual();
  }
  double value = 0.0;
  bool undefined = false;
  for (std::size_t row = 0; row < count; ++row) {
    workspace.nodes_[row].derivative = 1.0;
    value = sweep(workspace).value;
    workspace.nodes_[row].derivative = 0.0;
    const std::size_t i = program.used[row];
    gradient[i] = workspace.adjoints_[row].value;
    undefined = undefined || std::isnan(gradient[i]);
    for (std::size_t column = 0; column < count; ++column) {
      const std::size_t j = program.used[column];
      const double second = std::exchange(workspace.adjoints_[column], Dual()).derivative;
      if (column > row) continue;
      hessian_row_major[i * n + j] = hessian_row_major[j * n + i] = second;
      undefined = undefined || std::isnan(second);
    }
  }
  if (undefined && !std::isnan(value)) hessian_by_jets(x, gradient, hessian_row_major);
  if (ExpressionWatch::active() != nullptr) {
    detail::watch(program, value, [&](std::size_t k) { return x[program.used[k]]; });
    watch_derivatives(x, gradient);
    watch_derivatives(x, hessian_row_major);
  }
  return value;
}

void Expression::watch_derivatives(std::span<const double> x, std::span<const double> derivatives) const {
  for (const double derivative : derivatives)
    detail::watch(*program_, derivative, [&](std::size_t k) { return x[program_->used[k]]; });
}

// Backwards, 0 * inf appears at points where a part is singular although no variable moves it (sqrt(x^2 + y^2) at
// the origin), or behind the branch of an `if` that is not taken. Forwards, jets give the one-sided answer.
void Expression::gradient_by_duals(std::span<const double> x, std::span<double> g) const {
  const Program& program = *program_;
  detail::NodeBuffer<Dual> buffer(program.node_count());
  Dual* const nodes = buffer.data();
  for (std::size_t k = 0; k < program.used.size(); ++k) nodes[k] = Dual(x[program.used[k]]);
  for (std::size_t k = 0; k < program.used.size(); ++k) {
    nodes[k].derivative = 1.0;
    g[program.used[k]] = run_values(program, nodes).derivative;
    nodes[k].derivative = 0.0;
  }
}

void Expression::hessian_by_jets(std::span<const double> x, std::span<double> g, std::span<double> h) const {
  using Pair = Jet2<2>;
  const Program& program = *program_;
  const std::size_t n = g.size(), count = program.used.size();
  detail::NodeBuffer<Pair> buffer(program.node_count());
  Pair* const nodes = buffer.data();
  for (std::size_t k = 0; k < count; ++k) nodes[k] = Pair(x[program.used[k]]);
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t i = program.used[row];
    nodes[row].gradient[0] = 1.0;
    for (std::size_t column = 0; column <= row; ++column) {
      const std::size_t j = program.used[column];
      if (column < row) nodes[column].gradient[1] = 1.0;
      const Pair value = run_values(program, nodes);
      nodes[column].gradient[1] = 0.0;
      g[i] = value.gradient[0];
      h[i * n + j] = h[j * n + i] = column < row ? value.hessian(0, 1) : value.hessian(0, 0);
    }
    nodes[row].gradient[0] = 0.0;
  }
}

}  // namespace livens
