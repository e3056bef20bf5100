// Variational steps with one velocity a step: a quadrature rule of the action along the straight line from q0 to q1.
//
//   Ld(q0, q1, h) = h sum_i w_i L(t0 + c_i h, q0 + c_i h v, v),   v = (q1 - q0) / h
//
// p0 = -D1 Ld - F-  is solved for v:   sum_i w_i [ L_v(i) - h (1 - c_i) L_q(i) ] - p0 - F- = 0
// p1 =  D2 Ld + F+  is written as      p1 = p0 + h sum_i w_i L_q(i) + F- + F+
// because that form keeps the linear momentum at any tolerance of the solve.
//
// For L = 1/2 v'Mv - W(q) the equation is the gradient of the incremental potential (Lilyan in K06 5.3) over h,
//   E(v) = 1/2 v'Mv + sum_{c_i > 0} w_i (1 - c_i)/c_i W(q0 + c_i h v) + h w_0 dW(q0).v - p0.v - (potential of F-),
// for every such rule: midpoint, trapezoid, the two Eulers are data.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "integrators/stepper.hpp"
#include "model/legendre.hpp"
#include "solve/newton.hpp"

namespace livens {

struct QuadratureRule {
  std::vector<double> w, c;
  static QuadratureRule point(double alpha) { return {{1}, {alpha}}; }  // generalised midpoint
  static QuadratureRule trapezoid(double alpha);                        // generalised trapezoid
  double mean() const;                                                  // sum w_i c_i
  bool explicit_steps() const;                                          // for separable L
};

class StraightLineStepper final : public Stepper, private MinimumProblem {
 public:
  StraightLineStepper(QuadratureRule rule, const SolverOptions& solver, const Model& model);

  StepReport step(const Model& model, State& state, double h, Books books) override;
  void begin() override { end_gradient_known_ = drifted_ = false; }
  std::optional<double> discrete_energy(const Model& model, const State& state) override;
  std::optional<double> modified_energy(const Model& model, const State& state, double h) override;
  void visit_memory(MemoryVisitor& visitor) override;

 private:
  bool can_step_explicitly(const Model& model);
  bool has_lilyan(const Model& model) const;
  void explicit_velocity(const Model& model, const State& state, Books books);
  StepReport implicit_velocity(const Model& model, const State& state, Books books);
  void finish(const Model& model, State& state, Books books, StepReport& report);
  void finish_explicit(const Model& model, State& state, Books books);
  void fused_drift(const Model& model, double kick);
  bool fused_kick(const Model& model, Books books);
  void apply_forces(const Model& model, const State& state, Books books);
  void book_time(const Model& model, Ledger& ledger);
  void book_external(const Model& model, ConstVector q0, Ledger& ledger);
  void start_impulse(const Model& model, ConstVector v, Vector impulse, double* potential) const;  // F-

  bool residual(ConstVector v, Vector r, double& scale) override;
  void jacobian(ConstVector v, Vector values) override;
  bool evaluate(ConstVector v, Vector r, double& scale, double& objective) override;
  bool evaluate(ConstVector v, Vector r, double& scale, double* objective);
  bool convex_jacobian(ConstVector v, Vector values) override;
  void add_jacobian(ConstVector v, Vector values, bool convex);
  bool symmetric() const override { return symmetric_; }
  double size_of_unknowns(ConstVector) const override { return largest_of(q0_) / std::abs(h_); }
  bool other_start(Vector v) override;
  void add_metric(double scale, Vector values) override;

  QuadratureRule rule_;
  SolverOptions solver_;
  bool explicit_ = false, minimise_ = false, symmetric_ = false;
  bool fused_ = false;  // explicit, without forces, diagonal mass: two passes over memory besides the force
  std::vector<Placement> placements_;
  std::vector<double> drag_;  // constant diagonal drag of symmetric forces, for explicit steps
  std::vector<double> v_, q1_, p1_, point_, by_q_, by_v_, kick_, sum_by_q_, start_gradient_, end_gradient_, impulse_,
      work_, momentum_;
  double opening_kick_ = 0;
  bool drifted_ = false;  // q_ahead_ is the q1 of the step to come
  std::vector<double> q_ahead_;
  bool v_written_ = true;
  bool end_gradient_known_ = false;  // end_gradient_ is that of the state's q
  std::unique_ptr<NewtonSolver> newton_;
  std::vector<double> step_velocity_;  // of the last implicit step
  double step_length_ = 0;
  Legendre legendre_;

  // The step in hand.
  const Model* model_ = nullptr;
  double t0_ = 0, h_ = 0;
  ConstVector q0_, p0_;
  bool start_gradient_needed_ = false;
};

// Internal momentum p + h (1/2 - alpha) dW(q) instead of p: makes the positions of first-order rules second order
// [K06, see docs/errata.md]. The state outside always has the synchronous p.
class SecondOrderStart final : public Stepper {
 public:
  SecondOrderStart(std::unique_ptr<Stepper> inner, double alpha) : inner_(std::move(inner)), shift_(0.5 - alpha) {}

  StepReport step(const Model& model, State& state, double h, Books books) override;
  void begin() override { inner_->begin(); }
  std::optional<double> discrete_energy(const Model& model, const State& state) override {
    return inner_->discrete_energy(model, state);
  }
  void visit_memory(MemoryVisitor& visitor) override;

 private:
  std::unique_ptr<Stepper> inner_;
  double shift_;
  std::vector<double> staggered_p_, seen_q_, seen_p_, gradient_;
};

}  // namespace livens
