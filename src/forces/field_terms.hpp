// Forces and potentials that are functions of place, velocity and time, at points that are weighted sums of nodes:
//
//   x = sum_a N_a x_a,   W = sum_g w_g U(x_g, X_g, t),   f_a = sum_g w_g N_a f(x_g, v_g, X_g, t)
//
// A node is a point of its own (N = 1); the points of a quadrature rule on an element share its nodes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/assembly.hpp>

#include "math/expression.hpp"

namespace livens {

struct FieldPoints {
  int dimension = 3;
  int nodes_each = 1;          // of a group
  int points_each = 1;         // of a group
  std::vector<int> nodes;      // first coordinates; groups x nodes_each
  std::vector<double> N;       // groups x points_each x nodes_each
  std::vector<double> weight;  // groups x points_each
  std::vector<Vec3> X;         // groups x points_each
  int groups() const { return static_cast<int>(nodes.size()) / nodes_each; }
};

// Names of the variables, in their order.
const std::vector<std::string>& field_force_variables();      // x y z vx vy vz X Y Z t
const std::vector<std::string>& field_potential_variables();  // x y z X Y Z t

// One expression per component.
std::shared_ptr<const Force> make_field_force(std::string name, std::shared_ptr<const FieldPoints> points,
                                              std::vector<Expression> components);
std::shared_ptr<const EnergyTerm> make_field_potential(std::string name, std::shared_ptr<const FieldPoints> points,
                                                       Expression potential);

}  // namespace livens
