// Local minima in parallel: patches of stencils run until the next one would have to wait for a neighbour elsewhere.
//
// A stencil may go when its time is the first among all stencils that it shares a node with: then its nodes are as it
// would find them in the order of all times. A patch takes its own stencils in that order, and reads the times of
// neighbours in other patches, which only grow: what it reads late makes it wait, never err. The first of all stencils
// is never blocked, so every round gets on.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "asynchronous/event_loop.hpp"
#include "math/parallel.hpp"

namespace livens {
namespace {

constexpr double stencils_per_patch = 1000;
constexpr std::size_t most_patches = 256;

// Interleaved bits of positions in a box: what is close in space is close in order.
std::uint64_t place_on_curve(const double* x, const double* low, double side) {
  std::uint64_t key = 0;
  for (int c = 0; c < 3; ++c) {
    const auto cell = static_cast<std::uint64_t>(std::clamp(side > 0 ? (x[c] - low[c]) / side : 0, 0.0, 1.0) * 1048575);
    for (int bit = 0; bit < 20; ++bit) key |= ((cell >> bit) & 1U) << (3 * bit + c);
  }
  return key;
}

}  // namespace

void EventLoop::make_patches() {
  const auto n = static_cast<std::size_t>(system_->size());
  double low[3], high[3];
  std::fill(low, low + 3, std::numeric_limits<double>::infinity());
  std::fill(high, high + 3, -std::numeric_limits<double>::infinity());
  for (const Node& node : nodes_)
    for (int c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], node.x[c]);
      high[c] = std::max(high[c], node.x[c]);
    }
  const double side = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  std::vector<std::pair<std::uint64_t, int>> order;
  double work = 0;
  for (const auto& set : system_->sets())
    for (int k = 0; k < set.stencils->count(); ++k) {
      const int stencil = set.first + k;
      double centre[3] = {0, 0, 0};
      for (int a = 0; a < set.per_stencil; ++a)
        for (int c = 0; c < 3; ++c)
          centre[c] += nodes_[static_cast<std::size_t>(system_->nodes(set, stencil)[a])].x[c] / set.per_stencil;
      order.emplace_back(place_on_curve(centre, low, side), stencil);
      work += 1 / step(stencil);
    }
  std::sort(order.begin(), order.end());

  // Patches of equal work.
  const auto wanted =
      std::clamp<std::size_t>(static_cast<std::size_t>(static_cast<double>(n) / stencils_per_patch), 1, most_patches);
  patches_.assign(wanted, {});
  std::vector<int> patch_of(n);
  double done = 0;
  for (const auto& [key, stencil] : order) {
    const auto patch = std::min(wanted - 1, static_cast<std::size_t>(done / work * static_cast<double>(wanted)));
    done += 1 / step(stencil);
    patches_[patch].members.push_back(stencil);
    patch_of[static_cast<std::size_t>(stencil)] = static_cast<int>(patch);
  }
  const auto at_nodes = system_->stencils_at_nodes();
  std::vector<int> foreign;
  for (EventPatch& patch : patches_) {
    std::sort(patch.members.begin(), patch.members.end());
    patch.foreign_start.assign(1, 0);
    for (const int stencil : patch.members) {
      const auto& set = system_->set_of(stencil);
      foreign.clear();
      for (int a = 0; a < set.per_stencil; ++a)
        for (const int other : at_nodes[static_cast<std::size_t>(system_->nodes(set, stencil)[a])])
          if (patch_of[static_cast<std::size_t>(other)] != patch_of[static_cast<std::size_t>(stencil)])
            foreign.push_back(other);
      std::sort(foreign.begin(), foreign.end());
      foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
      patch.foreign.insert(patch.foreign.end(), foreign.begin(), foreign.end());
      patch.foreign_start.push_back(static_cast<int>(patch.foreign.size()));
    }
  }
}

// Returns whether it reached T.
bool EventLoop::run_patch(EventPatch& patch, double T) {
  for (;;) {
    const double t = patch.queue.next_time();
    if (t > T) return true;
    const auto place = static_cast<std::size_t>(patch.queue.next());
    const int stencil = patch.members[place];
    for (int k = patch.foreign_start[place]; k < patch.foreign_start[place + 1]; ++k) {
      const int other = patch.foreign[static_cast<std::size_t>(k)];
      const double theirs =
          std::atomic_ref(clocks_[static_cast<std::size_t>(other)].time).load(std::memory_order_acquire);
      if (theirs < t || (theirs == t && other < stencil)) return false;
    }
    if (stopped_.load(std::memory_order_relaxed) || !activate(stencil)) return true;
    patch.queue.set(static_cast<int>(place), clocks_[static_cast<std::size_t>(stencil)].time);
  }
}

bool EventLoop::run_local_minima(double T) {
  if (patches_.empty()) make_patches();
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
    for_each_index(patches_.size(), [&](std::size_t k) {
      if (!run_patch(patches_[k], T)) all = false;
    });
  }
  return !stopped_;
}

}  // namespace livens
