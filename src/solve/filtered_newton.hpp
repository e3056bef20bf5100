// Newton's method for roots inside an open set that the unknowns may not leave on the way: of steps with contact, where
// paths must be free of collisions.
//
// A direction is cut to 0.9 of the part that is free. A trial is taken if |r| falls by a tenth of its length, or if the
// slope r.d began negative and has not grown beyond half of its size: |r| alone rises whenever something enters a
// barrier. Otherwise the length is cut by a secant of the slope. There is no objective.
//
// Jacobians J are not symmetric. Large systems have a symmetric, positive definite S beside them, on the pattern of the
// model with couplings of what touches: conjugate gradients with it precondition generalised minimal residuals with J.
// S serves a whole solve, while the contacts in J follow every iteration. While nothing touches it serves alone, and
// Broyden's updates take care of what it leaves out. Small systems, and those where this makes no progress, have
// factorisations on a pattern that is made for them.
#pragma once

#include <memory>
#include <vector>

#include "solve/flexible_gmres.hpp"
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
  // A symmetric matrix S near the Jacobian J on the pattern of the model, with couplings beside it that live until the
  // next call.
  virtual const SparsePattern& plain_pattern() const = 0;
  virtual bool couples_beside() const = 0;  // whether there are blocks of nodes for them
  virtual bool touches() const = 0;         // at the last residual
  // Of the model without contacts: its symmetric form, or the exact one.
  enum class Base { symmetric, general };
  virtual Couplings jacobian_beside(ConstVector x, Base base, Vector values) = 0;
  // J from now on: with that of the model as in the last S, and the contacts of the last residual.
  virtual void take_contacts() = 0;
  // y = J x; image: S x.
  virtual void multiply(ConstVector x, ConstVector image, Vector y) const = 0;
  // The Jacobian on a pattern that has all of it, where the last residual was asked for. Equal numbers stand for equal
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
  void begin(FilteredProblem& problem, ConstVector x, const SolverOptions& options);
  // By the matrix that is kept, or by a new one.
  bool find_direction(FilteredProblem& problem, ConstVector x, const SolverOptions& options);
  bool find_beside(FilteredProblem& problem, ConstVector x, const SolverOptions& options);
  bool find_residual_minimum(FilteredProblem& problem);
  FlexibleGmres::Reduction forcing(const FilteredProblem& problem) const;
  bool find_factorised(FilteredProblem& problem, ConstVector x, const SolverOptions& options);
  void take(Vector x, const Point& next, double length);
  // The accepted trial is in trial_ and trial_residual_; false if there is none.
  bool search(FilteredProblem& problem, ConstVector x, Point& next, double& length);
  double rounding(const FilteredProblem& problem) const;
  bool small_enough(const FilteredProblem& problem, const Point& at) const;
  const SolveResult& finish(bool converged, FailureCode code);

  Directions beside_, plain_, coupled_;  // couplings beside; without contacts; with those of the last pattern
  NewtonDirections* now_ = nullptr;
  std::vector<double> residual_, trial_residual_, trial_, image_;
  FlexibleGmres gmres_;
  SolveResult result_;
  Point at_;
  double goal_ = 0, accept_ = 0, best_ = 0, before_ = 0;  // best |r|^2; |r|^2 before the last step
  int waited_ = 0;                                        // iterations without progress
  bool symmetric_ = false, down_to_rounding_ = true, beside_works_ = true, updated_ = false;
  // Whether there is an S with contacts in this solve. slow_: the model has to be exact; worn_: S is far from J.
  bool matrix_made_ = false, slow_ = false, worn_ = false, general_ = false;  // general_: it is exact
};

}  // namespace livens
