// Clocks on levels (StepRule::levels): every step is base 2^-level, and all stencils that are due at an instant go
// together. Time is counted in ticks, the steps of the finest level; at tick n those levels are due whose step is a
// divisor of n ticks.
//
//   elements of solids in chunks          level_chunks
//   all others, one at a time             springs, contacts, implicit and damped elements, those with nodes that do not
//                                         coast (drag, supports that move, constraints), those that somebody watches
//
// each from the coarsest level to the finest, and by their numbers. Impulses of one instant all see the same
// positions, so that this is the order of rounding, not of mechanics; it is the same for any number of threads.
#pragma once

#include <vector>

#include "asynchronous/activation_schedule.hpp"
#include "asynchronous/level_chunks.hpp"
#include "math/phase_team.hpp"

namespace livens {

class LevelSchedule final : public ActivationSchedule {
 public:
  explicit LevelSchedule(Activations& activations) : activations_(activations) {}

  void start() override;
  void renew() override { checked_ = false; }
  bool run(double T) override;
  double next_instant() const override;

  StencilClock clock(int stencil) const override;
  long total_updates() const override;
  double base() const override { return steps_.empty() ? 0 : steps_.front(); }
  bool one_by_one(int stencil) const override { return in_chunk_.empty() || in_chunk_[stencil] == 0; }
  void read(double T, std::vector<MovingNode>& nodes, Ledger& ledger) const override;

  void keep() override;
  void put_back() override;
  void visit_memory(MemoryVisitor& visitor) override;
  const LevelChunks& chunks() const { return chunks_; }

 private:
  struct Level {
    long stride = 1;         // ticks
    long chunked = 0;        // how many stencils go in chunks
    std::vector<int> alone;  // one at a time, after those in chunks
  };

  void build();
  bool is_current() const;
  void choose(std::vector<char>& chosen) const;
  int coarsest_at(long tick) const;
  LevelChunks::Instant instant(long tick) const;
  long count(int level) const;  // activations so far
  bool activate_alone(int coarsest);
  bool kick(const LevelChunks::Instant& now, int item);
  bool run_tick(long tick);
  bool run_ticks(long last);
  bool run_with_team(long last, int members);

  Activations& activations_;
  std::vector<std::uint8_t> level_of_;
  std::vector<double> steps_;  // of the levels
  std::vector<Level> levels_;
  std::vector<char> in_chunk_;    // per stencil
  std::vector<char> alone_from_;  // whether there are such at this level or finer ones
  LevelChunks chunks_;
  PhaseTeam team_;
  bool checked_ = false;           // levels are those of the clocks
  long tick_ = 0, kept_tick_ = 0;  // the next one
};

}  // namespace livens
