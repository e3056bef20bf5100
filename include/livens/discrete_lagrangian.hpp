// The discrete Lagrangian of a variational integrator, as data: polynomials in time through control points Q_0 ... Q_s
// at the parts d_j of a step, and a quadrature rule of the action along them,
//
//   Ld(Q_0 ... Q_s) = h sum_i w_i L(t0 + c_i h, sum_j phi_j(c_i) Q_j, (1/h) sum_j phi_j'(c_i) Q_j).
//
// Two nodes are the straight line from q0 to q1.
#pragma once

#include <vector>

namespace livens {

struct DiscreteLagrangian {
  std::vector<double> nodes = {0, 1};        // d_0 = 0 ... d_s = 1
  std::vector<double> points, weights = {};  // c_i and w_i, parts of a step
  int degree() const { return static_cast<int>(nodes.size()) - 1; }
};

}  // namespace livens
