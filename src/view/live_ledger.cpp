#include "view/live_ledger.hpp"

namespace livens {
namespace {

double pull_energy(const LiveConfiguration& now, const State& state) {
  return now.pull != nullptr ? now.pull->energy(state.t, state.q) : 0;
}

// What the present integrator has booked.
void add_bookings(const LiveConfiguration& now, LiveLedger& books) {
  const Ledger& ledger = now.integrator->ledger();
  books.work += ledger.time_work;
  const auto& forces = now.model->parts().forces;
  for (std::size_t k = 0; k < forces.size() && k < ledger.energy_out.size(); ++k) {
    if (forces[k]->ledger_side() == LedgerSide::dissipated)
      books.dissipated += ledger.energy_out[k];
    else
      books.work -= ledger.energy_out[k];
  }
}

}  // namespace

void LiveBooks::begin(const LiveConfiguration& now, const State& state) {
  books_ = {};
  books_.start = energy(*now.plain, state).total;
  books_.pull = pull_energy(now, state);
  steps_before_ = 0;
}

void LiveBooks::move_pull(LiveConfiguration& now, const State& state, const std::array<double, 3>& target) {
  books_.pull -= pull_energy(now, state);
  now.move_to(target);
  books_.pull += pull_energy(now, state);
}

void LiveBooks::change(const LiveConfiguration& now, const LiveConfiguration& next, State& state) {
  add_bookings(now, books_);
  steps_before_ += now.integrator->counters().steps;
  books_.pull += pull_energy(next, state) - pull_energy(now, state);
  if (next.plain == now.plain) return;
  const double before = energy(*now.plain, state).total;
  next.plain->velocity(state.t, state.q, state.p, state.v);
  books_.changes += energy(*next.plain, state).total - before;
}

LiveLedger LiveBooks::ledger(const LiveConfiguration& now, const State& state) const {
  LiveLedger books = books_;
  add_bookings(now, books);
  books.pull -= pull_energy(now, state);  // what is in the spring has not reached the body
  return books;
}

}  // namespace livens
