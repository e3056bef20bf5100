// Local minima in parallel: one patch of stencils a thread, each with a queue of its own.
//
// A stencil may go when its time is the first among all stencils that it shares a node with: then its nodes are as it
// would find them in the order of all times. A patch takes its own stencils in that order, and at its border reads the
// times of neighbours in other patches, which only grow: what is read late makes it wait, never err. Patches at one
// time wait for each other briefly; the first of all stencils never waits. How stencils are divided changes no bit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "asynchronous/event_loop.hpp"

namespace livens {
namespace {

constexpr std::size_t least_stencils = 500;  // in a patch
constexpr int patient_spins = 4000;          // before others may have the processor
constexpr int most_spins = 20000;            // before a patch is left alone for another

struct Piece {
  double centre[3];
  double work;  // activations a second
  int stencil;
};

// Halves, and halves of these, across the longest side, of equal work for every patch.
void divide(std::span<Piece> pieces, int first, int count, std::vector<int>& patch_of) {
  if (count == 1) {
    for (const Piece& piece : pieces) patch_of[piece.stencil] = first;
    return;
  }
  double low[3], high[3], total = 0;
  std::fill(low, low + 3, std::numeric_limits<double>::infinity());
  std::fill(high, high + 3, -std::numeric_limits<double>::infinity());
  for (const Piece& piece : pieces) {
    total += piece.work;
    for (int c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], piece.centre[c]);
      high[c] = std::max(high[c], piece.centre[c]);
    }
  }
  int axis = 0;
  for (int c = 1; c < 3; ++c)
    if (high[c] - low[c] > high[axis] - low[axis]) axis = c;
  std::sort(pieces.begin(), pieces.end(), [axis](const Piece& a, const Piece& b) {
    return a.centre[axis] != b.centre[axis] ? a.centre[axis] < b.centre[axis] : a.stencil < b.stencil;
  });
  const int left = count / 2;
  double done = 0;
  std::size_t cut = 0;
  while (cut < pieces.size() && done < total * left / count) done += pieces[cut++].work;
  divide(pieces.first(cut), first, left, patch_of);
  divide(pieces.subspan(cut), first + left, count - left, patch_of);
}

}  // namespace

void EventLoop::make_patches(std::size_t wanted) {
  std::vector<Piece> pieces;
  for (const auto& set : system_->sets())
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int stencil = set.first + k;
      Piece piece{{0, 0, 0}, 1 / step(stencil), stencil};
      for (int a = 0; a < set.per_stencil; ++a)
        for (int c = 0; c < 3; ++c) piece.centre[c] += nodes_[system_->nodes(set, stencil)[a]].x[c] / set.per_stencil;
      pieces.push_back(piece);
    }
  std::vector<int> patch_of(clocks_.size());
  divide(pieces, 0, static_cast<int>(wanted), patch_of);
  patches_.assign(wanted, {});
  for (std::size_t k = 0; k < patch_of.size(); ++k) patches_[patch_of[k]].members.push_back(static_cast<int>(k));
  const auto at_nodes = system_->stencils_at_nodes();
  std::vector<int> foreign;
  for (EventPatch& patch : patches_) {
    patch.foreign_start.assign(1, 0);
    for (const int stencil : patch.members) {
      const auto& set = system_->set_of(stencil);
      foreign.clear();
      for (int a = 0; a < set.per_stencil; ++a)
        for (const int other : at_nodes[system_->nodes(set, stencil)[a]])
          if (patch_of[other] != patch_of[stencil]) foreign.push_back(other);
      std::sort(foreign.begin(), foreign.end());
      foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
      patch.foreign.insert(patch.foreign.end(), foreign.begin(), foreign.end());
      patch.foreign_start.push_back(static_cast<int>(patch.foreign.size()));
    }
  }
}

// Whether a neighbour in another patch comes first.
bool EventLoop::must_wait(EventPatch& patch, std::size_t place, double t) const {
  const int stencil = patch.members[place], first = patch.foreign_start[place];
  for (int k = first; k < patch.foreign_start[place + 1]; ++k) {
    int& other = patch.foreign[k];
    const double theirs = std::atomic_ref(clocks_[other].time).load(std::memory_order_acquire);
    if (theirs > t || (theirs == t && other > stencil)) continue;
    std::swap(other, patch.foreign[first]);  // asked first next time
    return true;
  }
  return false;
}

// Returns whether it reached T.
bool EventLoop::run_patch(EventPatch& patch, double T) {
  for (;;) {
    const double t = patch.queue.next_time();
    if (t > T) return true;
    const auto place = static_cast<std::size_t>(patch.queue.next());
    const int stencil = patch.members[place];
    for (int spins = 0; must_wait(patch, place, t); ++spins) {
      if (spins > most_spins || stopped_.load(std::memory_order_relaxed)) return false;
      if (spins > patient_spins) std::this_thread::yield();
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    if (stopped_.load(std::memory_order_relaxed) || !activate(stencil)) return true;
    patch.queue.set(static_cast<int>(place), clocks_[stencil].time);
  }
}

bool EventLoop::run_local_minima(double T) {
  const auto allowed =
      std::min<std::size_t>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                            static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency())));
  const std::size_t wanted = std::clamp<std::size_t>(clocks_.size() / least_stencils, 1, allowed);
  if (patches_.size() != wanted) {
    make_patches(wanted);
    patches_current_ = false;
  }
  if (!patches_current_) {
    std::vector<double> times;
    for (EventPatch& patch : patches_) {
      times.clear();
      for (const int stencil : patch.members) times.push_back(time(stencil));
      patch.queue.assign(times);
    }
    patches_current_ = true;
  }
  queue_current_ = false;
  std::atomic<bool> all = false;
  while (!all && !stopped_) {
    all = true;
    // Each patch a piece of its own: they wait for each other.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          std::size_t{0}, patches_.size(),
          [&](std::size_t k) {
            if (!run_patch(patches_[k], T)) all = false;
          },
          tbb::static_partitioner());
    });
  }
  return !stopped_;
}

}  // namespace livens
