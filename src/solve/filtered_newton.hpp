// Newton's method for roots inside an open set that the unknowns may not leave on the way: of steps with contact, where
// paths must be free of collisions.
//
// A direction is cut to 0.9 of the part that is free. A trial is taken if |r| falls by a tenth of its length, or if the
// slope r.d began negative and has not grown beyond half of its size: |r| alone rises whenever something enters a
// barrier. Otherwise the length is cut by a secant of the slope. There is no objective. Jacobians come in a symmetric
// form, for conjugate gradients, and in a general one; where one makes no progress in a few iterations the other is
// taken.
#pragma once

#include <memory>
#include <vector>

#include "solve/newton_directions.hpp"
#include "solve/problem.hpp"

namespace livens {

class FilteredProblem {
 public:
  virtual ~FilteredProblem() = default;
  // As of RootProblem. The last call was made at the x that a solve returns.
  virtual bool residual(ConstVector x, Vector r, double& scale) = 0;
  // |r|^2 in a metric that makes its components comparable.
  virtual double square(ConstVector r) const = 0;
  // r.dx, of the components that a potential would have.
  virtual double slope(ConstVector r, ConstVector dx) const = 0;
  // The part of dx, at most 1, that is free from x. `changed` is set if r(x) is another function from now on.
  virtual double free_fraction(ConstVector x, ConstVector dx, bool& changed) = 0;
  // The pattern that the Jacobian at x needs, where the last residual was asked for. Equal numbers stand for equal
  // patterns; 0 is that of no contacts.
  virtual const SparsePattern& pattern(bool symmetric, long& number) = 0;
  virtual void jacobian(ConstVector x, bool symmetric, Vector values) = 0;
  virtual bool begins_symmetric() const = 0;
  virtual bool symmetric_matrix() const = 0;  // whether the symmetric form is: not with multipliers
  virtual double size_of_unknowns() const = 0;
  // Norm of what the Jacobian leaves out and rounding does not.
  virtual double left_out() const = 0;
};

class FilteredNewton {
 public:
  FilteredNewton() { result_.trace.reserve(64); }
  const SolveResult& solve(FilteredProblem& problem, Vector x, const SolverOptions& options);

 private:
  struct Point {
    double norm = 0, scale = 0, square = 0;  // largest component, what it refers to, |r|^2
    bool feasible = false;
  };
  struct Directions {
    std::unique_ptr<NewtonDirections> directions;
    long number = -1;
  };

  Point evaluate(FilteredProblem& problem, ConstVector x, Vector r);
  bool find_direction(FilteredProblem& problem, ConstVector x, const SolverOptions& options);
  NewtonDirections& directions_for(FilteredProblem& problem, const SolverOptions& options);
  // The accepted trial is in trial_ and trial_residual_; false if there is none.
  bool search(FilteredProblem& problem, ConstVector x, Point& next, double& length);
  bool small_enough(const FilteredProblem& problem) const;
  const SolveResult& finish(bool converged, FailureCode code);

  Directions plain_, coupled_;  // without contacts; with those of the last pattern
  NewtonDirections* now_ = nullptr;
  std::vector<double> residual_, trial_residual_, trial_;
  SolveResult result_;
  Point at_;
  double goal_ = 0, accept_ = 0;
  bool symmetric_ = false, down_to_rounding_ = true;
};

}  // namespace livens
