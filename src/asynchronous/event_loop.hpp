// The event loop of asynchronous variational integrators [L04 4.3]: every stencil has its own clock, every node the
// time of its last event.
//
//   take the stencil K with the smallest t_K (ties: the smallest number)
//   x_a += (t_K - t_a) p_a / m_a,  t_a = t_K                  for its nodes a
//   p_a -= 1/2 (step before + step after) dW_K/dx_a(x)        the mean, or the order falls to 1 when steps vary
//   t_K += step after
//
// Looking at an instant works on copies: nodes drift to it, and every stencil takes back or adds the part of its last
// impulse that belongs to the other side, p_a -= (T - t_last - 1/2 step) dW_K/dx_a(x(T)).
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include <livens/integrator.hpp>

#include "asynchronous/element_steps.hpp"
#include "asynchronous/event_queue.hpp"
#include "asynchronous/stencil_system.hpp"

namespace livens {

// The local balance of energy of one stencil, T- + V(x_j) = T+ + V(x_j+1) [L04 (97)-(99)], as it went: T of its nodes
// before and after its impulse, V its own energy. Every `stride`-th activation is kept.
struct LocalBalance {
  int stencil = 0;
  long stride = 1, seen = 0;
  double before = 0, after = 0;  // T- + V and T+ of the last activation
  std::vector<double> t, energy, residual;
};

// How the search for steps that balance the energy ended, over all activations.
struct BalanceCounts {
  long roots = 0, at_floor = 0, at_cap = 0, minimised = 0;
};

// A patch of neighbouring stencils with a queue of its own, and for each member the neighbours in other patches.
struct EventPatch {
  std::vector<int> members;  // ascending
  EventQueue queue;
  std::vector<int> foreign_start, foreign;
};

class EventLoop {
 public:
  EventLoop(std::shared_ptr<const StencilSystem> system, const StepRule& rule);
  EventLoop(const Model& model, const StepRule& rule) : EventLoop(std::make_shared<StencilSystem>(model), rule) {}

  // All clocks at the state's time; the first activation of every stencil is then, with half its impulse.
  void start(const State& state);

  // All activations up to T, that instant included. False if a stencil has no energy; failed_stencil() says which.
  bool run_queue(double T);
  // The same bits, patch by patch on all threads: a stencil goes as soon as it is first among those it shares a node
  // with.
  bool run_local_minima(double T);
  // Times are varied, too: every stencil goes when its local balance of energy holds, and neighbours of a stencil that
  // went are put off or brought forward [L04 6.2, 6.3]. Impulses have the weight of the step before, as there.
  void make_balanced();
  bool run_balanced(double T);
  // What the balance keeps: kinetic energy, and of every stencil the potential that its next activation will find.
  double balanced_energy() const;
  // Any sequence of (component, step) is a splitting method [L04 Appendix A]: a stencil's impulse, or for component -1
  // the drift of all nodes.
  struct Part {
    int component;
    double step;
  };
  bool play(std::span<const Part> sequence);

  // These stencils are solved for implicitly, x* = (x + x+)/2 [L04 4.7].
  void make_implicit(const std::vector<bool>& stencils);
  void watch(const std::vector<int>& stencils);
  const std::vector<LocalBalance>& watched() const { return watched_; }
  const BalanceCounts& balance() const { return balance_; }
  // The first activations from here on are kept, for diagrams in space and time.
  void trace(std::size_t activations);
  const std::vector<Activation>& traced() const { return traced_; }

  // Positions and momenta as they are, node by node at its own time; for sequences.
  void read_nodes(State& state) const;
  // q, p, v and the ledger of all impulses at T; nothing of the loop changes.
  void read(double T, State& state, Ledger& ledger) const;

  const StencilSystem& system() const { return *system_; }
  long updates(int stencil) const { return clocks_[stencil].count; }
  long total_updates() const;
  double step(int stencil) const { return clocks_[stencil].step; }
  double time(int stencil) const { return clocks_[stencil].time; }
  int failed_stencil() const { return failed_; }
  double failed_time() const { return failed_time_; }

  // For a run that fails: keeps all clocks, nodes and books, and goes back to them.
  void keep();
  void put_back();

  // Seconds, measured on copies: an update by itself, one stencil after the other; a pop and push of the queue.
  double time_of_update() const;
  double time_of_queue() const;

  void visit_memory(MemoryVisitor& visitor);

 private:
  struct alignas(64) Node {
    Pack x;  // the last number is the time of its last event
    Pack p;  // the last number is 1/m
  };
  struct Clock {
    double time = 0, last = 0, step = 0;  // next activation, last one, the step between them
    long count = 0;
  };
  struct Target {  // of balanced stencils: the energy that the next activation should find
    double potential = 0;
    bool known = false;
  };
  struct Book {
    double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0}, dissipated = 0;
  };

  template <int N>
  bool activate_nodes(int stencil, const StencilSystem::Set& set);
  template <int N>
  bool activate_special(int stencil, const StencilSystem::Set& set, double step_before);
  bool solve_implicit(const StencilSystem::Set& set, int stencil, double weight, const double* x, const double* delay,
                      const Pack* p, double* x_new, double* g);
  bool activate(int stencil);
  template <int N>
  void drift(const int* nodes, double t, double* x);
  void schedule(int stencil, Clock& clock, double next);
  // impulse = -weight (dW/dx - load) - damping, zero at supports; books what it does to nodes of velocity p/m.
  double impulse(const StencilSystem::Set& set, int stencil, double weight, const double* x, const double* before,
                 const Pack* p, const double* inverse_mass, double* g, Book* book) const;
  void write_nodes(const std::vector<Node>& nodes, State& state) const;
  void note_balance(LocalBalance& balance, double t, double energy, double before, double after);
  double balanced_time(int stencil, double now);
  const Pack* before_of(const StencilSystem::Set& set, int stencil) const;
  bool run_patch(EventPatch& patch, double T);
  bool must_wait(EventPatch& patch, std::size_t place, double t) const;
  void make_patches(std::size_t count);
  void fail(int stencil, double t);

  std::shared_ptr<const StencilSystem> system_;
  ElementSteps steps_;
  double origin_ = 0;
  std::vector<Node> nodes_;
  mutable std::vector<Clock> clocks_;  // read by others through atomic references
  std::vector<Book> books_;            // empty if nothing is booked
  std::vector<Pack> before_;           // positions at the last activation, of damped systems
  struct Kept {
    std::vector<Node> nodes;
    std::vector<Clock> clocks;
    std::vector<Book> books;
    std::vector<Pack> before;
    std::vector<double> modes;
    std::vector<Target> targets;
    std::vector<LocalBalance> watched;
    BalanceCounts balance;
  } kept_;
  bool special_ = false;        // some stencil is implicit or watched
  std::vector<char> implicit_;  // empty: none
  std::vector<int> watch_of_;   // place in watched_, -1; empty: none
  std::vector<LocalBalance> watched_;
  std::size_t trace_length_ = 0;
  std::vector<Activation> traced_;
  std::vector<Target> targets_;
  std::vector<double> limits_;  // their longest steps
  std::vector<std::vector<int>> neighbours_;
  BalanceCounts balance_;
  EventQueue queue_;
  bool queue_current_ = false, patches_current_ = false;
  std::vector<EventPatch> patches_;
  std::atomic<bool> stopped_{false};
  int failed_ = -1;
  double failed_time_ = 0;
};

}  // namespace livens
