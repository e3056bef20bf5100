// Static equilibrium with constraints: dW(q) + G(q)'lambda = 0, g(q) = 0. Where constraints alone give a mechanism its
// stiffness (a chain, a pendulum), Newton's method has nothing to begin with. Equilibria are therefore approached by
//
//   mu M (q - q_before) + dW(q) + G(q)'lambda = 0,   g(q) = 0,   mu -> 0,
//
// each of which moves downhill on the constraints, so that stable equilibria are found; with mu small against the
// stiffness the last ones converge as Newton's method does.
#pragma once

#include "model/constraint_size.hpp"
#include "model/saddle_system.hpp"
#include "solve/saddle_solver.hpp"

namespace livens {

class ConstrainedEquilibrium final : private SaddleProblem {
 public:
  explicit ConstrainedEquilibrium(const Model& model);

  // Moves q to the equilibrium at the load factor t under the further force `correction`; lambda: its multipliers, a
  // guess on entry.
  const SolveResult& solve(const Model& model, double t, ConstVector correction, const SolverOptions& options, Vector q,
                           Vector lambda);

 private:
  bool residual(ConstVector x, Vector r, double& scale, double& violation) override;
  void jacobian(ConstVector x, Vector values) override;
  double first_mu() const;  // that moves nothing by more than reach_
  double least_mu();        // takes the stiffness as well
  bool at_rest();
  void count(const SolveResult& result);
  double unbalanced(ConstVector x) const;

  std::size_t n_, m_;
  SaddleSystem system_;
  SaddleSolver solver_;
  ConstraintSize size_;
  SolveResult result_;
  std::vector<double> x_, trial_, before_, mass_, force_, sizes_, reaction_, base_;
  const Model* model_ = nullptr;
  ConstVector correction_;
  double t_ = 0, mu_ = 0, scale_ = 0;
  double reach_ = 0;      // a part of the extent
  double stiffness_ = 0;  // the largest on the diagonal
};

}  // namespace livens
