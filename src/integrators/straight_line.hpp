// Variational steps with one velocity per step: a quadrature rule of the action along the straight line from q0 to q1.
//
//   Ld(q0, q1, h) = h sum_i w_i L(t0 + c_i h, q0 + c_i h v, v),   v = (q1 - q0) / h
//
// The discrete Euler-Lagrange equations, in the form of two momenta (Lagrange-d'Alembert: F- acts at q0, F+ at q1):
//
// p0 = -D1 Ld - F-  is solved for v:   sum_i w_i [ L_v(i) - h (1 - c_i) L_q(i) ] - p0 - F- = 0
// p1 =  D2 Ld + F+  is written as      p1 = p0 + h sum_i w_i L_q(i) + F- + F+
// because that form keeps the linear momentum at any tolerance of the solve.
//
// For L = 1/2 v'Mv - W(q) the equation is the gradient of the incremental potential (Lilyan in K06 5.3) over h,
//   E(v) = 1/2 v'Mv + sum_{c_i > 0} w_i (1 - c_i)/c_i W(q0 + c_i h v) + h w_0 dW(q0).v - p0.v - (potential of F-),
// for every such rule: midpoint, trapezoid, the two Eulers are data. With one coordinate it is the derivative of some E
// for any L and any force (docs/errata.md, "How far minimisation goes").
//
// The equation for v is in straight_line_equation.cpp, the forces in straight_line_forces.cpp, the momentum p1 in
// straight_line.cpp; where c_i is 0 or 1 only and L separable, v is known without a solve.
#pragma once

#include <memory>
#include <vector>

#include <livens/stepper.hpp>

namespace livens {

struct QuadratureRule {
  std::vector<double> w, c;
  static QuadratureRule point(double alpha) { return {{1}, {alpha}}; }  // generalised midpoint
  static QuadratureRule trapezoid(double alpha);                        // generalised trapezoid
  double mean() const;                                                  // sum w_i c_i
  bool explicit_steps() const;                                          // for separable L
  bool begins_at_start() const { return c.front() == 0; }
  bool ends_at_end() const { return c.back() == 1; }
};

// Explicit where rule, Lagrangian and forces allow it, otherwise by minimising the incremental potential where there is
// one, otherwise by a root.
std::unique_ptr<Stepper> make_straight_line(QuadratureRule rule, const SolverOptions& solver, const Model& model);

}  // namespace livens
