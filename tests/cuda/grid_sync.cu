// SPDX-License-Identifier: Apache-2.0
// The meetings of blocks on a GPU.

#include "evenly/block/grid_sync.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "block/grid_sync_laws.hpp"
#include "block/grid_totals_laws.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly {
namespace {

TEST(ReducedGridSync, LetsAllBlocksMeetOnCuda) {
  grid_laws::expect_meetings(cuda(), {1, 2, 7, 132, 1}, 100, 20);
}

TEST(GridSync, LetsAsManyBlocksMeetAsHaveRoom) {
  const cuda exec;
  for (const int block_size : {32, 256, 1024}) {
    const int room = resident_blocks(exec, grid_laws::rounds_of_meetings{}, block_size);
    grid_laws::expect_meetings(exec, {room, 3, room}, block_size, 30);
  }
}

TEST(ReducedGridTotals, GivesAllTheSumOnCuda) {
  grid_laws::expect_totals(cuda(), {1, 2, 7, 132, 1}, 100, 20);
}

struct one_meeting {
  grid_barrier barrier;
  template <class Block> EVENLY_FN void operator()(Block& block) const { grid_sync(block, barrier); }
};

/// It ends the process's use of the device as well, so it has one of its own.
TEST(GridSyncDeathTest, EndsAKernelThatIsNotCoResident) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        const cuda exec;
        workspace memory;
        workspace::lease lease(memory);
        launch(exec, {2, 32}, one_meeting{lease.take(exec, 0).barrier});
        try {
          exec.synchronize();
        } catch (const device_error&) {
          std::abort();
        }
      },
      "a launch with grid_sync must be co-resident");
}

} // namespace
} // namespace evenly
