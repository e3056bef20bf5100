// Contact at the end of a step, as in incremental potential contact (M. Li et al. 2020): for comparison with discrete
// gradients, and for equilibria. Forces of contact are dB(q1); iterates go along paths that are free of collisions.
#pragma once

#include <memory>

#include <livens/stepper.hpp>

#include "integrators/contact_steps.hpp"

namespace livens {

// q1 = q0 + h v0 + h^2 (q_start a0 + q_end a1), v1 = v0 + h (v_start a0 + v_end a1), M a = f: Newmark's method with
// (1/2 - beta, beta, 1 - gamma, gamma), implicit Euler with (0, 1, 0, 1).
struct EndWeights {
  double q_start, q_end, v_start, v_end;
};
// A failed step is halved: sets solver.retry_halvings.
std::unique_ptr<Stepper> make_end_contact(const EndWeights& weights, SolverOptions& solver, const Model& model);

// What methods with contact at the end claim: implicit Euler, and Newmark's method with gamma > 1/2, lose energy in
// every rebound; without that loss a rebound that the step does not resolve may give more than it took.
Claims end_contact_claims(int order, bool dissipates);

// Why methods with contact at the end cannot run a model; empty if they can.
std::string end_contact_refusal(const Model& model);

// dW(t, q) + dB(q) - F(q) - correction = 0 from q on. Friction F is that of the displacement z since q in the change dt
// of the load factor, -mu N f(|G z|/dt) G'z/|G z|, with the pressure N of the equilibrium itself: minus the gradient of
// mu N times a potential of z for every N, which depends on the path of the loads.
class ContactEquilibrium final : private ContactEquation {
 public:
  explicit ContactEquilibrium(const Model& model);
  bool has_friction() const { return contact_.has_friction(); }
  const SolveResult& solve(const Model& model, double t, double dt, ConstVector correction,
                           const SolverOptions& options, Vector q);

 private:
  bool residual(ConstVector z, Vector r, double& scale) override;
  void jacobian(ConstVector z, Vector values) override { add_jacobian(z, true, values); }
  void general_jacobian(ConstVector z, Vector values) override { add_jacobian(z, false, values); }
  double size_of_unknowns(ConstVector) const override { return largest_of(q0_); }
  bool symmetric() const override { return !contact_.has_friction(); }
  void add_jacobian(ConstVector z, bool convex, Vector values);
  void place(ConstVector z);

  ContactSteps contact_;
  std::vector<double> q0_, q1_, z_, v_, gradient_, sizes_;
  const Model* model_ = nullptr;
  ConstVector correction_;
  double t_ = 0, dt_ = 0;
};

}  // namespace livens
