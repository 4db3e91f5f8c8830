// SPDX-License-Identifier: Apache-2.0
// The contract of grid barriers: all threads see all stores from before the barrier, and each block gets the sum. It
// holds for any number of barriers, in launches of any number of blocks on one workspace.
#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::grid_laws {

/// The number of a block in a round: negative ones too, and more than 32 bits.
EVENLY_FN inline std::int64_t number_of(int block, int round) {
  return (std::int64_t{block} << 33) - std::int64_t{round} * 1'000'003 + block * round;
}

/// In each round every thread stores the round in its own place, and after a meeting looks at that of the same rank in
/// every block. Every third round has a sum for its first meeting.
struct rounds_of_meetings {
  int rounds;
  int* place;
  int* wrong;
  grid_barrier barrier;

  EVENLY_FN static slot<std::int64_t> lay_out(storage_layout& layout, block_shape) {
    return layout.take<std::int64_t>(1);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto scratch = block.storage(lay_out(layout, block.shape()));
    int bad = 0;
    for (int round = 1; round <= rounds; ++round) {
      place[block.index() * block.size() + block.rank()] = round;
      if (round % 3 == 0) {
        const std::int64_t mine = block.rank() == 0 ? number_of(block.index(), round) : 77;
        const std::int64_t sum = grid_sum(block, barrier, mine, scratch);
        std::int64_t expected = 0;
        for (int b = 0; b < block.count(); ++b) expected += number_of(b, round);
        bad += sum != expected;
      } else
        grid_sync(block, barrier);
      for (int b = 0; b < block.count(); ++b) bad += place[b * block.size() + block.rank()] != round;
      grid_sync(block, barrier);
    }
    if (bad != 0) atomic_ref(*wrong).fetch_add(bad, order::relaxed{});
  }
};

template <class Executor>
void expect_meetings(const Executor& exec, const std::vector<int>& blocks, int block_size, int rounds) {
  workspace memory;
  const auto wrong = to_executor(exec, std::vector<int>{0});
  for (const int count : blocks) {
    const auto place = to_executor(
        exec, std::vector<int>(static_cast<std::size_t>(count) * static_cast<std::size_t>(block_size)));
    workspace::lease lease(memory);
    launch(exec, {count, block_size, true},
           rounds_of_meetings{rounds, place.data(), wrong.data(), lease.take(exec, 0).barrier});
    EXPECT_EQ(to_host(exec, wrong), std::vector<int>{0}) << count << " blocks of " << block_size;
  }
}

} // namespace evenly::grid_laws
