// SPDX-License-Identifier: Apache-2.0
// A workspace's lease: three parts that never overlap, their contents at each call, and the end of a lease.

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

/// Leaves `mark` in all that is kept and in scratch; the counters as they are.
workspace::memory use(workspace& memory, std::size_t kept, std::size_t scratch, int mark) {
  workspace::lease lease(memory);
  const workspace::memory taken = lease.take(cpu(1), kept, scratch);
  std::memset(taken.kept.data(), mark, taken.kept.size());
  std::memset(taken.scratch, mark, scratch);
  return taken;
}

bool all_are(const workspace::memory& taken, int mark) {
  for (const std::byte each : taken.kept)
    if (each != static_cast<std::byte>(mark)) return false;
  return true;
}

TEST(Workspace, HasCountersOfZerosAndKeepsWhatCallsLeft) {
  workspace memory;
  for (int run = 0; run < 3; ++run) {
    workspace::lease lease(memory);
    const auto taken = lease.take(cpu(1), 100, 50);
    EXPECT_GE(taken.kept.size(), 100U);
    for (int i = 0; i < workspace::counters; ++i) EXPECT_EQ(taken.counters[i], 0);
    EXPECT_TRUE(all_are(taken, run)) << "zeros, then what the call before left";
    std::memset(taken.kept.data(), run + 1, taken.kept.size());
    std::memset(taken.scratch, 77, 50);
  }
}

TEST(Workspace, HasPartsThatDoNotOverlapWhateverIsAskedFor) {
  workspace memory;
  use(memory, 64, 1000, 5);
  for (const std::size_t scratch : {1000, 0, 500}) {
    workspace::lease lease(memory);
    const auto taken = lease.take(cpu(1), 10, scratch);
    EXPECT_TRUE(all_are(taken, 5)) << "scratch of other calls is elsewhere";
    std::memset(taken.scratch, 9, scratch);
    EXPECT_GE(taken.scratch, taken.kept.data() + taken.kept.size());
    EXPECT_GE(taken.kept.data(), reinterpret_cast<std::byte*>(taken.counters + workspace::counters));
  }
}

TEST(Workspace, GrowsOnlyForMoreThanEverBeforeAndThenHasZeros) {
  workspace memory;
  const auto first = use(memory, 256, 128, 3);
  EXPECT_EQ(use(memory, 256, 0, 3).counters, first.counters);
  EXPECT_EQ(use(memory, 1, 128, 3).counters, first.counters);
  for (const auto& [kept, scratch] :
       {std::pair<std::size_t, std::size_t>{256, 129}, {257, 0}, {1000, 5000}}) {
    workspace::lease lease(memory);
    const auto taken = lease.take(cpu(1), kept, scratch);
    EXPECT_TRUE(all_are(taken, 0));
    std::memset(taken.kept.data(), 1, taken.kept.size());
  }
}

TEST(Workspace, HasZerosAfterACallThatThrew) {
  workspace memory;
  use(memory, 64, 0, 4);
  try {
    workspace::lease lease(memory);
    lease.take(cpu(1), 64).counters[2] = 9;
    throw std::runtime_error("in the middle");
  } catch (const std::runtime_error&) {
  }
  workspace::lease lease(memory);
  const auto taken = lease.take(cpu(1), 64);
  EXPECT_EQ(taken.counters[2], 0);
  EXPECT_TRUE(all_are(taken, 0));
}

TEST(Workspace, CanBeUsedAfterItWasMovedFrom) {
  workspace memory;
  use(memory, 64, 64, 4);
  workspace moved = std::move(memory);
  {
    workspace::lease lease(moved);
    EXPECT_TRUE(all_are(lease.take(cpu(1), 64), 4));
  }
  workspace::lease lease(memory); // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(all_are(lease.take(cpu(1), 10), 0));
}

TEST(Workspace, HasOneLeaseAtATime) {
  workspace memory;
  const workspace::lease_of<true> lease(memory, "plan");
  EXPECT_EQ(message_of<invalid_argument>([&] { workspace::lease_of<true>(memory, "plan"); }),
            "the plan is in use by another call: it supports one call at a time, and no nested calls");
}

} // namespace
} // namespace evenly
