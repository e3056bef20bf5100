// Variational steps with constraints: g = 0 at the control points Q_1 ... Q_s of the step, held by impulses
// -G(Q_j)'L_j that act at Q_0 ... Q_s-1, and p1 projected so that its velocity keeps the constraints too:
//
//   p0 - G(Q_0)'L_0 = -dS/dQ_0,   dS/dQ_j = G(Q_j)'L_j,   g(Q_j) = 0,   p1 = dS/dQ_s - G(Q_s)'L_s,  G v1 + dg/dt = 0.
//
// One straight line with the trapezoidal rule is RATTLE (SHAKE without the projection), with one point at alpha the
// constrained Hamilton-Pontryagin step [K06 3.5], and higher degrees with Lobatto points the constrained Lobatto
// IIIA-IIIB pair of order 2s (L. Jay, SIAM J. Numer. Anal. 33 (1996)).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <livens/stepper.hpp>

#include "math/quadrature.hpp"

namespace livens {

// nodes: times of the control points, 0 ... 1. project: of the momentum at the end of a step.
std::unique_ptr<Stepper> make_constrained(std::vector<double> nodes, Quadrature rule, bool project,
                                          const SolverOptions& solver, const Model& model);

// Whatever else acts, constraints by multipliers make a step a root.
SolvePath constrained_path(const SolverOptions& solver);

// impulse += the part of -scale G(q)'lambda that comes from the ground and from supports that constraints pull at.
void add_outer_impulse(const Model& model, double t, ConstVector q, ConstVector lambda, double scale, Vector impulse);
bool has_outer_impulse(const Model& model);
// Books that impulse, and the work of constraints that move.
void book_reactions(const Model& model, double t, ConstVector q, ConstVector lambda, Ledger& ledger);

// Augmented Lagrangians: g_k - (L_k - L_k before) / (stiffness h) = 0 instead of g_k = 0, repeated with L_k before =
// L_k until g is as small as it gets: what is left of it is an error of the energy, of multiplier times violation. The
// stiffness is the given one in the first round of a step and grows where rounds are slow.
class Augmentation {
 public:
  // tolerance: of the violations, of the size of a constraint; 0: down to rounding.
  Augmentation(const Model& model, int stages, double tolerance);
  bool any() const { return !compliance_.empty(); }
  static constexpr int most_rounds = 100;
  static constexpr double small_enough = 1e-11;  // of the size of a constraint: what does not fall further is accepted
  static constexpr double rounding = 1e-15;      // of that size: nothing is left to gain
  static constexpr double enough_progress = 1e-2;  // of the violation before: a round that leaves more was too soft
  static constexpr double stiffening = 100;        // for the rounds that follow
  // Rounds without progress say that this is rounding, once they had time to stiffen by 100^5: a first round that is
  // good enough may have been so with any stiffness, since multipliers begin with those of the step before.
  static constexpr int patience = 5;
  void begin(double h, ConstVector multipliers);
  // g -= compliance * (L - L before), for one stage; multiplier and equation j of constraint k are at k * stages + j.
  void correct(ConstVector multipliers, std::size_t stages, std::size_t stage, Vector g) const;
  // -1 / (stiffness h) for multiplier k, 0 for those held exactly.
  double diagonal(std::size_t k) const { return compliance_.empty() ? 0 : -compliance_[k]; }
  // Takes the multipliers over; whether another round is needed. off: largest constraint over its size.
  bool again(ConstVector multipliers, double off);
  long rounds() const { return rounds_; }
  bool converged() const { return converged_; }  // after the last round; always without augmented constraints
  StepReport failed(double t, double h) const;
  void visit_memory(MemoryVisitor& visitor) { visitor.visit("augmentation_rounds", rounds_); }

 private:
  std::string name_;  // of the first augmented constraint, and its stiffness
  double given_ = 0;
  std::vector<double> stiffness_, compliance_, before_;
  double goal_ = rounding;
  double off_ = 0, best_ = 0;  // violation after the round before, and the least one
  long rounds_ = 0;
  int round_ = 0, idle_ = 0;  // of this step; those without progress, one after the other
  bool converged_ = true;
};

}  // namespace livens
