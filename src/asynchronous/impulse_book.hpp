// What impulses did to the whole since the start: one book for each stencil, each cluster of constrained nodes, each
// node and each term that acts as a whole. Books are added up in a fixed order, so that sums have the same bits for any
// number of threads.
#pragma once

#include <array>

#include <livens/ledger.hpp>

#include "math/pack.hpp"

namespace livens {

struct ImpulseBook {
  double linear[3] = {0, 0, 0}, angular[3] = {0, 0, 0};  // the angular one about the origin
  double dissipated = 0;                                 // by damping
  double work = 0;                                       // of supports that move, and of time

  void add_linear(const Pack& impulse) {
    for (int c = 0; c < 3; ++c) linear[c] += impulse[c];
  }
  // The moment about the origin of an impulse at x; or of a momentum that is carried along by x.
  void add_turn(const Pack& x, const Pack& impulse) {
    for (int c = 0; c < 3; ++c) {
      const int i = (c + 1) % 3, j = (c + 2) % 3;
      angular[c] += x[i] * impulse[j] - x[j] * impulse[i];
    }
  }
  // All but what is dissipated, which belongs to a force of the model.
  void enter(Ledger& ledger) const {
    for (int c = 0; c < 3; ++c) {
      ledger.linear_impulse[c] += linear[c];
      ledger.angular_impulse[c] += angular[c];
    }
    ledger.time_work += work;
  }

  std::array<double, 8> numbers() const {
    return {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2], dissipated, work};
  }
  void restore(const double* numbers) {
    for (int c = 0; c < 3; ++c) {
      linear[c] = numbers[c];
      angular[c] = numbers[3 + c];
    }
    dissipated = numbers[6];
    work = numbers[7];
  }
};

}  // namespace livens
