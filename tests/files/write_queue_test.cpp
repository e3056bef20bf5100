// Writing beside the run: in order, bounded, and failures are heard of.
#include "files/write_queue.hpp"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "files/files.hpp"

namespace livens {
namespace {

using namespace std::chrono_literals;

TEST(WriteQueue, KeepsTheOrderOnAThreadOfItsOwn) {
  std::vector<int> order;
  std::thread::id writer;
  WriteQueue queue(0ms);
  for (int k = 0; k < 1000; ++k) queue.add(8, [&, k] { order.push_back(k), writer = std::this_thread::get_id(); });
  queue.finish();
  ASSERT_EQ(order.size(), 1000u);
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(order[k], k);
  EXPECT_NE(writer, std::this_thread::get_id());
}

TEST(WriteQueue, AYoungRunWritesAtOnceAndWithoutAThread) {
  std::thread::id writer;
  WriteQueue queue(1h);
  queue.add(8, [&] { writer = std::this_thread::get_id(); });
  EXPECT_EQ(writer, std::this_thread::get_id());
  EXPECT_THROW(queue.add(8, [] { throw RunError("disk"); }), RunError);
  queue.check();  // it was heard of
}

TEST(WriteQueue, AFailureEndsWritingAndIsToldAtEveryLook) {
  int written = 0;
  WriteQueue queue(0ms);
  queue.add(8, [&] { ++written; });
  queue.add(8, [] { throw RunError("the disk is full"); });
  queue.settle();
  for (int k = 0; k < 2; ++k) {
    try {
      queue.check();
      ADD_FAILURE() << "nothing was said";
    } catch (const RunError& error) {
      EXPECT_STREQ(error.what(), "the disk is full");
    }
    EXPECT_THROW(queue.add(8, [&] { ++written; }), RunError);
    EXPECT_THROW(queue.finish(), RunError);
  }
  EXPECT_EQ(written, 1);
}

// Three pieces of 40 bytes where 100 may wait: the third one is taken only when the first one is written.
TEST(WriteQueue, WhoGivesTooMuchWaits) {
  std::atomic<bool> open = false, taken = false;
  std::atomic<int> written = 0;
  WriteQueue queue(0ms, 100);
  const auto slow = [&] {
    while (!open) std::this_thread::yield();
    ++written;
  };
  std::thread run([&] {
    for (int k = 0; k < 3; ++k) queue.add(40, slow);
    taken = true;
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(taken);
  open = true;
  run.join();
  queue.finish();
  EXPECT_EQ(written, 3);
  queue.add(1000, slow);  // larger than all that may wait, but nothing waits
  queue.finish();
  EXPECT_EQ(written, 4);
}

TEST(WriteQueue, WhatWaitsIsWrittenAtTheEnd) {
  int written = 0;
  {
    WriteQueue queue(0ms);
    for (int k = 0; k < 100; ++k) queue.add(8, [&] { ++written; });
  }
  EXPECT_EQ(written, 100);
}

}  // namespace
}  // namespace livens
