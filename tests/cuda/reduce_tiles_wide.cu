// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide on a GPU: the laws of algorithms/reduce_wide_laws.hpp.

#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "algorithms/reduce_wide_laws.hpp"
#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly::laws {
namespace {

/// Calls visit(name, schedule) for one of each way of sharing.
template <class Visit> void for_each_way(const Visit& visit) {
  visit("merge_path", merge_path{});
  visit("nonzero_split", nonzero_split{});
  visit("warp_mapped", warp_mapped{});
  visit("cta_warp_scan", cta_warp_scan{});
}

TEST(ReduceTilesWideOnCuda, HoldsOnAdversarialTileSets) {
  std::size_t salt = 0;
  for_each_way([&](const std::string& name, const auto& schedule) {
    for (const int block_size : {1, 20, 32, 64, 100, 128, 256, 1024})
      expect_rows_of_all<short_maps, false>(cuda_of_any_size(), schedule, block_size, salt++, name);
  });
}

TEST(ReducedReduceTilesWideOnCuda, HoldsOnFewTileSets) {
  for_each_way([&](const std::string& name, auto schedule) {
    schedule.block_size = 96;
    for (const int width : {3, 33, 140})
      expect_rows_of<short_maps, false, int>(cuda_of_any_size(), schedule, random_runs(60, 96 * 7, 1), width,
                                             name);
  });
}

TEST(ReduceTilesWideOnCuda, HoldsForPacks) {
  std::size_t salt = 0;
  for_each_way([&](const std::string& name, const auto& schedule) {
    for (const int block_size : {1, 20, 64, 128})
      expect_packed_rows_of_all(cuda_of_any_size(), schedule, block_size, salt++, name);
  });
}
TEST(ReducedReduceTilesWideOnCuda, HoldsForPacksOnFewTileSets) {
  for_each_way([&](const std::string& name, auto schedule) {
    schedule.block_size = 96;
    for (const int width : {4, 140})
      expect_packed_rows<short_maps>(cuda_of_any_size(), schedule, random_runs(60, 96 * 7, 1), width, name);
  });
}

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
