#include "asynchronous/patch_schedule.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <span>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace livens {
namespace {

constexpr int least_stencils = 500;  // per patch
constexpr int patient_spins = 4000;  // before other threads may have the processor
constexpr int most_spins = 20000;    // before a patch is left for another

struct Piece {
  double centre[3];
  double work;  // activations per second
  int stencil;
};

// Recursive bisection across the longest side, with equal work for every patch.
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

void PatchSchedule::start() {
  patches_.clear();
  renew();
}

void PatchSchedule::make_patches(int count) {
  const StencilSystem& system = activations_.system();
  std::vector<Piece> pieces;
  for (const auto& set : system.sets())
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int stencil = set.first + k;
      Piece piece{{0, 0, 0}, 1 / activations_.clocks()[stencil].step, stencil};
      for (int a = 0; a < set.per_stencil; ++a)
        for (int c = 0; c < 3; ++c)
          piece.centre[c] += activations_.nodes()[system.nodes(set, stencil)[a]].x[c] / set.per_stencil;
      pieces.push_back(piece);
    }
  std::vector<int> patch_of(system.size());
  divide(pieces, 0, count, patch_of);
  patches_.assign(count, {});
  for (int k = 0; k < system.size(); ++k) patches_[patch_of[k]].members.push_back(k);
  find_foreign(patch_of);
  renew();
}

void PatchSchedule::find_foreign(const std::vector<int>& patch_of) {
  const StencilSystem& system = activations_.system();
  const auto at_nodes = system.stencils_at_nodes();
  std::vector<int> foreign;
  for (Patch& patch : patches_) {
    patch.foreign_start.assign(1, 0);
    for (const int stencil : patch.members) {
      const auto& set = system.set_of(stencil);
      foreign.clear();
      for (int a = 0; a < set.per_stencil; ++a)
        for (const int other : at_nodes[system.nodes(set, stencil)[a]])
          if (patch_of[other] != patch_of[stencil]) foreign.push_back(other);
      std::sort(foreign.begin(), foreign.end());
      foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
      patch.foreign.insert(patch.foreign.end(), foreign.begin(), foreign.end());
      patch.foreign_start.push_back(static_cast<int>(patch.foreign.size()));
    }
  }
}

void PatchSchedule::fill_queues() {
  std::vector<double> times;
  for (Patch& patch : patches_) {
    times.clear();
    for (const int stencil : patch.members) times.push_back(activations_.clocks()[stencil].time);
    patch.queue.assign(times);
  }
  current_ = true;
}

// Whether a neighbour in another patch comes first.
bool PatchSchedule::must_wait(Patch& patch, int place, double t) const {
  const int stencil = patch.members[place], first = patch.foreign_start[place];
  for (int k = first; k < patch.foreign_start[place + 1]; ++k) {
    int& other = patch.foreign[k];
    const double theirs = activations_.clocks().published_time(other);
    if (theirs > t || (theirs == t && other > stencil)) continue;
    std::swap(other, patch.foreign[first]);  // asked first next time
    return true;
  }
  return false;
}

// Returns false if the patch has to be taken up again.
bool PatchSchedule::run_patch(Patch& patch, double T) {
  const bool early = activations_.steps_stay();
  for (;;) {
    const double t = patch.queue.next_time();
    if (t > T) return true;
    const int place = patch.queue.next();
    const int stencil = patch.members[place];
    for (int spins = 0; must_wait(patch, place, t); ++spins) {
      if (spins > most_spins || activations_.failed()) return false;
      if (spins > patient_spins) std::this_thread::yield();
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    if (activations_.failed()) return true;
    if (early) patch.queue.set(place, activations_.clocks().time_after(stencil));  // see queue_schedule.hpp
    if (!activations_.activate(stencil)) return true;
    if (!early) patch.queue.set(place, activations_.clocks()[stencil].time);
  }
}

bool PatchSchedule::run(double T) {
  const int allowed =
      std::min(static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism)),
               std::max(1, tbb::this_task_arena::max_concurrency()));
  const int wanted = std::clamp(activations_.system().size() / least_stencils, 1, allowed);
  if (static_cast<int>(patches_.size()) != wanted) make_patches(wanted);
  if (!current_) fill_queues();
  std::atomic<bool> all = false;
  while (!all && !activations_.failed()) {
    all = true;
    // Isolated, and one patch per task: patches wait for each other.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(
          std::size_t{0}, patches_.size(),
          [&](std::size_t k) {
            if (!run_patch(patches_[k], T)) all = false;
          },
          tbb::static_partitioner());
    });
  }
  return !activations_.failed();
}

}  // namespace livens
