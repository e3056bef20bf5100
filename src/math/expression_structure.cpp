// How an expression depends on velocities: the program run over abstract polynomials instead of numbers.
#include <algorithm>
#include <array>
#include <initializer_list>

#include "math/expression.hpp"

namespace livens {
namespace {

using detail::Instruction;
using detail::Op;

/// A polynomial in the velocities, of which only this is known: whether its terms of each degree are absent, have
/// constant coefficients, or coefficients that change.
struct AbstractPolynomial {
  enum Terms : std::uint8_t { absent, constant, changing };
  static constexpr std::size_t degrees = 17;

  bool is_polynomial = true;
  std::array<Terms, degrees> terms{};

  static AbstractPolynomial of_degree(std::size_t degree, Terms kind) {
    AbstractPolynomial p;
    p.terms[degree] = kind;
    return p;
  }
  static AbstractPolynomial unknown() {
    AbstractPolynomial p;
    p.is_polynomial = false;
    p.terms.fill(changing);
    return p;
  }

  bool has_velocity() const {
    return !is_polynomial || std::any_of(terms.begin() + 1, terms.end(), [](Terms t) { return t != absent; });
  }
  bool changes() const {
    return std::any_of(terms.begin(), terms.end(), [](Terms t) { return t == changing; });
  }
  AbstractPolynomial with_changing_coefficients() const {
    AbstractPolynomial p = *this;
    for (Terms& t : p.terms) t = t == absent ? absent : changing;
    return p;
  }

  friend AbstractPolynomial operator+(const AbstractPolynomial& a, const AbstractPolynomial& b) {
    if (!a.is_polynomial || !b.is_polynomial) return unknown();
    AbstractPolynomial p;
    for (std::size_t d = 0; d < degrees; ++d) p.terms[d] = std::max(a.terms[d], b.terms[d]);
    return p;
  }
  friend AbstractPolynomial operator*(const AbstractPolynomial& a, const AbstractPolynomial& b) {
    if (!a.is_polynomial || !b.is_polynomial) return unknown();
    AbstractPolynomial p;
    for (std::size_t i = 0; i < degrees; ++i)
      for (std::size_t j = 0; j < degrees; ++j) {
        if (a.terms[i] == absent || b.terms[j] == absent) continue;
        if (i + j >= degrees) return unknown();
        p.terms[i + j] = std::max(p.terms[i + j], std::max(a.terms[i], b.terms[j]));
      }
    return p;
  }

  /// Any function of numbers that is not known better.
  static AbstractPolynomial function_of(std::initializer_list<const AbstractPolynomial*> arguments) {
    Terms kind = constant;
    for (const AbstractPolynomial* argument : arguments) {
      if (argument->has_velocity()) return unknown();
      if (argument->changes()) kind = changing;
    }
    return of_degree(0, kind);
  }
};

AbstractPolynomial interpreted(const Instruction& i, const std::vector<AbstractPolynomial>& nodes) {
  using Polynomial = AbstractPolynomial;
  const Polynomial number = Polynomial::of_degree(0, Polynomial::constant);
  const Polynomial& a = nodes[i.a];
  const Polynomial& b = nodes[i.b];
  switch (i.op) {
    case Op::constant: return i.constant == 0.0 ? Polynomial{} : number;
    case Op::negate:
    case Op::divide_by: return a;
    case Op::add:
    case Op::subtract: return a + b;
    case Op::shift:
    case Op::subtract_from: return a + number;
    case Op::scale: return i.constant == 0.0 && a.is_polynomial ? Polynomial{} : a;
    case Op::multiply: return a * b;
    case Op::divide:
      if (b.has_velocity()) return Polynomial::unknown();
      return b.changes() ? a.with_changing_coefficients() : a;
    case Op::square: return a * a;
    case Op::power_integer: {
      if (i.exponent < 0) return Polynomial::function_of({&a});
      Polynomial p = a;
      for (int n = 1; n < i.exponent; ++n) p = p * a;
      return p;
    }
    case Op::power:
    case Op::atan2:
    case Op::min:
    case Op::max: return Polynomial::function_of({&a, &b});
    case Op::select_less:
    case Op::select_less_equal: {
      const Polynomial condition = Polynomial::function_of({&nodes[i.c_node], &nodes[i.d_node]});
      if (!condition.is_polynomial) return Polynomial::unknown();
      return condition.changes() ? (a + b).with_changing_coefficients() : a + b;
    }
    default: return Polynomial::function_of({&a});
  }
}

}  // namespace

Structure Expression::structure(std::span<const std::size_t> velocity_slots) const {
  using Polynomial = AbstractPolynomial;
  if (constant()) return {};
  std::vector<Polynomial> nodes;
  nodes.reserve(program_->node_count());
  for (const std::size_t slot : program_->used) {
    const bool velocity = std::find(velocity_slots.begin(), velocity_slots.end(), slot) != velocity_slots.end();
    nodes.push_back(velocity ? Polynomial::of_degree(1, Polynomial::constant)
                             : Polynomial::of_degree(0, Polynomial::changing));
  }
  for (const Instruction& i : program_->code) nodes.push_back(interpreted(i, nodes));

  const Polynomial& result = nodes.back();
  if (!result.is_polynomial) return {0, Structure::not_polynomial, false};
  Structure structure;
  for (std::size_t degree = 1; degree < Polynomial::degrees; ++degree) {
    if (result.terms[degree] == Polynomial::absent) continue;
    structure.max_degree = static_cast<int>(degree);
    if (structure.min_degree == 0) structure.min_degree = structure.max_degree;
    if (result.terms[degree] == Polynomial::changing) structure.coefficients_constant = false;
  }
  return structure;
}

}  // namespace livens
