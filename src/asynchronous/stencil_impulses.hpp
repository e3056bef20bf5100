// Impulses of stencils, explicit or implicit, with all that acts on their nodes:
//   impulse = -weight (dW/dx - load) - damping against what the nodes moved since the last activation
// and zero at supports, which do the work dW/dx . velocity when they move. Impulses that change the momenta of the
// whole, and what damping and supports take and give, go into the books.
#pragma once

#include <array>
#include <vector>

#include <livens/integrator.hpp>

#include "asynchronous/impulse_book.hpp"
#include "asynchronous/stencil_system.hpp"

namespace livens {

// How an activation goes: the weight of the gradient, how soft an implicit stencil is (0: it is explicit), and whether
// it is the first, which has nothing to be damped.
struct Kick {
  double weight = 0, softness = 0;
  bool first = false;
};

class StencilImpulses {
 public:
  using Set = StencilSystem::Set;

  explicit StencilImpulses(const StencilSystem& system);
  void start();

  // x, p: positions and momenta of the nodes as the impulse finds them (of p the last lane is 1/m). Writes the impulse
  // and returns W, which is not finite where there is none. Damping resists the displacement from here on.
  double make(const Set& set, int stencil, const Kick& kick, const Pack* x, const Pack* p, Pack* impulse);
  // The same in a book of the caller's own, and nothing is remembered.
  double preview(const Set& set, int stencil, const Kick& kick, const Pack* x, const Pack* p, Pack* impulse,
                 ImpulseBook& book) const;

  ImpulseBook book(int stencil) const { return books_.empty() ? ImpulseBook{} : books_[stencil]; }
  void visit_memory(MemoryVisitor& visitor);

 private:
  struct Position {
    Pack x;
    std::array<double, 4> numbers() const { return {x[0], x[1], x[2], x[3]}; }
    void restore(const double* numbers) { x = Pack{numbers[0], numbers[1], numbers[2], numbers[3]}; }
  };
  // at: the shape that was evaluated, which for implicit stencils is not x.
  double evaluate(const Set& set, int stencil, const Kick& kick, const Pack* x, const Pack* p, Pack* impulse,
                  ImpulseBook& book, Pack* at) const;
  void add_damping(const Set& set, int stencil, const Pack* x, const Pack* at, const Pack* p, Pack* impulse,
                   ImpulseBook& book) const;

  const StencilSystem* system_;
  std::vector<ImpulseBook> books_;  // empty if nothing is booked
  std::vector<Position> before_;    // at the last activation, of each node of each stencil; empty without damping
};

}  // namespace livens
