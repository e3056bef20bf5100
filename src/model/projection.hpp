// Positions and velocities onto the constraints, and the multipliers of an instant.
#pragma once

#include <memory>
#include <vector>

#include <livens/model.hpp>

#include "model/saddle_system.hpp"
#include "solve/saddle_solver.hpp"

namespace livens {

class Projection {
 public:
  explicit Projection(const Model& model);
  ~Projection();

  // The momentum nearest to p (in M^-1) whose velocity keeps the constraints: dL/dv(q, v) = p - G'mu, G v + dg/dt = 0.
  // v on entry is a guess. mu may be asked for.
  const SolveResult& velocities(const Model& model, double t, ConstVector q, Vector p, Vector v, Vector mu = {});
  // The positions nearest to q (in M) that satisfy g(t, q) = 0.
  const SolveResult& positions(const Model& model, double t, Vector q);
  // Multipliers that keep the constraints at the state, from the second derivative of g(t, q(t)) = 0:
  //   L_vv a + G'lambda = dL/dq + f - L_vq v - L_vt,  G a = -second derivative at constant velocity.
  const SolveResult& multipliers(const Model& model, const State& state, Vector lambda);
  // The same to rounding and with the velocities as they are, though they may not keep the constraints: for methods
  // that integrate the accelerations.
  const SolveResult& multipliers_as_given(const Model& model, const State& state, Vector lambda);

 private:
  const SolveResult& accelerate(const Model& model, const State& state, const SolverOptions& options, Vector lambda);

  struct Problem;
  struct Velocities;
  struct Positions;
  struct Accelerations;
  SaddleSystem system_;
  SaddleSolver solver_;
  std::vector<double> x_, base_, work_;
};

// Rank of the constraints at a configuration, by a rank-revealing factorisation of G M^-1/2.
struct ConstraintRank {
  int equations = 0, rank = 0;
  int degrees_of_freedom = 0;                         // coordinates that are not supported, less the rank
  std::vector<std::string> redundant;                 // names of the constraints that repeat others
  double largest_position = 0, largest_velocity = 0;  // violations
};
ConstraintRank constraint_rank(const Model& model, const State& state);

}  // namespace livens
