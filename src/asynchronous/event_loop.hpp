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
#include <vector>

#include <livens/integrator.hpp>

#include "asynchronous/element_steps.hpp"
#include "asynchronous/event_queue.hpp"
#include "asynchronous/stencil_system.hpp"

namespace livens {

// A patch of neighbouring stencils with a queue of its own, and for each member the neighbours in other patches.
struct EventPatch {
  std::vector<int> members;  // ascending
  EventQueue queue;
  std::vector<int> foreign_start, foreign;
};

class EventLoop {
 public:
  EventLoop(const Model& model, const StepRule& rule);

  // All clocks at the state's time; the first activation of every stencil is then, with half its impulse.
  void start(const State& state);

  // All activations up to T, that instant included. False if a stencil has no energy; failed_stencil() says which.
  bool run_queue(double T);
  // The same bits, patch by patch on all threads: a stencil goes as soon as it is first among those it shares a node
  // with.
  bool run_local_minima(double T);
  // One activation of a stencil at its time, after which its next one is `step` later: any sequence is a splitting
  // method [L04 Appendix A].
  bool activate(int stencil, double step);

  // q, p, v and the ledger of all impulses at T; nothing of the loop changes.
  void read(double T, State& state, Ledger& ledger) const;

  const StencilSystem& system() const { return *system_; }
  long updates(int stencil) const { return clocks_[static_cast<std::size_t>(stencil)].count; }
  long total_updates() const;
  double step(int stencil) const { return clocks_[static_cast<std::size_t>(stencil)].step; }
  double time(int stencil) const { return clocks_[static_cast<std::size_t>(stencil)].time; }
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
  struct Book {
    double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0}, dissipated = 0;
  };

  template <int N>
  bool activate_nodes(int stencil, const StencilSystem::Set& set);
  bool activate(int stencil);
  template <int N>
  void drift(const int* nodes, double t, double* x);
  void schedule(int stencil, Clock& clock, double next);
  // impulse = -weight (dW/dx - load) - damping, zero at supports; books what it does to nodes of velocity p/m.
  double impulse(const StencilSystem::Set& set, int stencil, double weight, const double* x, const double* before,
                 const Pack* p, const double* inverse_mass, double* g, Book* book) const;
  bool run_patch(EventPatch& patch, double T);
  void make_patches();
  void fail(int stencil, double t);

  std::shared_ptr<const StencilSystem> system_;
  ElementSteps steps_;
  double origin_ = 0;
  std::vector<Node> nodes_;
  std::vector<Clock> clocks_;
  std::vector<Book> books_;   // empty if nothing is booked
  std::vector<Pack> before_;  // positions at the last activation, of damped systems
  struct Kept {
    std::vector<Node> nodes;
    std::vector<Clock> clocks;
    std::vector<Book> books;
    std::vector<Pack> before;
    std::vector<double> modes;
  } kept_;
  EventQueue queue_;
  bool queue_current_ = false, patches_current_ = false;
  std::vector<EventPatch> patches_;
  std::atomic<bool> stopped_{false};
  int failed_ = -1;
  double failed_time_ = 0;
};

}  // namespace livens
