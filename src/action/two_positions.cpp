// Starts from two positions [K06 1.1, L04 2.2]: the discrete Legendre transform of the first step.
#include <stdexcept>

#include <livens/path.hpp>

#include "action/discrete_action.hpp"
#include "integrators/straight_line.hpp"
#include "integrators/straight_line_forces.hpp"

namespace livens {
namespace {

// F- of a straight-line step from q0 to q1.
std::vector<double> start_impulse(const Model& model, const DiscreteLagrangian& rule, double t, double h,
                                  ConstVector q0, ConstVector q1) {
  std::vector<double> impulse(q0.size(), 0.0), v(q0.size());
  if (model.parts().forces.empty()) return impulse;
  if (rule.degree() > 1)
    throw std::invalid_argument(
        "a start from two positions with forces is defined for straight-line methods, and this one has inner points");
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = (q1[i] - q0[i]) / h;
  const QuadratureRule quadrature{rule.weights, rule.points};
  StraightLineForces forces(model, model.separable() && quadrature.explicit_steps(), {});
  forces.begin(model, {t, h, q0, {}});
  forces.start_impulse(model, {t, h, q0, {}}, v, q1, impulse, nullptr);
  return impulse;
}

// dS/dq0 of the first step, over the inner points that make it stationary.
std::vector<double> by_start(const Model& model, const DiscreteLagrangian& rule, double t, double h,
                             const std::vector<double>& q0, const std::vector<double>& q1) {
  std::vector<double> points = q0;
  if (rule.degree() > 1) {
    const Path step = stationary_path(model, {rule, t, t + h, 1, q0, q1});
    if (!step.converged) throw std::invalid_argument("no first step between the two positions: " + step.message);
    points = step.q;
  } else {
    points.insert(points.end(), q1.begin(), q1.end());
  }
  std::vector<double> gradient(points.size()), sizes(points.size());
  DiscreteAction(model, rule, t, h, 1).gradient(points, gradient, sizes);
  gradient.resize(q0.size());
  return gradient;
}

}  // namespace

State start_from_positions(const Model& model, const DiscreteLagrangian& rule, double t, double h,
                           const std::vector<double>& q0, const std::vector<double>& second) {
  if (model.constraint_count() > 0)
    throw std::invalid_argument(
        "with constraints held by multipliers two positions do not determine the momentum: use velocities");
  std::vector<double> q1 = second;
  for (std::size_t i = 0; i < q1.size(); ++i)
    if (model.supported(static_cast<int>(i))) q1[i] = q0[i];
  const std::vector<double> impulse = start_impulse(model, rule, t, h, q0, q1);
  State state;
  state.t = t;
  state.q = q0;
  state.p = by_start(model, rule, t, h, q0, q1);
  state.v.resize(q0.size());
  for (std::size_t i = 0; i < q0.size(); ++i) {
    state.p[i] = -state.p[i] - impulse[i];
    state.v[i] = (q1[i] - q0[i]) / h;  // the guess of the Legendre transform
  }
  if (!model.velocity(t, state.q, state.p, state.v))
    throw std::invalid_argument("the momentum of the first step has no velocity");
  model.place_supports(t, state);
  return state;
}

}  // namespace livens
