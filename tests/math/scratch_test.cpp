// Work arrays of a thread: one for each scope, used again afterwards.
#include "math/scratch.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace livens {
namespace {

TEST(Scratch, ScopesInScopesHaveArraysOfTheirOwn) {
  ScratchVector outer(100, 1.0);
  {
    ScratchVector inner(1000, 2.0), other(10, 3.0);
    EXPECT_EQ(std::accumulate(inner.begin(), inner.end(), 0.0), 2000);
    EXPECT_EQ(std::accumulate(other.begin(), other.end(), 0.0), 30);
  }
  EXPECT_EQ(std::accumulate(outer.begin(), outer.end(), 0.0), 100);
}

TEST(Scratch, ArraysAreUsedAgain) {
  const double* memory = nullptr;
  {
    const ScratchVector first(5000, 1.0);
    memory = first.data();
  }
  const ScratchVector second(5000);
  EXPECT_EQ(second.data(), memory);
  const ScratchVector third(5000);
  EXPECT_NE(third.data(), memory);
}

TEST(Scratch, ASmallerArrayHasItsOwnSize) {
  { const ScratchVector large(50, 1.0); }
  ScratchVector small(3, 7.0);
  EXPECT_EQ(small.size(), 3u);
  EXPECT_EQ(std::accumulate(small.begin(), small.end(), 0.0), 21);
  small.assign(60, 1.0);
  EXPECT_EQ(std::accumulate(small.begin(), small.end(), 0.0), 60);
}

}  // namespace
}  // namespace livens
