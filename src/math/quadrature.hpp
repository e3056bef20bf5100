// Gauss and Lobatto quadrature on [0, 1], and Lagrange polynomials.
#pragma once

#include <vector>

namespace livens {

struct Quadrature {
  std::vector<double> x, w;
};

Quadrature gauss_quadrature(int points);    // exact to degree 2 points - 1
Quadrature lobatto_quadrature(int points);  // both ends included; exact to degree 2 points - 3

// Value and derivative at x of the polynomial that is 1 at nodes[j] and 0 at the others.
double lagrange(const std::vector<double>& nodes, std::size_t j, double x);
double lagrange_derivative(const std::vector<double>& nodes, std::size_t j, double x);

}  // namespace livens
