// Elements of solids on levels: those of one level in chunks that go through the kernels of synchronous steps, four
// elements at a time. When levels are due, at one instant t,
//
//   x_a += (t - t_a) p_a / m_a,  t_a = t          for all nodes of the chunks
//   p_a -= w (dW/dx_a - load)                     chunk by chunk, w: the step of its level
//
// from the coarsest of these levels to the finest, the chunks of a level in the order of their numbers. Every impulse
// sees the positions at t; the order decides about rounding only, and is the same for any number of threads: chunks are
// divided among the items of a team, and what several items have for one node waits in a slot until all are done. Then
// the slots of a node are added in the order of their chunks.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <livens/ledger.hpp>
#include <livens/solid_block.hpp>

#include "asynchronous/moving_nodes.hpp"
#include "asynchronous/stencil_impulses.hpp"

namespace livens {

class LevelChunks {
 public:
  // What one instant is about: levels from `coarsest` on are due at t, with w = part * step.
  struct Instant {
    int coarsest = 0;
    double t = 0, part = 1;
  };

  // chosen: the stencils that are to go in chunks; level and steps: of each stencil, and of each level. Of those that
  // cannot go in chunks `chosen` is cleared.
  void make(const StencilSystem& system, const std::vector<std::uint8_t>& level, const std::vector<double>& steps,
            std::vector<char>& chosen);
  // Chunks are divided among so many items.
  void divide(int items);
  int items() const { return items_; }
  bool empty() const { return chunks_.empty(); }
  // About how many nanoseconds the chunks of these levels take.
  double work(int coarsest) const { return work_[coarsest]; }
  double memory() const;  // bytes

  // All of it on one thread. False if an element has no energy, which `failed` then is.
  bool kick(const Instant& now, std::vector<MovingNode>& nodes, int& failed);
  // The part of one item; when all are done, that of the slots.
  bool kick_item(const Instant& now, int item, std::vector<MovingNode>& nodes, int& failed);
  bool has_slots(int coarsest) const { return shared_from_[coarsest] < shared_.size(); }
  void add_slots(const Instant& now, int item, std::vector<MovingNode>& nodes) const;

  // Adds to nodes that are all at T the impulses -weights[level] dW/dx, and to the ledger all that impulses did so far.
  void read(std::span<const double> weights, double T, std::vector<MovingNode>& nodes, Ledger& ledger) const;

  void start();
  void keep() { kept_ = books_; }
  void put_back() { books_ = kept_; }
  void visit_memory(MemoryVisitor& visitor);

 private:
  using Set = StencilSystem::Set;
  struct Chunk {
    const ElementChunks* elements = nullptr;
    int number = 0;              // in these
    int level = 0, stencil = 0;  // stencil: the first of its set
    std::size_t first = 0;       // of its nodes, in node_
    int nodes = 0;
    int book = -1;           // -1: its impulses change no momentum
    bool supported = false;  // some of its nodes are
    bool split = false;      // some of its nodes have slots
    int item = 0;
    double work = 0;  // ns
  };
  struct Shared {  // a node with slots; those of due levels are the last
    int node = 0, finest = 0;
    std::size_t first_slot = 0, last_slot = 0;
  };
  // Room for the nodes of one chunk.
  struct Room {
    std::vector<Pack> x, f;
  };

  void add_set(const StencilSystem& system, const Set& set, int level, const std::vector<int>& places);
  void find_loads(const StencilSystem& system);
  void find_slots();
  double gather(const Chunk& chunk, double t, double weight, const MovingNode* nodes, Room& room) const;
  bool kick_chunk(const Chunk& chunk, const Instant& now, bool slots, MovingNode* nodes, Room& room, int& failed);
  void book(const Chunk& chunk, const Room& room, ImpulseBook& book) const;
  int failing(const Chunk& chunk, const Room& room) const;

  const StencilSystem* system_ = nullptr;
  std::vector<std::shared_ptr<const ElementChunks>> owned_;
  std::vector<double> steps_;
  std::vector<Chunk> chunks_;             // from the coarsest level to the finest
  std::vector<std::size_t> level_start_;  // in chunks_
  std::vector<int> node_;                 // of all chunks, one after the other
  std::vector<Pack> load_;                // likewise; empty: nothing is loaded
  std::vector<double> work_;              // of a level and all finer ones
  std::vector<ImpulseBook> books_, kept_;

  int items_ = 1;
  std::vector<int> slot_of_;              // like node_; -1: the node belongs to one item alone
  std::vector<Shared> shared_;            // by their finest level
  std::vector<std::size_t> shared_from_;  // the first whose finest level is at least this
  std::vector<int> slot_level_;
  std::vector<Pack> slots_;
  std::vector<Room> rooms_;  // one per item
  mutable Room look_;
};

}  // namespace livens
