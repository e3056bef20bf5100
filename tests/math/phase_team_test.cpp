// Threads that go through phases together: every item once, no phase before the last has ended.
#include "math/phase_team.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace livens {
namespace {

TEST(PhaseTeam, DoesEveryItemOfEveryPhaseInOrder) {
  PhaseTeam team;
  for (const int members : {1, 2, 3, 7}) {
    constexpr long first = 5, last = 3005;
    const auto items = [](long phase) { return phase % 3 == 0 ? 0 : static_cast<int>(1 + phase % 4); };
    // An item of a phase finds what all items of the one before have left.
    std::vector<long> values(8, 0);
    std::atomic<long> done{0}, wrong{0};
    team.run(members, first, last, items, [&](long phase, int item) {
      long expected = 0;
      for (long p = first; p < phase; ++p) expected += phase - first < 50 ? items(p) : 0;
      if (phase - first < 50 && done < expected) ++wrong;
      values[item] += phase;
      ++done;
      return true;
    });
    std::vector<long> right(8, 0);
    long all = 0;
    for (long phase = first; phase < last; ++phase)
      for (int item = 0; item < items(phase); ++item, ++all) right[item] += phase;
    EXPECT_EQ(values, right) << members;
    EXPECT_EQ(done, all);
    EXPECT_EQ(wrong, 0);
  }
}

TEST(PhaseTeam, StopsAfterAPhaseThatFailed) {
  PhaseTeam team;
  for (const int members : {1, 2}) {
    std::atomic<long> latest{0}, in_phase{0};
    team.run(
        members, 0, 1000, [](long) { return 2; },
        [&](long phase, int item) {
          latest = std::max<long>(latest, phase);
          in_phase += phase == 17;
          return phase != 17 || item != 1;
        });
    EXPECT_EQ(latest, 17);
    EXPECT_EQ(in_phase, 2);
  }
}

}  // namespace
}  // namespace livens
