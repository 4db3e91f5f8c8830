// SPDX-License-Identifier: Apache-2.0
// local_warp_search: which warp takes which tiles, and that both forms assign alike.

#include "evenly/schedules/local_warp_search.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/records.hpp"

namespace evenly {
namespace {

template <offsets_in Where> local_warp_search<Where> with_blocks_of(int size) {
  local_warp_search<Where> schedule;
  schedule.block_size = size;
  return schedule;
}
const auto in_storage = [](int size) { return with_blocks_of<offsets_in::storage>(size); };
const auto in_registers = [](int size) { return with_blocks_of<offsets_in::registers>(size); };

TEST(CountUpTo, IsTheUpperBoundInLogarithmicallyManySteps) {
  for (int size = 1; size <= 130; ++size) {
    std::vector<int> values;
    for (int i = 0, value = 0; i < size; ++i) values.push_back(value += mixed(i + 1000 * size) % 3);
    values.back() = std::max(values.back(), 1);
    int max_steps = 0;
    while (1 << max_steps < size) ++max_steps;
    for (int k = -1; k < values.back(); ++k) {
      int steps = 0;
      const int count = count_up_to(k, size, [&](int i) {
        ++steps;
        return values.at(i);
      });
      EXPECT_EQ(count, std::upper_bound(values.begin(), values.end(), k) - values.begin());
      EXPECT_EQ(steps, max_steps) << "among " << size;
    }
  }
}

TEST(LocalWarpSearch, BothFormsAssignAlikeInWholeBatches) {
  for (const int warp_size : {1, 4, 32, 64})
    for (const int block_size : {1, 20, 32, 64, 100, 128}) {
      SCOPED_TRACE("blocks of " + std::to_string(block_size) + ", warps of " + std::to_string(warp_size));
      const auto sizes = mixed_sizes(300, 90, 7);
      const records stored = record(in_storage(block_size), sizes, warp_size);
      const records held = record(in_registers(block_size), sizes, warp_size, 5);
      expect_whole_batches(stored, std::min(32, floor_power_of_two(block_size)));
      EXPECT_EQ(stored.atoms, held.atoms);
      EXPECT_EQ(stored.empty_tiles, held.empty_tiles);
    }
}

TEST(LocalWarpSearch, GivesAWarpAsManyTilesAsItHasThreads) {
  // 100 threads are three warps and four threads that take nothing.
  for (const int threads : {128, 100}) {
    const int in_warps = threads / 32 * 32;
    const records seen = record(in_registers(threads), mixed_sizes(500, 60, 1));
    for (const atom_record& each : seen.atoms) {
      ASSERT_LT(each.thread, in_warps);
      ASSERT_EQ((each.block * in_warps + each.thread) / 32, each.tile / 32);
    }
  }
}

TEST(LocalWarpSearch, NeedsStorageForAnOffsetAThreadOrNone) {
  using tiles = csr_tile_set<int>;
  const auto bytes = [](auto mapping, block_shape shape) {
    storage_layout layout;
    decltype(mapping)::lay_out(layout, shape);
    return layout.bytes();
  };
  const group_run_mapping<tiles, 32, offsets_by::reading, offsets_in::storage> stored{};
  const group_run_mapping<tiles, 32, offsets_by::reading, offsets_in::registers> held{};
  for (const int warp : {32, 64}) {
    EXPECT_EQ(bytes(stored, {100, warp}), 400u);
    EXPECT_EQ(bytes(held, {100, warp}), 0u);
  }
  EXPECT_EQ(bytes(held, {100, 4}), 400u);
  EXPECT_EQ(bytes(held, {4, 4}), 0u);
}

TEST(LocalWarpSearch, KeepsTheLaws) {
  expect_laws(in_storage(32), "local_warp_search<storage>");
  expect_laws(in_registers(32), "local_warp_search<registers>");
}

} // namespace
} // namespace evenly
