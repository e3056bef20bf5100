// Asynchronous variational integration [L04 4.3], put together: activations in the order of a schedule, watched if
// somebody asks for it, read at any instant.
//
//   moving_nodes         each node at the time of its last event
//   stencil_clocks       when each stencil goes
//   stencil_impulses     what acts on the nodes of a stencil: elastic forces, loads, supports, damping; books
//   implicit_stencil     one stencil solved for implicitly
//   term_stencil         a potential of few nodes as a stencil
//   impulse_book         what impulses did to the whole
//   activations          one activation, made of these
//   activation_schedule  which stencil goes next: queue_, patch_, level_ and balanced_schedule
//   levels, level_chunks elements of one instant together
//   activation_watch     looks on
//   whole_terms          terms and forces that are no sums over stencils, each on one clock
//   constrained_nodes    nodes that constraints hold together
//   layered_contact      surfaces that are kept apart, every pair on the clocks of its layers
//   look                 all nodes at one instant
//
// A new order of activations is a schedule; a new force on nodes is part of the impulses; how nodes move between
// impulses is for moving_nodes and constrained_nodes.
#pragma once

#include <memory>

#include "asynchronous/activation_schedule.hpp"
#include "asynchronous/activations.hpp"
#include "asynchronous/layered_contact.hpp"
#include "asynchronous/whole_terms.hpp"

namespace livens {

class EventLoop {
 public:
  EventLoop(const Model& model, std::shared_ptr<const StencilSystem> system, const StepRule& rule,
            ScheduleKind kind = ScheduleKind::queue);
  EventLoop(const Model& model, const StepRule& rule, ScheduleKind kind = ScheduleKind::queue)
      : EventLoop(model, std::make_shared<StencilSystem>(model), rule, kind) {}

  // Before start:
  void make_implicit(const std::vector<double>& alpha) { activations_.make_implicit(alpha); }
  void watch(const std::vector<int>& stencils);
  // The first activations are kept, for diagrams in space and time.
  void trace(int activations);

  // The model of the run: the one given, or one made of the same parts.
  void use(const Model& model) {
    wholes_.use(model);
    constrained_.use(model);
  }
  // False if nothing bounds the steps.
  bool start(const State& state);
  // All activations up to T, that instant included. False if a stencil has no energy, failed_stencil() says which, or a
  // whole term is not finite.
  bool run(double T);
  // q, p, v and the ledger of all impulses at T; nothing of the loop changes. Velocities still have to be put onto
  // constraints. False if these have no solution.
  bool read(double T, State& state, Ledger& ledger) const;

  const StencilSystem& system() const { return activations_.system(); }
  const Activations& activations() const { return activations_; }
  const ActivationSchedule& schedule() const { return *schedule_; }
  const ActivationWatch& watch() const { return watch_; }
  const WholeTerms& wholes() const { return wholes_; }
  const ConstrainedNodes& constrained() const { return constrained_; }
  LayeredContact& contact() { return contact_; }
  const LayeredContact& contact() const { return contact_; }
  long updates(int stencil) const { return schedule_->clock(stencil).count; }
  long total_updates() const { return schedule_->total_updates(); }
  double longest_step() const { return longest_; }  // of all, at the start
  double step(int stencil) const { return activations_.clocks()[stencil].step; }
  int failed_stencil() const { return activations_.failed_stencil(); }
  double failed_time() const {
    if (!contact_.failed().empty()) return contact_.failed_time();
    return wholes_.failed().empty() ? activations_.failed_time() : wholes_.next_time();
  }

  // For a run that fails: keeps everything as it is now, and goes back to it.
  void keep();
  void put_back();
  void visit_memory(MemoryVisitor& visitor);

 private:
  bool run_with_contact(double T);
  bool run_stencils(double T);

  StepRule rule_;
  double longest_ = 0;
  Activations activations_;
  WholeTerms wholes_;
  ConstrainedNodes constrained_;
  LayeredContact contact_;
  std::unique_ptr<ActivationSchedule> schedule_;
  ActivationWatch watch_;
};

}  // namespace livens
