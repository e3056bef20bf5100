// Newton's method with line search, for roots and for minima, on a fixed sparse pattern.
#pragma once

#include <memory>
#include <vector>

#include <livens/integrator.hpp>

#include "math/sparse_pattern.hpp"
#include "solve/block_cg.hpp"
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
  // Whether jacobian() leaves something out: then one is made for a solve, and Broyden's updates take care of the rest.
  virtual bool approximate() const { return false; }
  // What the rounding of the unknowns refers to: the largest of them, unless they are rates of something larger.
  virtual double size_of_unknowns(ConstVector x) const;
};

double largest_of(ConstVector x);  // absolute value; not finite if one of them is not

// min E(x), dE/dx = r.
class MinimumProblem : public RootProblem {
 public:
  // r and E in one pass; false where x is not feasible (an inverted element) or a number is not finite.
  virtual bool evaluate(ConstVector x, Vector r, double& scale, double& objective) = 0;
  // A positive definite stand-in for the Hessian; false if there is none but the Hessian itself.
  virtual bool convex_jacobian(ConstVector, Vector) { return false; }
  // A positive definite matrix of the same units as the Hessian, added where that is not positive definite.
  virtual void add_metric(double scale, Vector values) = 0;
  // Another start than x, for one that is not feasible or far from the minimum; false if none is known.
  virtual bool other_start(Vector) { return false; }
};

struct SolveResult {
  bool converged = false;
  FailureCode code = FailureCode::none;
  int iterations = 0, evaluations = 0, factorisations = 0, linear_iterations = 0, cuts = 0, convexified = 0;
  double residual = 0, scale = 0;
  int worst_coordinate = -1;
  std::vector<TraceLine> trace;
};

// The directions come from conjugate gradients with a tolerance that follows the progress (inexact Newton), or from a
// factorisation. SolverOptions::linear = automatic takes conjugate gradients for symmetric systems that are neither
// small nor thin, and turns to the factorisation where they take more iterations than that would cost.
//
// A tolerance of 0 means: down to rounding where factorisations are used, which cost little more for it; default_accept
// where conjugate gradients are used; steps below the rounding of the unknowns end it as well. A tolerance that
// rounding does not allow is met when the residual stalls below default_accept, otherwise the solve fails with
// rounding_floor.
class NewtonSolver {
 public:
  static constexpr double default_accept = 1e-10;  // of the scale

  explicit NewtonSolver(const SparsePattern& pattern);

  const SolveResult& find_root(RootProblem& problem, Vector x, const SolverOptions& options);
  const SolveResult& minimise(MinimumProblem& problem, Vector x, const SolverOptions& options);

 private:
  struct Point {
    double norm = 0, scale = 0, value = 0;  // largest component of the residual and what it refers to; objective
    bool feasible = false;
  };
  struct Aim {
    double goal, accept;  // relative to the scale: where to stop, where a stall counts as convergence
  };
  enum class Level { exact, convex, shifted };  // what the matrix of a direction is
  enum class Search { found, all_infeasible, below_rounding, no_decrease };

  void begin(const SolverOptions& options, bool symmetric);
  const SolveResult& iterate(RootProblem& problem, MinimumProblem* minimum, Vector x, const SolverOptions& options);
  Point evaluate(RootProblem& problem, MinimumProblem* minimum, ConstVector x, Vector r);
  Point find_start(RootProblem& problem, MinimumProblem* minimum, Vector x);
  FailureCode find_direction(RootProblem& problem, MinimumProblem* minimum, ConstVector x, const Point& at,
                             double forcing);
  bool assemble(RootProblem& problem, MinimumProblem* minimum, ConstVector x, Level level, double shift);
  enum class Matrix { definite, symmetric, general };
  FailureCode solve_linear(Matrix matrix, double forcing);
  Search search_line(RootProblem& problem, MinimumProblem* minimum, ConstVector x, const Point& at, bool single_trial,
                     Point& next, double& length);
  bool is_noise(MinimumProblem& problem, ConstVector x, const Point& at, double slope);
  void expand(MinimumProblem& problem, ConstVector x, const Point& at, double slope, Point& next, double& length);
  bool acceptable(bool minimise, const Point& at, const Point& next, double length, double slope) const;
  double forcing(const Point& at, const Point& before, double goal) const;
  // direction = -B^-1 residual with the matrix kept from the first iteration and Broyden's updates of it.
  bool find_updated_direction(double forcing);
  void remember_step(double length);
  const SolveResult& finish(const Point& at, bool converged, FailureCode code);
  bool prefers_cg() const;

  SparsePattern pattern_;
  mutable int width_ = -1;  // of the levels of the pattern, once asked for
  std::unique_ptr<LinearSolver> lu_, indefinite_, cholesky_;
  std::unique_ptr<BlockCg> cg_;
  const LinearSolver* factor_ = nullptr;  // of the last direction, null if it came from conjugate gradients
  bool by_cg_ = false, may_switch_ = false;
  bool convex_ = false;                     // the solve in hand has met negative curvature
  bool kept_ = false;                       // the matrix of the solve in hand is kept
  std::vector<std::vector<double>> steps_;  // since then
  std::size_t step_count_ = 0;
  std::vector<double> values_, residual_, trial_residual_, direction_, trial_;
  SolveResult result_;
};

}  // namespace livens
