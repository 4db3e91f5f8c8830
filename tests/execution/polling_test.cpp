// SPDX-License-Identifier: Apache-2.0
// Warps that poll: what simt counts as progress, so that waiting in vain is reported and waiting for long work is
// not.

#include <cstdint>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "evenly/block/backoff.hpp"
#include "evenly/block/team.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "execution/reports.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

/// The lanes of a warp look at a flag by one of them, and all learn what it saw.
template <class Block> void wait_together(Block& block, int& flag) {
  const auto warp = this_warp(block);
  for (growing_backoff pause;; pause.wait(block)) {
    int seen = 0;
    if (warp.rank() == 0) seen = atomic_ref(flag).load();
    if (warp.shuffle(seen, 0) != 0) return;
    block.fence();
  }
}

simt polling_on(std::uint64_t seed, bool check_races, bool at_atomics) {
  simt_options options = with_seed(seed);
  options.check_races = check_races;
  options.switch_at_atomics = at_atomics;
  return simt(options);
}

template <class Test> void on_each_kind(const Test& test) {
  for (const std::uint64_t seed : {0, 7})
    for (const bool check_races : {false, true})
      for (const bool at_atomics : {false, true}) test(polling_on(seed, check_races, at_atomics));
}

TEST(SimtPolling, WarpsThatWaitInVainAreReported) {
  on_each_kind([](const simt& exec) {
    int flag = 0;
    EXPECT_TRUE(says(report(exec, {2, 64, true}, 0, [&](auto& block) { wait_together(block, flag); }),
                     {"nothing but backoff in 10", " rounds: block 0: "}));
  });
}

TEST(SimtPolling, BlocksThatWaitInVainAreReported) {
  int flag = 0;
  EXPECT_TRUE(says(report(simt(), {2, 48, true}, 0,
                          [&](auto& block) {
                            for (; atomic_ref(flag).load() == 0; block.backoff()) block.sync();
                          }),
                   {"nothing but backoff in 10"}));
}

TEST(SimtPolling, BlocksOfOrdinaryLaunchesAreReportedToo) {
  on_each_kind([](const simt& exec) {
    int flag = 0;
    simt_options options = exec.options();
    for (const int threads : {1, 2}) {
      options.threads = threads;
      options.patience = 0.02;
      EXPECT_TRUE(says(report(simt(options), {2, 64}, 0, [&](auto& block) { wait_together(block, flag); }),
                       {"nothing but backoff"}));
    }
  });
}

/// The first block to start waits for the second one, which fails.
TEST(SimtPolling, WhoWaitsForABlockThatHasFailedIsEnded) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "two blocks have to run at the same time";
  simt_options options;
  options.threads = 2;
  for (int turn = 0; turn < 5; ++turn) {
    int flag = 0, tickets = 0;
    EXPECT_EQ(message_of<std::runtime_error>([&] {
                run(simt(options), {2, 64}, 0, [&](auto& block) {
                  int ticket = 0;
                  if (block.rank() == 0) ticket = atomic_ref(tickets).fetch_add(1);
                  ticket = this_warp(block).shuffle(ticket, 0);
                  if (block.rank() == 0 && ticket == 1) throw std::runtime_error("no value");
                  wait_together(block, flag);
                });
              }),
              "no value");
  }
}

TEST(SimtPolling, LongWorkIsWaitedFor) {
  on_each_kind([](const simt& exec) {
    int flag = 0, steps = 0;
    run(exec, {3, 64, true}, 0, [&](auto& block) {
      if (block.index() != 1) return wait_together(block, flag);
      for (int step = 0; step < 2000; ++step) block.sync();
      for (int step = 0; step < 3000; ++step) { // changes, with a backoff between any two
        if (block.rank() == 0) atomic_ref(steps).fetch_add(1);
        block.backoff(1000);
      }
      block.sync();
      if (block.rank() == 0) atomic_ref(flag).store(1);
    });
    EXPECT_EQ(steps, 3000);
  });
}

TEST(GrowingBackoff, IsOfEveryBlock) {
  int turns = 0;
  launch(cpu(), {3, 1, true}, [&, word = &turns](auto& block) {
    growing_backoff pause(1, 8);
    atomic_ref(*word).fetch_add(1);
    while (atomic_ref(*word).load() < block.count()) pause.wait(block);
  });
  EXPECT_EQ(turns, 3);
}

} // namespace
} // namespace evenly
