// Newton's method with line search, for roots and for minima, on a fixed sparse pattern.
#pragma once

#include <memory>
#include <vector>

#include <livens/integrator.hpp>

#include "math/sparse_pattern.hpp"
#include "solve/linear_solver.hpp"

namespace livens {

// r(x) = 0. The solver promises that the last call of residual() was made at the x it returns.
class RootProblem {
 public:
  virtual ~RootProblem() = default;
  // scale: largest sum of the absolute summands of a component of r, what rounding and tolerances refer to.
  // False if r is not finite at x.
  virtual bool residual(ConstVector x, Vector r, double& scale) = 0;
  virtual void jacobian(ConstVector x, Vector values) = 0;  // d r / d x at x, zero on entry
  virtual bool symmetric() const { return false; }          // whether the Jacobian is
};

// min E(x), dE/dx = r.
class MinimumProblem : public RootProblem {
 public:
  // r and E in one pass; false where x is not feasible (an inverted element) or a number is not finite.
  virtual bool evaluate(ConstVector x, Vector r, double& scale, double& objective) = 0;
  // A positive definite stand-in for the Hessian; false if there is none but the Hessian itself.
  virtual bool convex_jacobian(ConstVector, Vector) { return false; }
  // A positive definite matrix of the same units as the Hessian, added where that is not positive definite.
  virtual void add_metric(double scale, Vector values) = 0;
};

struct SolveResult {
  bool converged = false;
  FailureCode code = FailureCode::none;
  int iterations = 0, evaluations = 0, factorisations = 0, cuts = 0, convexified = 0;
  double residual = 0, scale = 0;
  int worst_coordinate = -1;
  std::vector<TraceLine> trace;
};

class NewtonSolver {
 public:
  explicit NewtonSolver(const SparsePattern& pattern);

  const SolveResult& find_root(RootProblem& problem, Vector x, const SolverOptions& options);
  const SolveResult& minimise(MinimumProblem& problem, Vector x, const SolverOptions& options);

 private:
  template <class Strategy>
  const SolveResult& iterate(RootProblem& problem, Vector x, const SolverOptions& options, Strategy& strategy);
  struct RootStrategy;
  struct MinimumStrategy;
  bool evaluate(RootProblem& problem, ConstVector x, Vector r, double& norm);

  SparsePattern pattern_;
  std::unique_ptr<LinearSolver> lu_, cholesky_;
  std::vector<double> values_, residual_, trial_residual_, direction_, trial_;
  SolveResult result_;
};

}  // namespace livens
