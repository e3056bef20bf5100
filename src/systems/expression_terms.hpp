// Potentials, Lagrangians and forces that are written as expressions of q, q_dot and t. The variables of every
// expression are the coordinates of a range, then their velocities, then t.
#pragma once

#include <memory>
#include <vector>

#include <livens/energy.hpp>

#include "math/expression_derivatives.hpp"

namespace livens {

// Coordinates of a model, one after the other.
struct CoordinateRange {
  std::size_t first = 0, n = 0;
};

std::shared_ptr<const EnergyTerm> make_expression_potential(std::string name, Expression potential,
                                                            CoordinateRange range);
// L = sum of sign * expression
std::shared_ptr<const LagrangianTerm> make_expression_lagrangian(std::string name, std::vector<SignedExpression> parts,
                                                                 CoordinateRange range);
// Rayleigh's function D(q, v): f = -dD/dv
std::shared_ptr<const Force> make_expression_dissipation(std::string name, Expression dissipation,
                                                         CoordinateRange range);
// Generalised forces, one expression per coordinate (empty pointers: none)
std::shared_ptr<const Force> make_expression_forces(std::string name,
                                                    std::vector<std::shared_ptr<const Expression>> forces,
                                                    CoordinateRange range);

}  // namespace livens
