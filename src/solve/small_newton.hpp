// Newton's method for a few unknowns, where its bookkeeping would cost more than its numbers: full steps on arrays of
// fixed size.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "math/sparse_pattern.hpp"
#include "solve/problem.hpp"

namespace livens {

class SmallNewton {
 public:
  static constexpr int most_unknowns = 10;

  // Null if there are more unknowns.
  static std::unique_ptr<SmallNewton> make(const SparsePattern& pattern);
  explicit SmallNewton(const SparsePattern& pattern);

  struct Task {
    RootProblem& problem;
    MinimumProblem* feasible = nullptr;  // where it has to be: says so together with its objective
    bool definite = false;               // whether the matrix has to be positive definite
    double goal = 0, accept = 0;         // of the scale: where to stop, and where a stall is the end (NewtonSolver)
    int most_iterations = 0;
  };
  // From x, where every step leaves a tenth of the residual at most until rounding ends it. False where that is not so,
  // with x as it was.
  bool solve(const Task& task, Vector x, SolveResult& result);

 private:
  using Numbers = std::array<double, most_unknowns>;

  bool factorise(RootProblem& problem, ConstVector x, bool definite);
  bool factorise_definite(std::size_t n);
  bool factorise_any(std::size_t n);
  // x -= A^-1 b
  void step(Vector x, ConstVector b) const;

  double& at(std::size_t i, std::size_t j) { return matrix_[i * most_unknowns + j]; }
  double at(std::size_t i, std::size_t j) const { return matrix_[i * most_unknowns + j]; }

  std::vector<std::size_t> row_, column_;  // of each value
  std::vector<double> values_;
  std::array<double, most_unknowns * most_unknowns> matrix_;  // L and U (of a definite one L, D on the diagonal, L')
  std::array<std::size_t, most_unknowns> order_;              // of the rows
};

}  // namespace livens
