// Newton's method with line search, for roots and for minima, on a fixed sparse pattern.
#pragma once

#include <memory>
#include <vector>

#include "solve/merit.hpp"
#include "solve/newton_directions.hpp"
#include "solve/newton_tuning.hpp"
#include "solve/problem.hpp"
#include "solve/small_newton.hpp"

namespace livens {

// The directions come from conjugate gradients with a tolerance that follows the progress (inexact Newton), or from a
// factorisation. SolverOptions::linear = automatic takes conjugate gradients for symmetric systems that are neither
// small nor thin, and turns to the factorisation where they take more iterations than that would cost.
//
// Of few unknowns, full steps are tried first.
//
// A tolerance of 0 means: down to rounding where factorisations are used, which cost little more for it; default_accept
// where conjugate gradients are used; steps below the rounding of the unknowns end it as well. Whatever is asked for, a
// residual that stalls at what the rounding of the unknowns makes of it, eps |A| |x|, is as small as it gets: a bar of
// steel has that in its forces, however small they are.
class NewtonSolver {
 public:
  explicit NewtonSolver(const SparsePattern& pattern, Matrices matrices = Matrices::with_mass);

  const SolveResult& find_root(RootProblem& problem, Vector x, const SolverOptions& options);
  const SolveResult& minimise(MinimumProblem& problem, Vector x, const SolverOptions& options);
  // A root at which the matrix is positive definite, by full steps on few unknowns (SmallNewton); null, and x as it
  // was, where these do not do. The two above try them first.
  const SolveResult* find_small_root(RootProblem& problem, Vector x, const SolverOptions& options) {
    return solve_small({problem, nullptr, true}, x, options);
  }

 private:
  using Point = MeritPoint;
  struct Aim {
    double goal = 0, accept = 0;  // relative to the scale: where to stop, where a stall counts as convergence
    bool down_to_rounding = true;
  };
  struct Step {
    Point next;
    double length = 1;
    FailureCode code = FailureCode::none;  // of the line search
    bool below_rounding = false;           // of the unknowns
  };

  void begin(Merit& merit, const SolverOptions& options);
  const SolveResult* solve_small(SmallNewton::Task task, Vector x, const SolverOptions& options);
  void forget_result();
  const SolveResult& iterate(Merit& merit, Vector x, const SolverOptions& options);
  void iterate_from(Merit& merit, Vector x, const SolverOptions& options);
  // One iteration; false if the solve has ended with it.
  bool improve(Merit& merit, Vector x, int iteration);
  bool take(Merit& merit, Vector x, const Step& step);
  Point evaluate(Merit& merit, ConstVector x, Vector r);
  Point find_start(Merit& merit, Vector x);
  FailureCode find_direction(Merit& merit, ConstVector x);
  Step search_line(Merit& merit, ConstVector x, bool single_trial);
  Point try_step(Merit& merit, ConstVector x, double length);
  bool values_are_noise(Merit& merit, ConstVector x, double slope);
  void expand(Merit& merit, ConstVector x, double slope, Step& step);
  void come_back(Merit& merit, ConstVector x, double slope, Step& step);
  Trial trial(double length, double slope) const { return {length, slope, directions_.direction(), trial_residual_}; }
  double forcing(Merit& merit) const;
  bool small_enough(Merit& merit, ConstVector x);
  bool step_below_rounding(Merit& merit, ConstVector x) const;
  // Every way out leaves the problem evaluated at x: leave() does it, finish() where it is so already.
  bool leave(Merit& merit, ConstVector x, bool converged, FailureCode code);
  bool finish(bool converged, FailureCode code);

  NewtonDirections directions_;
  std::unique_ptr<SmallNewton> small_;  // null: there are too many unknowns
  std::vector<double> residual_, trial_residual_, trial_;
  SolveResult result_;

  // The solve in hand.
  Aim aim_;
  Point at_, before_;  // where it stands, and stood one step ago
};

}  // namespace livens
