// SPDX-License-Identifier: Apache-2.0
// A persistent kernel, and takes a range in every round, of tiles whose number is on the device and changes.
#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/grid_sync.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "laws/tile_sets.hpp"

namespace evenly::laws {

/// Rounds, in a persistent kernel: in each, the tiles left are one fewer, and all atoms of those are added up.
template <class Work> struct add_in_rounds {
  Work work;
  partials<std::int64_t, int> carries;
  grid_barrier barrier;
  int* count;
  std::int64_t *sums, *totals;

  EVENLY_FN auto lay_out(storage_layout& layout, block_shape shape) const {
    return lay_out_combine<std::int64_t>(layout, shape, work);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto slots = lay_out(layout, block.shape());
    const auto store = [&](int tile, std::int64_t sum) { sums[tile] = sum; };
    for (const int round : infinite_range(0)) {
      if (*count == 0) break;
      for_each_range(block, work, slots, combine_with{carries, plus<std::int64_t>{}, store},
                     [&](const auto& range) {
                       for (const auto tile : range.tiles()) {
                         std::int64_t sum = 0;
                         for (const auto atom : range.atoms(tile)) sum += atom;
                         range.combine(tile, sum);
                       }
                     });
      grid_sync(block, barrier);
      for (const int t : grid_stride_range(block, 0, *count)) atomic_ref(totals[round]).fetch_add(sums[t]);
      grid_sync(block, barrier);
      if (block.index() == 0 && block.rank() == 0) --*count;
      grid_sync(block, barrier);
    }
  }
};

template <class Executor, class Schedule>
void expect_rounds(const Executor& exec, Schedule schedule, int blocks, const char* name) {
  schedule.block_size = 32;
  const named_tiles set = tile_sizes().add(3).add(700).add(2, 0).add(41).add(4, 1).named("few");
  const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
  const auto tiles = static_cast<int>(offsets.size()) - 1;
  const auto there = to_executor(exec, offsets), count = to_executor(exec, std::vector<int>{tiles});
  const auto counted =
      csr_tiles_on_device(static_cast<const int*>(there.data()), static_cast<const int*>(count.data()),
                          capacity{tiles, offsets.back()});
  auto work = work_of(exec, schedule, counted);
  auto carries = make_partials<std::int64_t>(exec, work);
  workspace memory;
  workspace::lease lease(memory);
  const auto sums = make_buffer<std::int64_t>(exec, tiles);
  const auto totals = to_executor(exec, std::vector<std::int64_t>(tiles));
  launch(exec, {.blocks = blocks, .block_size = 32, .co_resident = true},
         add_in_rounds<decltype(work)>{work, carries.view(), lease.take(exec, 0).barrier, count.data(),
                                       sums.data(), totals.data()});
  const auto found = to_host(exec, totals);
  for (int round = 0; round < tiles; ++round) {
    const std::int64_t atoms = offsets[tiles - round];
    EXPECT_EQ(found[round], atoms * (atoms - 1) / 2)
        << name << ", round " << round << ", " << blocks << " blocks";
  }
  EXPECT_EQ(to_host(exec, count), std::vector<int>{0});
}

} // namespace evenly::laws
