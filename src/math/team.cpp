#include "math/team.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace livens {
namespace {

constexpr int patient_spins = 4000;  // before the processor is given away

thread_local Team* team_in_hand = nullptr;

void rest(int spins) {
  if (spins > patient_spins) return std::this_thread::yield();
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Team* Team::of_this_thread() { return team_in_hand; }

void Team::gather(std::size_t most, const void* session, void (*call)(const void*)) {
  const auto allowed = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto here = static_cast<std::size_t>(std::max(1, tbb::this_task_arena::max_concurrency()));
  Team team;
  team.members_ = std::clamp<std::size_t>(std::min(allowed, here), 1, std::clamp<std::size_t>(most, 1, most_pieces));
  const auto meet = [&] {
    team_in_hand = &team;
    std::exception_ptr failure;
    try {
      call(session);
    } catch (...) {
      failure = std::current_exception();
    }
    team_in_hand = nullptr;
    team.stop_.store(true, std::memory_order_release);
    if (failure) std::rethrow_exception(failure);
  };
  if (team.members_ == 1) return meet();
  // Isolated: a member that waits must not take up other work.
  tbb::this_task_arena::isolate([&] {
    tbb::task_group group;
    for (std::uint64_t member = 1; member < team.members_; ++member) group.run([&team, member] { team.help(member); });
    try {
      meet();
    } catch (...) {
      group.wait();
      throw;
    }
    group.wait();
  });
}

void Team::run(std::size_t n, const void* body, void (*call)(const void*, std::size_t)) {
  if (members_ == 1) {
    for (std::size_t k = 0; k < n; ++k) call(body, k);
    return;
  }
  n_ = n;
  body_ = body;
  call_ = call;
  done_.store(0, std::memory_order_relaxed);
  const std::uint64_t pieces = std::min<std::uint64_t>(n, most_pieces);
  ++loop_;
  open_.store(loop_ * 128 + pieces, std::memory_order_release);
  Team* const self = std::exchange(team_in_hand, nullptr);
  const std::uint64_t mine = work(0, loop_, pieces);
  for (int spins = 0; mine + done_.load(std::memory_order_acquire) != pieces; ++spins) rest(spins);
  team_in_hand = self;
  if (failed_.load(std::memory_order_relaxed)) {
    failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

// From the front of its share, or from its end if the number is odd, and on through all others.
std::uint64_t Team::work(std::uint64_t member, std::uint64_t loop, std::uint64_t pieces) {
  std::uint64_t taken = 0;
  if (member % 2 == 0) {
    std::uint64_t piece = member * pieces / members_;
    for (std::uint64_t k = 0; k < pieces; ++k, piece = piece + 1 == pieces ? 0 : piece + 1)
      if (take(piece, loop, pieces)) ++taken;
  } else {
    std::uint64_t piece = (member + 1) * pieces / members_;
    for (std::uint64_t k = 0; k < pieces; ++k) {
      piece = (piece == 0 ? pieces : piece) - 1;
      if (take(piece, loop, pieces)) ++taken;
    }
  }
  return taken;
}

// A helper that comes late finds all pieces of its loop taken: no number ever falls.
bool Team::take(std::uint64_t piece, std::uint64_t loop, std::uint64_t pieces) {
  std::atomic<std::uint64_t>& last = pieces_[piece].taken;
  std::uint64_t before = last.load(std::memory_order_relaxed);
  if (before >= loop || !last.compare_exchange_strong(before, loop, std::memory_order_acq_rel)) return false;
  try {
    for (std::size_t k = n_ * piece / pieces, end = n_ * (piece + 1) / pieces; k < end; ++k) call_(body_, k);
  } catch (...) {
    if (!failed_.exchange(true)) failure_ = std::current_exception();
  }
  return true;
}

void Team::help(std::uint64_t member) {
  std::uint64_t seen = 0;
  for (int spins = 0; !stop_.load(std::memory_order_acquire);) {
    const std::uint64_t open = open_.load(std::memory_order_acquire);
    if (open == seen) {
      rest(++spins);
      continue;
    }
    seen = open;
    spins = 0;
    const std::uint64_t taken = work(member, open / 128, open % 128);
    if (taken > 0) done_.fetch_add(taken, std::memory_order_acq_rel);
  }
}

}  // namespace livens
