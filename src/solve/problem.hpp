// What Newton's method solves, and what a solve says of itself.
#pragma once

#include <vector>

#include <livens/matrix_sink.hpp>
#include <livens/solver_options.hpp>

namespace livens {

// Names a matrix that does not depend on the unknowns: equal names of one problem stand for equal matrices.
struct MatrixName {
  long model = 0;  // 0: the matrix varies
  double step = 0;
  bool constant() const { return model != 0; }
  bool operator==(const MatrixName&) const = default;
};

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
  // Of problems whose Jacobian is the same everywhere: it is made once, and prepared or factorised once.
  virtual MatrixName constant_matrix() const { return {}; }
  // What the rounding of the unknowns refers to: the largest of them, unless they are rates of something larger.
  virtual double size_of_unknowns(ConstVector x) const;
  // Where the nodes were when jacobian() was last asked for: their rigid motions cost least. Empty: not known.
  virtual ConstVector places() const { return {}; }
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
  // Another start than x, for one that is not feasible or far from the minimum; false if none is known.
  virtual bool other_start(Vector) { return false; }
};

double largest_of(ConstVector x);  // absolute value; not finite if one of them is not

struct SolveResult {
  bool converged = false;
  FailureCode code = FailureCode::none;
  int iterations = 0, evaluations = 0, factorisations = 0, linear_iterations = 0, cuts = 0, convexified = 0;
  double residual = 0, scale = 0;
  int worst_coordinate = -1;
  std::vector<TraceLine> trace;

  // The solve ends here: norm, scale and worst coordinate are those of this residual.
  void end(bool good, FailureCode reason, double norm, double size, ConstVector r);
};

}  // namespace livens
