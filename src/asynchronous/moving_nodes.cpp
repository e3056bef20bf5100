#include "asynchronous/moving_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "asynchronous/memory_lists.hpp"

namespace livens {
namespace {

// exp(-r d), and the time that the velocity of the start would take for the same way.
struct Slowed {
  Pack by, time;
};

Slowed slowed(const Pack& rate, double d) {
  Slowed result{};
  for (int c = 0; c < 3; ++c) {
    if (c > 0 && rate[c] == rate[0]) {
      result.by[c] = result.by[0];
      result.time[c] = result.time[0];
      continue;
    }
    const double lost = std::expm1(-rate[c] * d);
    result.by[c] = 1 + lost;
    result.time[c] = rate[c] > 0 ? -lost / rate[c] : d;
  }
  return result;
}

// From p to p1 while the node moved on from x; the moment of that is exact for any way of it.
void book_drag(const StencilSystem& system, int number, const MovingNode& before, const Pack& moved, const Pack& p1,
               NodeBooks& books) {
  ImpulseBook& book = books.node[number];
  Pack lost = p1 - before.p;
  lost[3] = 0;
  system.book(number, before.x, lost, book);
  system.book_carried(number, moved, p1, book);
  const std::size_t drags = system.drags().size();
  for (std::size_t k = 0; k < drags; ++k)
    for (int c = 0; c < 3; ++c)
      books.lost[number * drags + k] += system.drags()[k].share[number][c] * 0.5 * before.inverse_mass() *
                                        (before.p[c] * before.p[c] - p1[c] * p1[c]);
}

void place_node(const StencilSystem& system, int number, MovingNode& node, NodeBooks& books) {
  const Pack before = node.x;
  system.place(number, node.time(), node.x);
  system.book_carried(number, node.x - before, node.p, books.node[number]);
}

}  // namespace

void bring_node(const StencilSystem& system, int number, double t, MovingNode& node, NodeBooks& books) {
  if (system.slows(number)) {
    const MovingNode before = node;
    const Slowed by = slowed(system.drag_rate(number), t - node.time());
    Pack moved = by.time * node.p[3] * node.p;
    moved[3] = 0;
    node.x += moved;
    node.x[3] = t;
    for (int c = 0; c < 3; ++c) node.p[c] *= by.by[c];
    book_drag(system, number, before, moved, node.p, books);
  } else {
    node.drift_to(t);
  }
  if (system.moves(number)) place_node(system, number, node, books);
}

void slow_node(const StencilSystem& system, int number, double d, MovingNode& node, NodeBooks& books) {
  if (!system.slows(number)) return;
  const MovingNode before = node;
  const Slowed by = slowed(system.drag_rate(number), d);
  for (int c = 0; c < 3; ++c) node.p[c] *= by.by[c];
  book_drag(system, number, before, Pack{}, node.p, books);
}

MovingNodes::MovingNodes(const StencilSystem& system) : system_(&system), nodes_(system.node_count()) {
  if (system.coasts()) return;
  books_.node.resize(nodes_.size());
  books_.lost.resize(nodes_.size() * system.drags().size());
}

void MovingNodes::start(const State& state) {
  std::fill(books_.node.begin(), books_.node.end(), ImpulseBook{});
  std::fill(books_.lost.begin(), books_.lost.end(), 0.0);
  for (int a = 0; a < system_->node_count(); ++a) {
    MovingNode& node = nodes_[a];
    node.x = node.p = Pack{};
    const int first = system_->coordinate(a);
    for (int c = 0; c < system_->dimension(); ++c) {
      node.x[c] = state.q[first + c];
      node.p[c] = state.p[first + c];
    }
    node.x[3] = state.t;
    node.p[3] = 1 / system_->mass(a);
  }
}

void MovingNodes::visit_memory(MemoryVisitor& visitor) {
  visit_list(visitor, "event_nodes", nodes_);
  if (!books_.node.empty()) visit_list(visitor, "event_node_books", books_.node);
  if (!books_.lost.empty()) visitor.visit("event_lost", books_.lost);
}

void write_nodes(const StencilSystem& system, std::span<const MovingNode> nodes, State& state) {
  for (int a = 0; a < system.node_count(); ++a) {
    const MovingNode& node = nodes[a];
    const int first = system.coordinate(a);
    for (int c = 0; c < system.dimension(); ++c) {
      state.q[first + c] = node.x[c];
      state.p[first + c] = node.p[c];
      state.v[first + c] = node.p[c] * node.inverse_mass();
    }
  }
}

}  // namespace livens
