// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide on a GPU: the laws of algorithms/reduce_wide_laws.hpp.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/reduce_wide_laws.hpp"
#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly::laws {
namespace {

/// The rows of few tile sets under one schedule of each way of sharing.
void expect_rows_of_kinds(int block_size) {
  std::size_t salt = static_cast<std::size_t>(block_size);
  const auto expect_all = [&](const std::string& name, const auto& schedule) {
    expect_rows_of_all<short_maps, false>(cuda_of_any_size(), schedule, block_size, salt++, name);
  };
  expect_all("merge_path", merge_path{});
  expect_all("nonzero_split", nonzero_split{});
  expect_all("dynamic_group_per_tile", dynamic_group_per_tile{});
  expect_all("cta_warp_scan", cta_warp_scan{});
}

TEST(ReduceTilesWideOnCuda, HoldsOnAdversarialTileSets) {
  for (const int block_size : {1, 20, 32, 100, 128, 256, 1024}) expect_rows_of_kinds(block_size);
}
TEST(ReducedReduceTilesWideOnCuda, HoldsOnAdversarialTileSets) { expect_rows_of_kinds(64); }

TEST(ReduceTilesWideOnCuda, HoldsForLongValuesAndFunctionsOfTiles) {
  expect_rows_of_all<stretches, true, std::int64_t>(cuda_of_tuned_size(), merge_path{}, 128, 1, "merge_path");
}

TEST(ReduceTilesWideOnCuda, HoldsWithManyBlocks) {
  const named_tiles set = tile_sizes().add(5).add(4'000'000).add(9, 0).add(70'000, 3).named("a giant");
  expect_rows_of<short_maps, false, int>(cuda_of_any_size(), merge_path{}, set, 7, "merge_path");
}

TEST(ReduceTilesWideOnCuda, FindsSizesOnTheDevice) {
  const auto sets = adversarial_tile_sets(items_of_a_block(merge_path{}));
  expect_rows_of_device_sizes(cuda_of_any_size(), merge_path{}, sets, 33, "merge_path");
}

} // namespace
} // namespace evenly::laws
