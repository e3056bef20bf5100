// Explicit impulses of stencils, with all that acts on their nodes:
//   impulse = -weight (dW/dx - load) - damping against what the nodes moved since the last activation
// and zero at supports, which do the work dW/dx . velocity when they move. Impulses that change the momenta of the
// whole, and what damping and supports take and give, go into the books.
#pragma once

#include <array>
#include <vector>

#include <livens/integrator.hpp>

#include "asynchronous/stencil_system.hpp"

namespace livens {

// What the impulses of one stencil did to the whole since the start.
struct StencilBook {
  double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0}, dissipated = 0;
  double support_work = 0;  // of supports that move

  // The impulses sign * f of nodes at x.
  void add(int nodes, const Pack* x, const Pack* f, double sign) {
    for (int a = 0; a < nodes; ++a)
      for (int c = 0; c < 3; ++c) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        linear[c] += sign * f[a][c];
        angular[c] += sign * (x[a][i] * f[a][j] - x[a][j] * f[a][i]);
      }
  }

  std::array<double, 8> numbers() const {
    return {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2], dissipated, support_work};
  }
  void restore(const double* numbers) {
    for (int c = 0; c < 3; ++c) {
      linear[c] = numbers[c];
      angular[c] = numbers[3 + c];
    }
    dissipated = numbers[6];
    support_work = numbers[7];
  }
};

class StencilImpulses {
 public:
  using Set = StencilSystem::Set;

  explicit StencilImpulses(const StencilSystem& system);
  void start();

  // x, p: positions and momenta of the nodes as the impulse finds them (of p the last lane is 1/m). Writes the impulse
  // and returns W, which is not finite where there is none.
  double make(const Set& set, int stencil, double weight, const Pack* x, const Pack* p, Pack* impulse);
  // The same in a book of the caller's own.
  double preview(const Set& set, int stencil, double weight, const Pack* x, const Pack* p, Pack* impulse,
                 StencilBook& book) const;
  // Books an impulse that was found elsewhere and acts at x.
  void enter(const Set& set, int stencil, const Pack* x, const Pack* impulse);
  // Damping resists the displacement from here.
  void remember(const Set& set, int stencil, const Pack* x);

  StencilBook book(int stencil) const { return books_.empty() ? StencilBook{} : books_[stencil]; }
  void visit_memory(MemoryVisitor& visitor);

 private:
  struct Position {
    Pack x;
    std::array<double, 4> numbers() const { return {x[0], x[1], x[2], x[3]}; }
    void restore(const double* numbers) { x = Pack{numbers[0], numbers[1], numbers[2], numbers[3]}; }
  };
  void add_damping(const Set& set, int stencil, const Pack* x, const Pack* p, Pack* impulse, StencilBook& book) const;

  const StencilSystem* system_;
  std::vector<StencilBook> books_;  // empty if nothing is booked
  std::vector<Position> before_;    // at the last activation, of each node of each stencil; empty without damping
};

}  // namespace livens
