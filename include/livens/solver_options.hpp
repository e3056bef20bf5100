// How equations are solved, and how that can fail.
#pragma once

#include <string>

namespace livens {

struct SolverOptions {
  // automatic: minimise where there is a function whose gradient the equations are, find a root otherwise.
  enum class Kind { automatic, minimise, root };
  Kind kind = Kind::automatic;
  // automatic: by the size and kind of the system; multilevel: conjugate gradients with coarser and coarser meshes.
  enum class Linear { automatic, cg, multilevel, direct };
  Linear linear = Linear::automatic;
  double tolerance = 0;  // of the residual over its own scale, for steps that of the momenta; 0: down to rounding
  int max_iterations = 50;
  int retry_halvings = 0;  // how often a failed step may be halved
};

enum class FailureCode {
  none,
  not_finite,
  no_convergence,
  no_decrease,
  singular,
  inverted,        // every longer step would turn an element inside out
  indefinite,      // no downhill direction in spite of convexification
  rounding_floor,  // the tolerance is below what rounding allows
  step_too_small,
};
std::string to_string(FailureCode code);

// One line of a failed solve.
struct TraceLine {
  int iteration = 0;
  double residual = 0, objective = 0, step_length = 0;
};

}  // namespace livens
