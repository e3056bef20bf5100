// The law of a spring, W(e) = k/2 e^2 + c/3 e^3 + q/4 e^4, and its divided difference, which is a polynomial: nothing
// cancels as e1 approaches e0.
#pragma once

#include "forces/spring.hpp"

namespace livens {

template <class S>
S spring_energy(const SpringLaw& law, S e) {
  return e * e * (law.stiffness / 2 + e * (law.cubic / 3 + e * (law.quartic / 4)));
}

template <class S>
S spring_slope(const SpringLaw& law, S e) {
  return e * (law.stiffness + e * (law.cubic + e * law.quartic));
}

// W[e0, e1] = (W(e1) - W(e0)) / (e1 - e0) = k/2 (e0 + e1) + c/3 (e0^2 + e0 e1 + e1^2) + q/4 (e0 + e1)(e0^2 + e1^2)
template <class S>
S mean_slope(const SpringLaw& law, S e0, S e1) {
  const S sum = e0 + e1, squares = e0 * e0 + e1 * e1;
  return law.stiffness / 2 * sum + law.cubic / 3 * (squares + e0 * e1) + law.quartic / 4 * (sum * squares);
}

// dW[e0, e1]/de1 = k/2 + c/3 (e0 + 2 e1) + q/4 (e0^2 + 2 e0 e1 + 3 e1^2)
inline double mean_curvature(const SpringLaw& law, double e0, double e1) {
  return law.stiffness / 2 + law.cubic / 3 * (e0 + 2 * e1) + law.quartic / 4 * (e0 * e0 + e1 * (2 * e0 + 3 * e1));
}

}  // namespace livens
