// Contact by barriers in a step: which pairs may meet, forces by discrete gradients, and a solve whose iterates go
// along paths that are free of collisions.
//
// The second derivatives of contacts couple nodes that no element couples. The matrix has the pattern of the model,
// made longer by the pairs of nodes that touch; it is made anew when these change, and is a function of the step alone,
// so that a run that was resumed has the same bits.
#pragma once

#include <memory>
#include <vector>

#include <livens/model.hpp>

#include "contact/contact_set.hpp"
#include "integrators/held_equations.hpp"
#include "math/sparse_pattern.hpp"
#include "solve/filtered_newton.hpp"

namespace livens {

class ContactSteps final : private FilteredProblem {
 public:
  // constraints: those held by multipliers, which are unknowns beside z; null without.
  ContactSteps(const Model& model, const SaddleSystem* constraints);

  bool any() const { return !sets_.empty(); }
  bool is_barrier(std::size_t term) const { return set_of_term_[term] >= 0; }

  // The step from q0, along z = h v0 at first, supports as given. z becomes the part of it that is free.
  void begin(const Model& model, double t0, double h, ConstVector q0, ConstVector v0, Vector z);
  // sum += DB(q0, q1) of the barrier that is term number k.
  void add_discrete_gradient(std::size_t term, ConstVector q1, Vector sum);
  // force += scale * friction of all barriers, or of that whose friction is force number k, at the q1 of the last
  // discrete gradients; v: z/h.
  void add_friction(ConstVector v, double scale, Vector force);
  bool is_friction(std::size_t force) const { return set_of_force_[force] >= 0; }
  void add_friction(std::size_t force_number, ConstVector v, double scale, Vector force);
  // Solves r(z) = 0, of z and multipliers; the Jacobian of `equation` has everything but the contacts, on the pattern
  // of the model, or of the constraints. redundant: some of these are.
  const SolveResult& solve(RootProblem& equation, bool redundant, Vector z, const SolverOptions& options);

  // Contacts of the step that was solved last; steps whose boxes had to grow.
  long contacts() const;
  long widened() const { return widened_; }

 private:
  struct Coupling {
    int row, column;  // nodes
    auto operator<=>(const Coupling&) const = default;
  };

  bool residual(ConstVector z, Vector r, double& scale) override { return held_.residual(z, r, scale); }
  double square(ConstVector r) const override { return held_.square(r); }
  double slope(ConstVector r, ConstVector dz) const override { return held_.slope(r, dz); }
  bool symmetric_matrix() const override { return held_.unknowns() == q0_.size(); }
  double free_fraction(ConstVector z, ConstVector dz, bool& changed) override;
  const SparsePattern& pattern(bool symmetric, long& number) override;
  void jacobian(ConstVector z, bool symmetric, Vector values) override;
  bool begins_symmetric() const override { return held_.symmetric(); }
  double size_of_unknowns() const override { return held_.size_of_unknowns(q0_); }

  double left_out() const override;
  double margin(const Model& model, double t0, double h, ConstVector z);
  void find_end_velocities(const Model& model, double t1);
  void find_couplings(bool symmetric);
  void make_pattern();
  // entry(row, column, weight, block, width): 3 x 3 blocks of d (DB - F)/dq1 of all contacts, by first coordinates.
  template <class Entry>
  void for_entries(bool symmetric, const Entry& entry) const;
  template <class Entry>
  void for_friction_entries(const ContactSet& set, bool symmetric, const Entry& entry) const;

  const Model* model_ = nullptr;
  HeldEquations held_;
  double h_ = 0;
  int block_ = 1;
  std::vector<ContactSet> sets_;
  std::vector<int> set_of_term_, set_of_force_;
  std::vector<double> q0_, v0_, v1_, q_, way_, base_values_;
  struct Moved {
    int coordinate;
    double velocity;  // at the end of the step, m/s
  };
  std::vector<Moved> moved_;  // by supports
  std::vector<double> support_x_, support_v_;
  std::vector<Coupling> couplings_, needed_;  // of the pattern; of this solve so far
  SparsePattern pattern_;
  std::vector<int> slot_of_base_;
  long pattern_number_ = 0;
  long widened_ = 0;
  FilteredNewton newton_;
};

}  // namespace livens
