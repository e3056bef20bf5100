#include "asynchronous/activation_watch.hpp"

#include <algorithm>

namespace livens {
namespace {

constexpr std::size_t most_kept = 4000;

}  // namespace

void LocalBalance::add(double t_now, double potential, double kinetic_before, double kinetic_after) {
  if (seen > 0 && seen % stride == 0) {
    t.push_back(t_now);
    energy.push_back(before);
    residual.push_back(before - after - potential);
  }
  ++seen;
  before = kinetic_before + potential;
  after = kinetic_after;
  if (t.size() < most_kept) return;
  for (auto* values : {&t, &energy, &residual}) {  // every other one stays
    for (std::size_t k = 1; 2 * k < values->size(); ++k) (*values)[k] = (*values)[2 * k];
    values->resize(values->size() / 2);
  }
  stride *= 2;
}

void ActivationWatch::watch(const std::vector<int>& stencils) {
  balances_.assign(stencils.size(), {});
  place_.clear();
  for (std::size_t k = 0; k < stencils.size(); ++k) {
    balances_[k].stencil = stencils[k];
    place_.resize(std::max<std::size_t>(place_.size(), stencils[k] + 1), -1);
    place_[stencils[k]] = static_cast<int>(k);
  }
}

void ActivationWatch::start() {
  for (LocalBalance& balance : balances_) balance = {balance.stencil, 1, 0, 0, 0, {}, {}, {}};
  traced_.clear();
}

void ActivationWatch::note(double t, int stencil, std::span<const int> of, const MovingNodes& nodes,
                           const Pack* p_before, double potential) {
  if (static_cast<int>(traced_.size()) < trace_length_) {
    traced_.push_back({t, stencil, {of.begin(), of.end()}, {}});
    for (const int node : of) traced_.back().x.push_back(nodes[node].x[0]);
  }
  if (stencil < static_cast<int>(place_.size()) && place_[stencil] >= 0)
    note_balance(balances_[place_[stencil]], t, of, nodes, p_before, potential);
}

void ActivationWatch::note_balance(LocalBalance& balance, double t, std::span<const int> of, const MovingNodes& nodes,
                                   const Pack* p_before, double potential) {
  double kinetic_before = 0, kinetic_after = 0;
  for (std::size_t a = 0; a < of.size(); ++a) {
    const MovingNode& node = nodes[of[a]];
    for (int c = 0; c < 3; ++c) {
      kinetic_before += 0.5 * node.inverse_mass() * p_before[a][c] * p_before[a][c];
      kinetic_after += 0.5 * node.inverse_mass() * node.p[c] * node.p[c];
    }
  }
  balance.add(t, potential, kinetic_before, kinetic_after);
}

void ActivationWatch::visit_memory(MemoryVisitor& visitor) {
  for (LocalBalance& balance : balances_) {
    visitor.visit("watch_stride", balance.stride);
    visitor.visit("watch_seen", balance.seen);
    visitor.visit("watch_before", balance.before);
    visitor.visit("watch_after", balance.after);
    visitor.visit("watch_t", balance.t);
    visitor.visit("watch_energy", balance.energy);
    visitor.visit("watch_residual", balance.residual);
  }
}

}  // namespace livens
