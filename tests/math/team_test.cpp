// Helpers that stand by: every index once, in any loop, whoever comes.
#include "math/team.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "math/parallel.hpp"

namespace livens {
namespace {

// Each loop needs what all indices of the one before have left.
void count_through_loops() {
  constexpr std::size_t loops = 2000;
  std::vector<long> values(300, 0);
  for (std::size_t loop = 1; loop <= loops; ++loop) {
    const std::size_t n = 1 + 7 * loop % 300;
    std::atomic<int> wrong{0};
    for_each_index(n, [&](std::size_t k) { values[k] += static_cast<long>(loop + k); });
    for_each_index(n, [&](std::size_t k) {
      if (values[n - 1 - k] < static_cast<long>(loop)) ++wrong;
    });
    ASSERT_EQ(wrong, 0);
  }
  std::vector<long> right(values.size(), 0);
  for (std::size_t loop = 1; loop <= loops; ++loop)
    for (std::size_t k = 0; k < 1 + 7 * loop % 300; ++k) right[k] += static_cast<long>(loop + k);
  EXPECT_EQ(values, right);
}

TEST(Team, DoesEveryIndexOfEveryLoop) {
  for (const std::size_t threads : {1, 2, 5}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    for (const std::size_t most : {std::size_t{1}, std::size_t{2}, std::size_t{100}})
      Team::gather(most, [] { count_through_loops(); });
  }
  EXPECT_EQ(Team::of_this_thread(), nullptr);
}

TEST(Team, ASessionWithinAnotherIsPartOfIt) {
  Team::gather(2, [] {
    const Team* const outer = Team::of_this_thread();
    ASSERT_NE(outer, nullptr);
    Team::gather(4, [&] { EXPECT_EQ(Team::of_this_thread(), outer); });
    EXPECT_EQ(Team::of_this_thread(), outer);
  });
}

TEST(Team, LoopsWithinLoopsAreDone) {
  std::vector<std::atomic<int>> counts(64);
  Team::gather(2, [&] {
    for_each_index(8, [&](std::size_t i) {
      EXPECT_EQ(Team::of_this_thread(), nullptr);
      for_each_index(8, [&](std::size_t k) { ++counts[8 * i + k]; });
    });
  });
  for (const auto& count : counts) EXPECT_EQ(count, 1);
}

// What is thrown comes out of the loop, and the next one is as good as any.
TEST(Team, PassesOnWhatAnIndexThrows) {
  const auto fail_at = [](std::size_t bad) {
    for_each_index(40, [&](std::size_t k) {
      if (k == bad) throw std::runtime_error("index");
    });
  };
  Team::gather(2, [&] {
    EXPECT_THROW(fail_at(3), std::runtime_error);
    EXPECT_THROW(fail_at(39), std::runtime_error);
    EXPECT_NO_THROW(fail_at(40));
    count_through_loops();
  });
  EXPECT_THROW(Team::gather(2, [&] { fail_at(0); }), std::runtime_error);
  EXPECT_EQ(Team::of_this_thread(), nullptr);
}

}  // namespace
}  // namespace livens
