// SPDX-License-Identifier: Apache-2.0
// Grid barriers on cpu and simt, and the reports of simt where blocks cannot all be resident.

#include "evenly/block/grid_sync.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "block/grid_sync_laws.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "execution/reports.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

TEST(GridSync, LetsAllBlocksMeetOnCpu) { grid_laws::expect_meetings(cpu(), {1, 2, 3, 7, 2, 1, 16}, 1, 100); }

TEST(GridSync, LetsAllBlocksMeetOnSimt) {
  for (const int block_size : {1, 32, 65}) grid_laws::expect_meetings(simt(), {1, 2, 3, 9, 4}, block_size, 7);
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const bool at_atomics : {false, true}) {
      simt_options options = with_seed(seed);
      options.switch_at_atomics = at_atomics;
      grid_laws::expect_meetings(simt(options), {3, 1, 5}, 10, 6);
    }
  grid_laws::expect_meetings(simt(with_warp(64)), {3}, 100, 6);
}

struct one_meeting {
  grid_barrier barrier;
  template <class Block> void operator()(Block& block) const { grid_sync(block, barrier); }
};

TEST(GridSync, IsRefusedWhereBlocksAreNotCoResident) {
  const auto refused = [](const auto& exec, bool two_at_once) {
    return message_of<invalid_argument>([&] {
      workspace memory;
      workspace::lease lease(memory);
      launch(exec, {.blocks = 2, .block_size = 32, .two_at_once = two_at_once},
             one_meeting{lease.take(exec, 0).barrier});
    });
  };
  const std::string why = "grid_sync needs a co-resident launch, in which blocks can wait for each other: "
                          "set launch_shape::co_resident";
  EXPECT_EQ(refused(cpu(), false), why);
  EXPECT_EQ(refused(simt(), false), why);
  EXPECT_EQ(refused(simt(), true), why);
}

/// What simt reports of four blocks of 3 threads.
template <class Body> std::string report_of(const Body& body) {
  const simt exec;
  workspace memory;
  workspace::lease lease(memory);
  const grid_barrier barrier = lease.take(exec, 0).barrier;
  return report(exec, {4, 3, true}, 0, [&](auto& block) { body(block, barrier); });
}

TEST(GridSync, TellsWhoIsMissing) {
  EXPECT_TRUE(
      says(report_of([](auto& block, const grid_barrier& barrier) {
             if (block.index() != 1) grid_sync(block, barrier);
           }),
           {"grid_sync waits for block 1 of 4: block 0: thread 0 waits at grid_sync (grid_sync.hpp:",
            "called at grid_sync_test.cpp:", "threads 1-2 wait at sync (grid_sync.hpp:", "; block 2: "}));
  EXPECT_TRUE(says(report_of([](auto& block, const grid_barrier& barrier) {
                     if (block.index() == 0) grid_sync(block, barrier);
                     grid_sync(block, barrier);
                   }),
                   {"grid_sync waits for blocks 1-3 of 4: block 0: thread 0 waits at grid_sync"}));
  EXPECT_TRUE(says(
      report_of([](auto& block, const grid_barrier& barrier) {
        if (block.index() != 3 || block.rank() != 2) grid_sync(block, barrier);
      }),
      {"grid_sync waits for block 3 of 4: ", "block 3: threads 0-1 wait at sync", "thread 2 has finished"}));
}

TEST(GridSync, FindsItsWorkspaceReadyAfterALaunchThatFailed) {
  const simt exec;
  workspace memory;
  for (const bool fails : {true, false, true, false}) {
    const auto once = [&] {
      workspace::lease lease(memory);
      const grid_barrier barrier = lease.take(exec, 0).barrier;
      run(exec, {3, 2, true}, 0, [&](auto& block) {
        grid_sync(block, barrier);
        if (!fails || block.index() != 2) grid_sync(block, barrier);
      });
    };
    if (fails)
      EXPECT_THROW(once(), simulation_error);
    else
      EXPECT_NO_THROW(once());
  }
}

} // namespace
} // namespace evenly
