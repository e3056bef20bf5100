// p0 = -D1 Ld - F-, the equation of an implicit straight-line step for its velocity v (see straight_line.hpp):
//
//   r(v) = sum_i w_i [ L_v(i) - h (1 - c_i) L_q(i) ] - p0 - F-,   r = dE/dv where there is an incremental potential h
//   E.
#pragma once

#include <vector>

#include "integrators/straight_line.hpp"
#include "integrators/straight_line_forces.hpp"
#include "solve/problem.hpp"

namespace livens {

class StraightLineEquation final : public MinimumProblem {
 public:
  // Velocity and length of the step before, for another guess.
  struct StepBefore {
    std::vector<double> v;
    double h = 0;
  };

  StraightLineEquation(const QuadratureRule& rule, const StraightLineForces& forces, bool has_potential,
                       const Model& model);

  // The step to be solved for. Counts the evaluations of the force besides those of the solve.
  void begin(const Model& model, const StraightStep& step, const StepBefore& before, Counters& counters);

  // Of the last residual: sum_i w_i L_q(i), for separable L without a point at q1; and the last point q0 + c h v.
  ConstVector sum_by_q() const { return sum_by_q_; }
  ConstVector point() const { return point_; }

  bool residual(ConstVector v, Vector r, double& scale) override { return evaluate(v, r, scale, nullptr); }
  bool evaluate(ConstVector v, Vector r, double& scale, double& objective) override;
  void jacobian(ConstVector v, Vector values) override { add_jacobian(v, values, false); }
  bool convex_jacobian(ConstVector v, Vector values) override;
  bool symmetric() const override { return has_potential_; }
  double size_of_unknowns(ConstVector v) const override;
  bool other_start(Vector v) override;
  ConstVector places() const override { return point_; }
  MatrixName constant_matrix() const override;
  void add_metric(double scale, Vector values) override;

 private:
  bool evaluate(ConstVector v, Vector r, double& scale, double* lilyan);
  void place(double c, ConstVector v);
  void add_potential_point(std::size_t i, ConstVector v, double* lilyan);
  void add_lagrangian_point(std::size_t i, ConstVector v, Vector r);
  void add_jacobian(ConstVector v, Vector values, bool convex);

  const QuadratureRule& rule_;
  const StraightLineForces& forces_;
  bool has_potential_;
  std::vector<double> start_gradient_;   // dW(q0), if the rule has a point there
  std::vector<double> point_;            // q0 + c h v
  std::vector<double> by_q_, by_v_;      // derivatives of L, or of W, there
  std::vector<double> sum_by_q_, kick_;  // sum_i w_i L_q(i) and h sum_i w_i (1 - c_i) L_q(i)
  std::vector<double> q1_, impulse_;     // where forces act: the end of the step, and F-

  // The step in hand.
  const Model* model_ = nullptr;
  StraightStep step_;
  const StepBefore* before_ = nullptr;
};

}  // namespace livens
