// By what Newton's method measures progress: the norm of the residual when it looks for a root, the objective when it
// minimises. All that the two ways do differently is here.
#pragma once

#include "solve/newton_directions.hpp"
#include "solve/problem.hpp"

namespace livens {

// The unknowns as seen by a merit.
struct MeritPoint {
  double norm = 0, scale = 0, value = 0;  // largest component of the residual and what it refers to; objective
  bool feasible = false;
};

// A step of the line search: x + length * direction.
struct Trial {
  double length = 1;
  double slope = 0;                 // of the objective along the direction, at x
  ConstVector direction, residual;  // the latter at the end of the step
};

class Merit {
 public:
  virtual ~Merit() = default;
  virtual RootProblem& problem() = 0;
  virtual bool symmetric() const = 0;
  virtual bool takes_updates() const = 0;  // Broyden's, of a matrix that leaves something out

  // r, its scale and the objective, if there is one; false where x is not feasible.
  virtual bool evaluate(ConstVector x, Vector r, double& scale, double& value) = 0;
  virtual bool other_start(Vector x) = 0;  // false if none is known
  virtual FailureCode infeasible_start(ConstVector x) const = 0;

  // A direction from x, residual being that at x. forcing: see NewtonDirections.
  virtual FailureCode find_direction(NewtonDirections& directions, ConstVector x, const MeritPoint& at,
                                     ConstVector residual, double forcing, SolveResult& work) = 0;

  virtual double slope(ConstVector residual, ConstVector direction) const = 0;
  virtual bool accepts(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const = 0;
  virtual double shorter(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const = 0;
  // Whether a full step that is not accepted would be, if the values were noise; and whether a value is: `near` was
  // met after `part` of the step.
  virtual bool accepts_if_noise(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const = 0;
  virtual bool is_noise(const MeritPoint& at, const MeritPoint& near, double part, double slope) const = 0;
  // Why a line search failed.
  virtual FailureCode search_failure(const MeritPoint& at, double slope, bool any_feasible) const = 0;

  // Whether the direction may be too short by far, so that a longer step is worth a try.
  virtual bool is_timid() const = 0;
  virtual void took_step(const MeritPoint& before, const MeritPoint& at, double length) = 0;
};

// |r| falls.
class ResidualMerit final : public Merit {
 public:
  explicit ResidualMerit(RootProblem& problem) : problem_(problem) {}
  RootProblem& problem() override { return problem_; }
  bool symmetric() const override { return problem_.symmetric(); }
  bool takes_updates() const override { return problem_.approximate(); }
  bool evaluate(ConstVector x, Vector r, double& scale, double& value) override;
  bool other_start(Vector) override { return false; }
  FailureCode infeasible_start(ConstVector) const override { return FailureCode::not_finite; }
  FailureCode find_direction(NewtonDirections& directions, ConstVector x, const MeritPoint& at, ConstVector residual,
                             double forcing, SolveResult& work) override;
  double slope(ConstVector, ConstVector) const override { return 0; }
  bool accepts(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const override;
  double shorter(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const override;
  bool accepts_if_noise(const MeritPoint&, const MeritPoint&, const Trial&) const override { return false; }
  bool is_noise(const MeritPoint&, const MeritPoint&, double, double) const override { return false; }
  FailureCode search_failure(const MeritPoint&, double, bool) const override { return FailureCode::no_decrease; }
  bool is_timid() const override { return false; }
  void took_step(const MeritPoint&, const MeritPoint&, double) override {}

 private:
  RootProblem& problem_;
};

// E falls; near the minimum, where its differences are rounding, its slope or |r|.
class ObjectiveMerit final : public Merit {
 public:
  explicit ObjectiveMerit(MinimumProblem& problem) : problem_(problem) {}
  RootProblem& problem() override { return problem_; }
  bool symmetric() const override { return true; }
  bool takes_updates() const override { return false; }
  bool evaluate(ConstVector x, Vector r, double& scale, double& value) override;
  bool other_start(Vector x) override { return problem_.other_start(x); }
  FailureCode infeasible_start(ConstVector x) const override;
  FailureCode find_direction(NewtonDirections& directions, ConstVector x, const MeritPoint& at, ConstVector residual,
                             double forcing, SolveResult& work) override;
  double slope(ConstVector residual, ConstVector direction) const override;
  bool accepts(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const override;
  double shorter(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const override;
  bool accepts_if_noise(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const override;
  bool is_noise(const MeritPoint& at, const MeritPoint& near, double part, double slope) const override;
  FailureCode search_failure(const MeritPoint& at, double slope, bool any_feasible) const override;
  bool is_timid() const override { return convex_; }
  void took_step(const MeritPoint& before, const MeritPoint& at, double length) override;

 private:
  MinimumProblem& problem_;
  bool convex_ = false;  // negative curvature was met: a convex stand-in of the Hessian serves
};

}  // namespace livens
