// SPDX-License-Identifier: Apache-2.0
// for_each_tile on a GPU: the laws of algorithms/for_each_tile_laws.hpp.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/for_each_tile_laws.hpp"
#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly::laws {
namespace {

void expect_tiles_of_kinds(int block_size) {
  const auto expect_all = [&](const std::string& name, const auto& schedule) {
    expect_tiles_of_all<as_note_tile>(cuda_of_any_size(), schedule, block_size, name);
  };
  expect_all("thread_mapped", thread_mapped{});
  expect_all("group_per_tile of 40", group_per_tile<>{.group = 40});
  expect_all("block_mapped", block_mapped{});
  expect_all("cta_warp_scan", cta_warp_scan{});
  expect_all("group_mapped<32>", group_mapped<32>{});
  expect_all("binned", binned{});
}

TEST(ForEachTileOnCuda, HoldsOnAdversarialTileSets) {
  for (const int block_size : {1, 20, 32, 100, 128, 256, 1024}) expect_tiles_of_kinds(block_size);
}
TEST(ReducedForEachTileOnCuda, HoldsOnAdversarialTileSets) { expect_tiles_of_kinds(64); }

TEST(ForEachTileOnCuda, SharesGiantsWithWhoHasAFormForThem) {
  const named_tiles set = tile_sizes().add(5000, 3).add(100'000).add(0).add(30'000).named("giants");
  const cuda_of_any_size exec;
  EXPECT_TRUE(
      expect_tiles_of<note_tile_or_parts>(exec, dynamic_group_per_tile{}, set, "dynamic_group_per_tile"));
}

} // namespace
} // namespace evenly::laws
