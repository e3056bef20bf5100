// The numbers that Newton's method is tuned by. "Of the scale" means: of the largest sum of absolute summands of a
// component of the residual (RootProblem::residual).
#pragma once

#include <cstddef>
#include <limits>

namespace livens {

struct NewtonTuning {
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();

  // --- when to stop
  // Of the scale: a residual that stalls below counts as solved, since rounding in long sums may leave that much.
  static constexpr double default_accept = 1e-10;
  // Of the scale: where the default tolerance stops asking, a few roundings of one sum.
  static constexpr double rounding_goal = 4 * epsilon;
  // Of the residual that a change of every unknown in its last bit may make: what is left below is rounding.
  static constexpr double residual_rounding = 4;
  // Of the unknowns: shorter steps change nothing.
  static constexpr double unknown_rounding = 16 * epsilon;
  // Of the residual before: a step that leaves more has stalled, near a solution Newton's method leaves far less.
  static constexpr double stall = 0.25;

  // --- where to start
  // Of the scale: below, the start given is good and no other one is asked for.
  static constexpr double good_start = 3e-3;

  // --- which matrix
  // Of the scale: below, the last factorisation is good enough (chord steps).
  static constexpr double chord_region = 1e-6;
  // Unknowns: up to this number a factorisation costs less than the iterations of conjugate gradients.
  static constexpr int direct_limit = 240;
  // Bandwidth: systems up to it are factorised at any length, for the factor of a chain is as thin as the chain.
  static constexpr int thin_limit = 24;
  // Bandwidth: systems without a mass are factorised up to it and solved by levels beyond: measured for bars, plates of
  // one layer and of three, and blocks of slivers.
  static constexpr int levels_from = 200;
  // A factorisation takes about as long as this many iterations with levels: 140 at 2000 nodes, 220 at 20 000.
  static constexpr int levels_limit = 150;
  // A factorisation takes about as long as this many iterations of conjugate gradients: 3D bodies of 300 to 4000
  // nodes, measured.
  static constexpr int cg_limit(int nodes) { return 200 + nodes / 2; }
  // Amount of the metric on top of a matrix that is not positive definite: the first, by what it grows, and how often;
  // 0.1 * 4^29 is more than 1 / epsilon, where the metric is all that is left.
  static constexpr double first_shift = 0.1, shift_growth = 4;
  static constexpr int most_shifts = 30;

  // --- threads
  // Unknowns that keep a thread busy: with fewer for each, helpers cost more than they do.
  static constexpr std::size_t unknowns_of_a_thread = 1000;

  // --- inexact directions (Eisenstat and Walker 1996)
  // Share of the residual that a linear solve may leave at most: far from the solution better directions do not pay.
  static constexpr double loosest_forcing = 0.05;
  // And at least: what a linear solve gains beyond, the next iteration gains as well.
  static constexpr double tightest_forcing = 1e-5;
  // share = weight (norm / norm before)^power: their choice 2, with an order of convergence of 1.5.
  static constexpr double forcing_weight = 0.5, forcing_power = 1.5;
  // Of the goal: a linear solve goes no further below what ends the iteration.
  static constexpr double forcing_goal = 0.2;

  // --- Broyden's updates
  // They need the same inverse every time, so that the forcing is fixed.
  static constexpr double forcing_with_updates = 0.01;
  // Of the residual before: a step that leaves more says that the matrix is old, and a new one is made.
  static constexpr double slow_progress = 0.3;
  // Steps that are kept: each costs two passes over the unknowns per direction.
  static constexpr std::size_t most_updates = 12;
  // The last update divides by 1 - share: near 1 it is close to singular.
  static constexpr double largest_share = 0.9;

  // --- line search
  // Decrease asked for, of what the slope promises (Armijo); the usual value.
  static constexpr double armijo = 1e-4;
  // Largest slope at the end of a step over that at its start, where slopes decide (approximate Wolfe conditions).
  static constexpr double wolfe = 0.9;
  // Of the scale: below, a full step that halves the gradient is Newton's own, whatever the objective says.
  static constexpr double quadratic_region = 1e-3, quadratic_decrease = 0.5;
  // Differences of the objective below this share of it may be rounding.
  static constexpr double resolution = 1e-9;
  // Of the full step: below, differences of the objective are rounding.
  static constexpr double shortest = 1e-9;
  // A cut leaves between so much and so much of the step: safeguards of the parabola.
  static constexpr double deepest_cut = 0.1, usual_cut = 0.5;
  // A full step that leaves less of gradient and slope has gone down, if the objective is noise.
  static constexpr double noise_gradient = 0.25, noise_slope = 0.5;
  // Noise: at these parts of the step the change of the objective is off that of its tangent by more than `noise` of
  // it, be it that it jumps or that terms stand still. Curvature alone makes that some thousandths.
  static constexpr double noise_parts[] = {1e-3, 2e-3, -1e-3}, noise = 0.05;
  // A step that leaves more than so much of the residual, and has so much of its slope at the start uphill at its end,
  // comes back at least so far.
  static constexpr double much_left = 0.5, uphill = 0.1, least_way_back = 0.95;
  // Steps out of a saddle are doubled so often at most, while the slope has lost less than half.
  static constexpr int most_doublings = 8;
  static constexpr double steep = 0.5;
};

}  // namespace livens
