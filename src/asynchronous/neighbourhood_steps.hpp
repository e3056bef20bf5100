// The longest steps that stencils around the same nodes allow each other.
//
// Steps tau_e fit together if
//   sum_e tau_e^2 K_e <= 4 M                                                                                  (1)
// with the stiffness K_e of each stencil and the masses M of the nodes; for equal steps that is Verlet's limit
// 2 / omega_max. It holds if every node divides its mass among its stencils, M = sum_e M_e, and tau_e is the limit
// 2 / sqrt(lambda_max(M_e^-1 K_e)) of the stencil with its part. Here parts are in proportion to the stiffness that
// each stencil has at the node: a sliver gets the mass of its good neighbours. What (1) then leaves, lambda_max(M^-1
// sum) < 4 by Lanczos' method, lengthens all steps alike, which makes it sharp: a uniform mesh has Verlet's own step.
#pragma once

#include <span>
#include <vector>

#include "asynchronous/stencil_system.hpp"

namespace livens {

class NeighbourhoodSteps {
 public:
  using Four = float __attribute__((vector_size(16)));  // single precision is enough for a step to one percent

  // x: the position of each node.
  NeighbourhoodSteps(const StencilSystem& system, std::vector<Pack> x);

  // tau_e by the division of masses; infinite where nothing is stiff.
  const std::vector<double>& limits() const { return limits_; }
  // lambda_max(M^-1 sum_e w_e K_e) of coordinates that are free, to about a hundredth.
  double largest(std::span<const double> weights) const;

 private:
  void share_stiffness();
  void limit_each();
  // force: room for the parts of all places.
  void multiply(std::span<const double> weights, double h, const std::vector<Four>& u, std::vector<Four>& force,
                std::vector<double>& sum) const;

  const StencilSystem& system_;
  std::vector<Pack> x_;
  std::vector<double> share_;  // of the mass of its node, per place
  std::vector<double> limits_;
  std::vector<float> kept_;      // stiffness of linear elements
  std::vector<Pack> gradients_;  // of other elements at x, per place
  std::vector<std::size_t> kept_at_;
  std::vector<int> place_at_, places_;  // the places of each node, one node after the other
  double size_ = 1;                     // m, of the smallest stencil
};

}  // namespace livens
