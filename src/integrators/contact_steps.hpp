// Contact by barriers in a step: which pairs may meet, forces by discrete gradients, and a solve whose iterates go
// along paths that are free of collisions.
//
// The second derivatives of contacts couple nodes that no element couples. Conjugate gradients have these couplings
// beside the pattern of the model. Factorisations have that pattern, made longer by the pairs of nodes that touch; it
// is made anew when these change, and is a function of the step alone, so that a run that was resumed has the same
// bits.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <livens/model.hpp>

#include "contact/contact_products.hpp"
#include "contact/contact_set.hpp"
#include "integrators/held_equations.hpp"
#include "math/sparse_pattern.hpp"
#include "solve/filtered_newton.hpp"
#include "solve/scattered_blocks.hpp"

namespace livens {

constexpr int contact_halvings = 4;  // of steps with contact that fail: no invariant suffers

class ContactSteps final : private FilteredProblem {
 public:
  // discrete: r has h DB(q0, q1); end: h dB(q1), as in IPC.
  enum class Forces { discrete, end };
  // constraints: those held by multipliers, which are unknowns beside z; null without.
  ContactSteps(const Model& model, const SaddleSystem* constraints, Forces forces = Forces::discrete);

  bool any() const { return !sets_.empty(); }
  bool is_barrier(std::size_t term) const { return set_of_term_[term] >= 0; }

  // The step from q0, along z = h v0 at first, supports as given. z becomes the part of it that is free.
  void begin(const Model& model, double t0, double h, ConstVector q0, ConstVector v0, Vector z);
  // The same for equilibria, whose r has dB(q1) itself: nothing is known of the way, and z stays. dt: change of the
  // load factor, which friction takes for the time in which z is gone.
  void begin_at_rest(const Model& model, ConstVector q0, double dt);
  // sum += DB(q0, q1), or dB(q1), of the barrier that is term number k.
  void add_discrete_gradient(std::size_t term, ConstVector q1, Vector sum);
  // force += scale * friction of all barriers, or of that whose friction is force number k, at the q1 of the last
  // discrete gradients; v: z/h, in equilibria z/dt.
  void add_friction(ConstVector v, double scale, Vector force);
  bool is_friction(std::size_t force) const { return set_of_force_[force] >= 0; }
  void add_friction(std::size_t force_number, ConstVector v, double scale, Vector force);
  // Whether force number k stands for what a barrier keeps of what it releases, and how much that is in the step, J.
  bool is_restitution(std::size_t force) const { return restitution_of_force_[force] >= 0; }
  double withheld(std::size_t force) const { return sets_[restitution_of_force_[force]].withheld(); }
  bool has_restitution() const;
  // How far the step goes through impacts (ContactSet::largest_travel), of barriers that withhold, over their
  // restitution; v1: velocities at its end.
  double largest_travel(ConstVector v1);
  bool has_friction() const {
    return std::any_of(sets_.begin(), sets_.end(),
                       [](const ContactSet& set) { return set.barrier().friction().coefficient > 0; });
  }
  // Solves r(z) = 0, of z and multipliers. redundant: some of these are.
  const SolveResult& solve(ContactEquation& equation, bool redundant, Vector z, const SolverOptions& options);

  // Contacts of the step that was solved last; steps whose boxes had to grow.
  long contacts() const;
  long widened() const { return widened_; }

 private:
  struct ContactRange {
    const ContactSet* set;
    std::size_t begin, end;
  };

  bool residual(ConstVector z, Vector r, double& scale) override { return held_.residual(z, r, scale); }
  double square(ConstVector r) const override { return held_.square(r); }
  double slope(ConstVector r, ConstVector dz) const override { return held_.slope(r, dz); }
  bool symmetric_matrix() const override { return held_.unknowns() == q0_.size(); }
  double free_fraction(ConstVector z, ConstVector dz, bool& changed) override;
  const SparsePattern& plain_pattern() const override;
  // Not with multipliers, nor where supports move what they touch.
  bool couples_beside() const override {
    return plain_pattern().block == block_ && symmetric_matrix() && moved_.empty();
  }
  bool touches() const override { return contacts() > 0; }
  Couplings jacobian_beside(ConstVector z, Base base, Vector values) override;
  void take_contacts() override;
  void multiply(ConstVector x, ConstVector image, Vector y) const override;
  const SparsePattern& pattern(bool symmetric, long& number) override;
  void jacobian(ConstVector z, bool symmetric, Vector values) override;
  bool begins_symmetric() const override { return held_.symmetric(); }
  double size_of_unknowns() const override { return held_.size_of_unknowns(q0_); }

  double left_out() const override;
  const SolveResult& follow_friction(Vector z, const SolverOptions& options);
  double margin(const Model& model, double t0, double h, ConstVector z);
  void find_end_velocities(const Model& model, double t1);
  double longest_range() const;
  double shortest_edge() const;  // mean edge of the finest surface; infinite without facets
  void find_couplings(bool symmetric);
  void add_block(int slot, int stride, int row, int column, double factor, const double* block, int width,
                 double* values, bool symmetric) const;
  void merge_couplings();
  void take_base(ConstVector z, Base base, Vector values);
  void make_pattern();
  // entry(row, column, weight, block, width) of all contacts (contact_entries.hpp).
  template <class Entry>
  void for_entries(bool symmetric, const Entry& entry) const;
  template <class Entries>
  void gather_blocks(bool symmetric, ScatteredBlocks& blocks, const Entries& entries);
  void gather_friction(bool symmetric, ScatteredBlocks& blocks);

  const Model* model_ = nullptr;
  HeldEquations held_;
  Forces forces_;
  double h_ = 0;
  double factor_ = 0;         // of the derivatives of discrete gradients in that of r
  double slip_rate_ = 0;      // of the derivatives of friction by velocities, beside these
  bool equilibrium_ = false;  // friction is that of z/dt
  int block_ = 1;
  std::vector<ContactSet> sets_;
  std::vector<int> set_of_term_, set_of_force_, restitution_of_force_;  // -1: none
  std::vector<double> start_;                                           // of z
  std::vector<double> q0_, v0_, v1_, q_, way_, base_values_;
  struct Moved {
    int coordinate;
    double velocity;  // at the end of the step, m/s
  };
  std::vector<Moved> moved_;  // by supports
  std::vector<double> support_x_, support_v_;
  std::vector<NodeCoupling> couplings_, needed_;  // of the pattern; of this solve so far
  std::vector<ContactRange> ranges_;              // of tasks
  ScatteredBlocks symmetric_blocks_;              // of contacts, in the symmetric matrix
  // Of the Jacobian, and of the symmetric matrix: contacts by sets, and friction.
  std::vector<ContactProducts> exact_, symmetric_;
  ScatteredBlocks exact_friction_, symmetric_friction_;
  bool base_is_general_ = false;                                    // base_values_ have a part that is not symmetric
  std::vector<int> transposed_;                                     // slots of the pattern of the model
  std::vector<std::vector<const ScatteredBlocks::Block*>> beside_;  // of each row
  std::vector<NodeCoupling> beside_nodes_;
  std::vector<double> beside_blocks_;  // one for each pair of nodes
  SparsePattern pattern_;
  std::vector<int> slot_of_base_;
  long pattern_number_ = 0;
  long widened_ = 0;
  FilteredNewton newton_;
};

}  // namespace livens
