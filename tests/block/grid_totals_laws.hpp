// SPDX-License-Identifier: Apache-2.0
// The contract of grid barriers with totals: each gets the sum, what any thread stored before is seen by all after, and
// launches of any number of blocks follow each other on the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::grid_laws {

/// In each round every thread stores the round before the meeting, and looks at others' after it; and stores a number
/// while its block waits.
struct rounds_of_totals {
  int rounds;
  int* place;
  int* wrong;
  totals_memory totals;

  EVENLY_FN static slot<std::uint64_t> lay_out(storage_layout& layout, block_shape) {
    return layout.take<std::uint64_t>(1);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto scratch = block.storage(lay_out(layout, block.shape()));
    grid_totals meetings(block, totals);
    int bad = 0;
    for (int round = 1; round <= rounds; ++round) {
      place[block.index() * block.size() + block.rank()] = round;
      int met = 0;
      const std::uint64_t sum = meetings.sync(
          scratch, [&] { return static_cast<std::uint64_t>(block.index() + 1) * round << 30; },
          [&] { met = round; });
      const auto blocks = static_cast<std::uint64_t>(block.count());
      bad += sum != blocks * (blocks + 1) / 2 * round << 30 || met != round;
      for (int b = 0; b < block.count(); ++b) bad += place[b * block.size() + block.rank()] != round;
      meetings.sync(scratch, [] { return std::uint64_t{0}; }, nothing_to_do{}, 100);
    }
    meetings.leave();
    if (bad != 0) atomic_ref(*wrong).fetch_add(bad, order::relaxed{});
  }
};

template <class Executor>
void expect_totals(const Executor& exec, const std::vector<int>& blocks, int block_size, int rounds) {
  const auto memory = to_executor(exec, std::vector<std::byte>(totals_memory::bytes));
  const auto wrong = to_executor(exec, std::vector<int>{0});
  for (const int count : blocks) {
    const auto place = to_executor(
        exec, std::vector<int>(static_cast<std::size_t>(count) * static_cast<std::size_t>(block_size)));
    launch(exec, {count, block_size, true},
           rounds_of_totals{rounds, place.data(), wrong.data(), {memory.data()}});
    EXPECT_EQ(to_host(exec, wrong), std::vector<int>{0}) << count << " blocks of " << block_size;
  }
}

} // namespace evenly::grid_laws
