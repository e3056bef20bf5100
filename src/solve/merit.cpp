#include "solve/merit.hpp"

#include <algorithm>
#include <cmath>

#include "solve/dot.hpp"
#include "solve/newton_tuning.hpp"

namespace livens {
namespace {

using Tuning = NewtonTuning;

bool residual_falls(const MeritPoint& at, const MeritPoint& next, double length) {
  return next.norm <= (1 - Tuning::armijo * length) * at.norm;
}

}  // namespace

bool ResidualMerit::evaluate(ConstVector x, Vector r, double& scale, double&) { return problem_.residual(x, r, scale); }

FailureCode ResidualMerit::find_direction(NewtonDirections& directions, ConstVector x, const MeritPoint&,
                                          ConstVector residual, double forcing, SolveResult&) {
  directions.fill(problem_, x);
  return directions.solve_any(problem_.symmetric(), residual, forcing);
}

bool ResidualMerit::accepts(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const {
  return residual_falls(at, next, trial.length);
}

double ResidualMerit::shorter(const MeritPoint&, const MeritPoint&, const Trial& trial) const {
  return Tuning::usual_cut * trial.length;
}

bool ObjectiveMerit::evaluate(ConstVector x, Vector r, double& scale, double& value) {
  return problem_.evaluate(x, r, scale, value) && std::isfinite(value);
}

FailureCode ObjectiveMerit::infeasible_start(ConstVector x) const {
  return std::isfinite(largest_of(x)) ? FailureCode::inverted : FailureCode::not_finite;
}

// The Hessian; where it has negative curvature its convex stand-in; and if even that is not positive definite, the
// metric on top in growing amounts.
FailureCode ObjectiveMerit::find_direction(NewtonDirections& directions, ConstVector x, const MeritPoint& at,
                                           ConstVector residual, double forcing, SolveResult& work) {
  const auto goes_down = [&] {
    return directions.solve_definite(residual, forcing) == FailureCode::none &&
           slope(residual, directions.direction()) < 0;
  };
  if (!convex_) {
    directions.fill(problem_, x);
    if (goes_down()) return FailureCode::none;
    if (at.norm <= Tuning::default_accept * at.scale) return FailureCode::rounding_floor;
  }
  ++work.convexified;
  convex_ = true;
  if (problem_.convex_jacobian(x, directions.clear_matrix()) && goes_down()) return FailureCode::none;
  double shift = Tuning::first_shift;
  for (int attempt = 0; attempt < Tuning::most_shifts; ++attempt, shift *= Tuning::shift_growth) {
    Vector matrix = directions.clear_matrix();
    if (!problem_.convex_jacobian(x, matrix)) problem_.jacobian(x, matrix = directions.clear_matrix());
    problem_.add_metric(shift, matrix);
    if (goes_down()) return FailureCode::none;
  }
  return FailureCode::indefinite;
}

double ObjectiveMerit::slope(ConstVector residual, ConstVector direction) const { return dot(residual, direction); }

// The objective decides (Armijo) as long as its differences are more than rounding, which grows with the positions it
// is made from; then its slope does, which has no such cancellation (W. W. Hager, H. Zhang, SIAM J. Optim. 16 (2005),
// approximate Wolfe conditions), or the residual.
bool ObjectiveMerit::accepts(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const {
  if (at.norm <= Tuning::chord_region * at.scale) return residual_falls(at, next, trial.length);
  if (next.value <= at.value + Tuning::armijo * trial.length * trial.slope) return true;
  if (trial.length == 1 && at.norm <= Tuning::quadratic_region * at.scale &&
      next.norm <= Tuning::quadratic_decrease * at.norm)
    return true;
  if (std::abs(next.value - at.value) > Tuning::resolution * std::abs(at.value)) return false;
  const double next_slope = dot(trial.residual, trial.direction);
  return next_slope <= (2 * Tuning::armijo - 1) * trial.slope && next_slope >= Tuning::wolfe * trial.slope;
}

// The minimum of the parabola through value, slope and trial value.
double ObjectiveMerit::shorter(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const {
  const double length = trial.length, longest = Tuning::usual_cut * length;
  const double excess = next.value - at.value - trial.slope * length;
  if (!next.feasible || !(excess > 0)) return longest;
  return std::clamp(-0.5 * trial.slope * length * length / excess, Tuning::deepest_cut * length, longest);
}

// Energies of bodies near rest are what rounding leaves of larger ones: close to x they do not follow their slope. A
// full step to where gradient and slope are much smaller goes down, whatever they say.
bool ObjectiveMerit::accepts_if_noise(const MeritPoint& at, const MeritPoint& next, const Trial& trial) const {
  return !convex_ && next.norm <= Tuning::noise_gradient * at.norm &&
         std::abs(dot(trial.residual, trial.direction)) <= Tuning::noise_slope * std::abs(trial.slope);
}

bool ObjectiveMerit::is_noise(const MeritPoint& at, const MeritPoint& near, double part, double slope) const {
  return near.feasible && std::abs(near.value - at.value - part * slope) > Tuning::noise * std::abs(part * slope);
}

FailureCode ObjectiveMerit::search_failure(const MeritPoint& at, double slope, bool any_feasible) const {
  if (!any_feasible) return FailureCode::inverted;
  const bool drowned = std::abs(slope) <= Tuning::resolution * std::abs(at.value);
  return drowned ? FailureCode::rounding_floor : FailureCode::no_decrease;
}

// The stand-in converges linearly only: it is left behind with the first full step.
void ObjectiveMerit::took_step(const MeritPoint& before, const MeritPoint& at, double length) {
  if (length >= 1 && at.norm <= before.norm) convex_ = false;
}

}  // namespace livens
