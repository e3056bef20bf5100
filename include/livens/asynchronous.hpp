// What asynchronous methods report besides what every integrator does.
#pragma once

#include <string>
#include <vector>

#include <livens/energy.hpp>

namespace livens {

// Local energy balance of one element over its activations: T- + V, and what it lacks [L04 (97)].
struct WatchedElement {
  std::string name;
  std::vector<double> t, energy, residual;
};

// One activation: when, of which stencil, and which nodes it moved to which first coordinate.
struct Activation {
  double t = 0;
  int stencil = 0;
  std::vector<int> nodes;
  std::vector<double> x;  // m
};

// How much asynchronous stepping saves and costs [L04 (60)-(63)].
struct AsynchronousFacts {
  long stencils = 0, updates = 0;            // elements, springs and contacts; activations of all
  long least_updates = 0, most_updates = 0;  // of one stencil
  double ideal_speedup = 1;                  // updates if all had gone as often as the most frequent one, over updates
  double updates_per_second = 0;             // of simulated time, at the current steps
  long wholes = 0;                           // terms that act as a whole, each on a clock of its own
  double whole_updates_per_second = 0;       // of these, which are in neither count above
  double attained_speedup = 1;               // the same in time, against updates one by one without a queue
  double update_time = 0, queue_time = 0;    // s: C_EU, and C_PQ of a pop and push
  double base = 0;                           // s: schedule = "levels" has this step over powers of two; 0 if another
  std::vector<WatchedElement> watched;
  std::vector<Activation> first;  // the first activations, for systems of a few stencils
};

// The clocks of an asynchronous integrator; Integrator::asynchronous leads here.
class AsynchronousClocks {
 public:
  virtual ~AsynchronousClocks() = default;
  // Measures costs for some hundredths of a second.
  virtual AsynchronousFacts facts() const = 0;
  // Activations of each stencil of a term; empty if the term has none.
  virtual std::vector<long> updates(const EnergyTerm& term) const = 0;
};

}  // namespace livens
