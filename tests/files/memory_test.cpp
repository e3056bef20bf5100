// Memory of a run, and when something is due.
#include "files/memory.hpp"

#include <gtest/gtest.h>

#include <livens/run.hpp>

#include "files/schedule.hpp"

namespace livens {
namespace {

TEST(Memory, RefusesWhatWasNotAskedFor) {
  MemoryWriter writer;
  double value = 1;
  writer.visit("a", value);
  MemoryReader other(writer.bytes());
  EXPECT_THROW(other.visit("b", value), RunError);
  MemoryReader cut(std::string_view(writer.bytes()).substr(0, 5));
  EXPECT_THROW(cut.visit("a", value), RunError);
}

TEST(Schedule, TakesTheFirstStepAtOrAfterEachTime) {
  Schedule schedule(0, 0.1);
  EXPECT_FALSE(schedule.due(0.06, 0.06));
  EXPECT_TRUE(schedule.due(0.12, 0.06));
  EXPECT_FALSE(schedule.due(0.18, 0.06));
  EXPECT_TRUE(schedule.due(0.24, 0.06));
  EXPECT_TRUE(schedule.due(0.55, 0.31));
  EXPECT_FALSE(schedule.due(0.59, 0.04));
  EXPECT_TRUE(schedule.due(0.1 * 6 - 1e-16, 0.01));
  EXPECT_FALSE(Schedule().due(1e9, 1));
}

}  // namespace
}  // namespace livens
