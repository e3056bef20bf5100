// Potentials and forces that are no sums over stencils, such as loads that change with time, potentials of pairs,
// forces that are written down: each acts on a clock of its own. When it comes, its nodes (all of them, unless it names
// a few) are brought to its time and get its impulse at once,
//
//   p -= w dW/dq(t, q),   w = 1/2 (step before + step after)
//
// which is an activation like that of a stencil: the discrete action has one more sum, over the times of this term
// [L04 4.2]. Impulses of positions commute; one of velocities does not, and at an instant that it shares with others it
// would meet either none or all of theirs: order 1. So it acts half before all others of that instant and half after,
// in reversed order,
//
//   p += w/2 f(t, q, (v + v after) / 2)
//
// and at instants of its own, or of clocks that have no common measure, what comes before and after averages out:
// order 2. Damping by the strain of a step [K06 5.2] takes as that step what the nodes moved since the last time; it
// lags by half a step and is of first order for that reason. W that depend on time are booked with the work (W(t1, q) -
// W(t0, q))/2 at both ends of every step. A potential that is divided by rate (EnergyTerm::by_rate) has a clock for
// each part, where their steps differ enough to be worth it.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "asynchronous/activations.hpp"

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
  // Whether forces that depend on velocities are due then: they begin before the stencils of that time.
  bool has_halves() const;
  bool begin(Activations& activations);
  // All else that is due, after the stencils of that time. False if something is not finite; failed() says what.
  bool finish(Activations& activations);
  // Adds to nodes at the time T the part of the impulses that belongs to the time up to it, and all books.
  void read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const;

  const std::string& failed() const { return failed_; }
  double longest_step() const;  // 0 if there is none
  double shortest_step() const;
  long updates() const;
  long count() const;                 // of those in use
  double updates_per_second() const;  // of simulated time

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
    std::vector<int> nodes;                   // that it acts on
    int parts = 0;                            // so many that follow are the same potential, divided
    bool given = false;                       // its step was chosen by the user
    bool booked = false;                      // its impulses change the momenta of the whole
    bool halves = false;                      // it depends on velocities
    bool in_time = false;                     // a potential that depends on time
    std::size_t before = 0;                   // of those that look back: where their last positions begin
    const std::string& name() const { return term ? term->name() : force->name(); }
  };
  // What changes in a run.
  struct Progress {
    double origin = 0;                 // of all clocks
    std::vector<StencilClock> clocks;  // those that are not in use are never due
    std::vector<ImpulseBook> books;    // of forces `dissipated` is what they took
    std::vector<double> before;        // q at the last activation, of those that look back
    std::vector<double> energy;        // W then, of potentials that depend on time
    std::vector<double> symmetry;      // impulse of all forces, per symmetry of the model
  };

  void add(Whole whole, const std::vector<int>& coordinates);
  void add_term(std::shared_ptr<const EnergyTerm> term);
  bool used(std::size_t k) const { return now_.clocks[k].time < std::numeric_limits<double>::infinity(); }
  bool looks_back(const Whole& whole) const { return whole.step_energy != nullptr || whole.in_time; }
  void choose_divided();
  template <class Body>
  void each_coordinate(const Whole& whole, const Body& body) const;
  void gather(const Whole& whole, const std::vector<MovingNode>& nodes) const;
  void scatter(const Whole& whole, std::vector<MovingNode>& nodes) const;
  bool act(std::size_t k, double t, double weight, Activations& activations);
  bool make_impulse(std::size_t k, double t, double weight) const;
  bool add_force_impulse(const Whole& whole, double t, double weight) const;
  void book(std::size_t k, double t, Progress& progress) const;
  double frequency(const Whole& whole, double t) const;
  double step_of(const Whole& whole, double t, const StepRule& rule) const;
  ConstVector before(const Whole& whole) const { return ConstVector(now_.before).subspan(whole.before, q_.size()); }

  const Model* model_;
  const StencilSystem* system_;
  std::vector<Whole> wholes_;
  Progress now_, kept_;
  std::string failed_;
  mutable std::vector<double> q_, v_, impulse_, middle_, other_;  // of all coordinates
  mutable Progress seen_;                                         // for those who look
};

}  // namespace livens
