// Newton's method for equations of motion with multipliers,
//
//   r(x, m) = 0,  g(x) = 0,     [ A  B ] [dx]     [r]
//                               [ C -e ] [dm] = - [g]
//
// The small e makes the matrix regular where constraints are redundant or lose their rank (singular configurations of
// mechanisms): what is solved stays r = 0, g = 0, only the steps towards it bend, by a share of `regularisation`, and
// multipliers that are not unique stay small.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "solve/newton.hpp"

namespace livens {

class SaddleProblem {
 public:
  virtual ~SaddleProblem() = default;
  // x: unknowns, then multipliers. r: equations, then constraints. scale: as for RootProblem, of the equations;
  // violation: largest constraint over what its rounding refers to. False if something is not finite.
  virtual bool residual(ConstVector x, Vector r, double& scale, double& violation) = 0;
  virtual void jacobian(ConstVector x, Vector values) = 0;  // zero on entry
};

class SaddleSolver {
 public:
  static constexpr double regularisation = 1e-12;  // of the constraints' own compliance C A^-1 B
  // Away from the constraints redundant equations are not quite redundant, and small differences between them would
  // call for large multipliers. `gradual` regularises in proportion to what is still to be solved: multipliers that are
  // not unique stay small. Where the first way fails the other one is tried.
  enum class Regularise { least, gradual };

  // The pattern has `unknowns` unknowns first, then the multipliers, with the diagonal of these.
  SaddleSolver(const SparsePattern& pattern, int unknowns);

  const SolveResult& solve(SaddleProblem& problem, Vector x, const SolverOptions& options,
                           Regularise regularise = Regularise::least);

 private:
  struct Point {
    bool finite = false;
    double norm = 0, scale = 0, violation = 0;
    double merit() const { return std::max(scale > 0 ? norm / scale : norm, violation); }
  };
  Point evaluate(SaddleProblem& problem, ConstVector x, Vector r);
  bool attempt(SaddleProblem& problem, Vector x, const SolverOptions& options);
  bool factorise(SaddleProblem& problem, ConstVector x, double merit);
  void regularise(double share);

  SparsePattern pattern_;
  std::size_t unknowns_;
  std::vector<std::size_t> diagonal_;  // slots of the multipliers
  std::unique_ptr<LinearSolver> lu_;
  std::vector<double> values_, residual_, trial_residual_, direction_, trial_, stiffness_, compliance_, balance_,
      start_;
  Regularise way_ = Regularise::least;
  SolveResult result_;
};

}  // namespace livens
