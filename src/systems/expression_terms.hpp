// Potentials, Lagrangians and forces that are written as expressions of q, q_dot and t. The variables of every
// expression are the coordinates, then their velocities, then t.
#pragma once

#include <memory>
#include <vector>

#include <livens/energy.hpp>

#include "math/expression.hpp"

namespace livens {

std::shared_ptr<const EnergyTerm> make_expression_potential(std::string name, Expression potential, std::size_t n);
// L = sum of sign * expression
struct SignedExpression {
  double sign;
  Expression expression;
};
std::shared_ptr<const LagrangianTerm> make_expression_lagrangian(std::string name, std::vector<SignedExpression> parts,
                                                                 std::size_t n);
// Rayleigh's function D(q, v): f = -dD/dv
std::shared_ptr<const Force> make_expression_dissipation(std::string name, Expression dissipation, std::size_t n);
// Generalised forces, one expression per coordinate (empty pointers: none)
std::shared_ptr<const Force> make_expression_forces(std::string name,
                                                    std::vector<std::shared_ptr<const Expression>> forces,
                                                    std::size_t n);

}  // namespace livens
