// Potentials and forces that are no sums over stencils, such as loads that change with time, penalties, drag: each acts
// as a whole on a clock of its own. When it comes, all nodes are brought to its time and get its impulse at once,
//
//   p -= w dW/dq(t, q),   p += w f(t, q, (v + v after) / 2),   w = 1/2 (step before + step after)
//
// which is an activation like that of a stencil: the discrete action has one more sum, over the times of this term
// [L04 4.2]. Damping by the strain of a step [K06 5.2] takes as that step what the nodes moved since the last time.
// W that depend on time are booked with the work (W(t1, q) - W(t0, q))/2 at both ends of every step.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <livens/ledger.hpp>
#include <livens/model.hpp>

#include "asynchronous/element_steps.hpp"
#include "asynchronous/moving_nodes.hpp"
#include "asynchronous/stencil_clocks.hpp"

namespace livens {

class WholeTerms {
 public:
  WholeTerms(const Model& model, const StencilSystem& system);

  bool empty() const { return wholes_.empty(); }
  // The model of the run: the one given, or one made of the same parts.
  void use(const Model& model) { model_ = &model; }
  // Clocks at the state's time; steps by the highest frequency of each at the start, infinite where it has none.
  void start(const State& state, const StepRule& rule);
  // No step longer than those of the stencils, unless it was given; 0: there are none.
  void limit_steps(double longest);
  // Rounds steps down to a power of two of the base; 0: leaves them as they are.
  void round_steps(double base);
  // Of the next activation; infinite if there is nothing that acts as a whole.
  double next_time() const;
  // What is due at that time, in the order of the model. False if something is not finite; failed() says what.
  bool activate(MovingNodes& nodes);
  // Adds to nodes at the time T the part of the impulses that belongs to the time up to it, and all books.
  void read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const;

  const std::string& failed() const { return failed_; }
  double longest_step() const;  // 0 if there is none
  double shortest_step() const;
  long updates() const;

  void keep() { kept_ = now_; }
  void put_back() {
    now_ = kept_;
    failed_.clear();
  }
  void visit_memory(MemoryVisitor& visitor);

 private:
  struct Whole {
    std::shared_ptr<const EnergyTerm> term;  // or
    std::shared_ptr<const Force> force;
    std::size_t number = 0;                   // of the force in the model
    std::shared_ptr<StepEnergy> step_energy;  // of forces that have one
    bool given = false;                       // its step was chosen by the user
    bool booked = false;                      // its impulses change the momenta of the whole
    const std::string& name() const { return term ? term->name() : force->name(); }
  };
  // What changes in a run.
  struct Progress {
    double origin = 0;  // of all clocks
    std::vector<StencilClock> clocks;
    Ledger ledger;
    std::vector<double> before;  // q at the last activation of each, one after the other
  };
  ConstVector before(std::size_t k) const { return ConstVector(now_.before).subspan(k * q_.size(), q_.size()); }

  void gather(const std::vector<MovingNode>& nodes) const;
  void scatter(std::vector<MovingNode>& nodes) const;
  bool add_impulse(std::size_t k, double t, double weight, Ledger& ledger) const;
  bool add_force_impulse(const Whole& whole, double t, double weight) const;
  double frequency(const Whole& whole, double t) const;
  double step_of(const Whole& whole, double t, const StepRule& rule) const;

  const Model* model_;
  const StencilSystem* system_;
  std::vector<Whole> wholes_;
  Progress now_, kept_;
  std::string failed_;
  mutable std::vector<double> q_, v_, impulse_, middle_, other_;  // of all coordinates
};

}  // namespace livens
