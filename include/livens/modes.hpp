// Normal modes: small oscillations x e^(i w t) about a state of rest.
//
//   K x = w^2 M x,   C x = 0,   K = -d2L/dq2 + sum lambda_k d2g_k/dq2,   M = d2L/dv2,   C = dg/dq
//
// for the coordinates that no support holds. The multipliers lambda are those that carry the forces of the state, so
// that stress and load at rest (pre-stress) are in K.
//
//   const Modes modes = normal_modes(model, state, {.count = 6});
//   for (const Mode& mode : modes.modes) fmt::print("{} Hz\n", mode.frequency);
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <livens/model.hpp>

namespace livens {

struct Mode {
  double eigenvalue = 0;  // w^2, 1/s^2; below 0: the state is unstable, and grows like e^(sqrt(-w^2) t)
  double frequency = 0;   // Hz; of an unstable mode 0
  double growth = 0;      // 1/s, of an unstable mode
  bool zero = false;      // w^2 is rounding of the stiffness: nothing resists the motion
  double damping = 0;     // what forces linear in v take of it: x'Dx / (2 w), D = -df/dv
  double residual = 0;    // |K x - w^2 M x| over |K| |x|
  // Of translations along x, y, z (kg) and rotations about x, y, z through the centre of mass (kg m^2):
  // (x'M r)^2 with x'M x = 1. The sum over all modes is that of `Modes::free_mass`.
  std::vector<double> effective_mass;
  std::vector<double> shape;  // of all coordinates; x'M x = 1
};

struct ModesOptions {
  int count = 12;
  double near = 0;  // Hz: the modes closest to it; 0: the lowest
  // The number of modes below the highest, by the signs of the pivots of one more factorisation.
  bool counted = true;
  std::function<bool(const std::string& what)> told{};  // what goes on; false ends it
};

struct Modes {
  bool converged = false, interrupted = false;
  std::string message;             // why not
  std::vector<Mode> modes;         // by their eigenvalues, ascending
  int zero = 0, unstable = 0;      // zero modes among them; unstable ones of the state, shown or not
  bool complete = false;           // none between the first and the last is missing: that was counted
  std::vector<double> free_mass;   // r'M r of the six rigid motions without the supports; three in the plane
  std::vector<double> center;      // of mass, m: that rotations go through
  double unbalanced = 0;           // largest force that does not balance, over the largest sum of forces
  std::vector<std::string> notes;  // what the modes do not contain
  int solves = 0, factorisations = 0;
};

// Throws std::invalid_argument for a model whose oscillations are no such modes: with gyroscopic terms, with potentials
// that have no second derivatives, with surfaces that touch, or with bodies without a mass.
Modes normal_modes(const Model& model, const State& state, const ModesOptions& options = {});

}  // namespace livens
