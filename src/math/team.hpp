// Helpers for many short parallel loops in a row, e.g. the sweeps of conjugate gradients and the assembly of their
// matrices: a loop costs a fraction of a microsecond, where starting one on a pool of threads costs several.
//
// A loop is cut into pieces. Every member begins at a share of its own, the same in all loops of that length, so that
// its cache has the data; neighbours walk towards each other, and whoever has nothing left takes what others have not
// begun. The calling thread does all the work that no helper takes up, so nothing waits for a helper that never comes.
// Which thread does a piece changes no bits: the pieces are fixed and disjoint.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace livens {

class Team {
 public:
  // Runs session() on the calling thread, while at most so many threads, itself among them, stand by for its loops
  // (for_each_index). Within another session of this thread that one goes on.
  template <class Session>
  static void gather(std::size_t most, const Session& session) {
    if (of_this_thread() != nullptr) return session();
    gather(most, &session, [](const void* self) { (*static_cast<const Session*>(self))(); });
  }
  // That of the session in hand; null without one, and while the calling thread works on a piece.
  static Team* of_this_thread();

  // call(body, k) for k in [0, n); returns when all are done.
  void run(std::size_t n, const void* body, void (*call)(const void* body, std::size_t k));

 private:
  static constexpr std::uint64_t most_pieces = 64;
  struct alignas(64) Piece {
    std::atomic<std::uint64_t> taken{0};  // the last loop in which it was
  };

  static void gather(std::size_t most, const void* session, void (*call)(const void*));
  void help(std::uint64_t member);
  std::uint64_t work(std::uint64_t member, std::uint64_t loop, std::uint64_t pieces);
  bool take(std::uint64_t piece, std::uint64_t loop, std::uint64_t pieces);

  alignas(64) std::atomic<std::uint64_t> open_{0};  // number of the loop * 128 + pieces
  alignas(64) std::atomic<std::uint64_t> done_{0};  // pieces of it by helpers
  alignas(64) std::atomic<bool> stop_{false};
  std::array<Piece, most_pieces> pieces_;
  std::uint64_t members_ = 1, loop_ = 0;

  // Of the open loop: read by those who have taken a piece of it, which keeps it open.
  std::size_t n_ = 0;
  const void* body_ = nullptr;
  void (*call_)(const void*, std::size_t) = nullptr;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

}  // namespace livens
