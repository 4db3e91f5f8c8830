// SPDX-License-Identifier: Apache-2.0
// for_each_tile on a GPU: the laws of algorithms/for_each_tile_laws.hpp.

#include <string>

#include <gtest/gtest.h>

#include "algorithms/for_each_tile_laws.hpp"
#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly::laws {
namespace {

/// Calls visit(name, schedule) for one of each kind of team.
template <class Visit> void for_each_kind_of_team(const Visit& visit) {
  visit("thread_mapped", thread_mapped{});
  visit("group_per_tile of 40", group_per_tile<>{.group = 40});
  visit("cta_warp_scan", cta_warp_scan{});
  visit("group_mapped<32>", group_mapped<32>{});
  visit("binned", binned{});
}

TEST(ForEachTileOnCuda, HoldsOnAdversarialTileSets) {
  for_each_kind_of_team([](const std::string& name, const auto& schedule) {
    for (const int block_size : {1, 20, 32, 64, 100, 128, 256, 1024})
      expect_tiles_of_all<as_note_tile>(cuda_of_any_size(), schedule, block_size, name);
  });
}

TEST(ReducedForEachTileOnCuda, HoldsOnFewTileSets) {
  for_each_kind_of_team([](const std::string& name, auto schedule) {
    schedule.block_size = 96;
    expect_tiles_of<as_note_tile>(cuda_of_any_size(), schedule, random_runs(60, 200, 1), name);
  });
}

TEST(ReducedForEachTileOnCuda, HasStorageForEachAtomUnderBinned) {
  tile_sizes all;
  for (int size = 0; size <= 1025; size += size < 70 ? 1 : 61) all.add(3, size);
  const named_tiles set = all.add(2000).add(4097).add(20'000).named("all sizes");
  EXPECT_TRUE(expect_gathered(cuda(), binned{}, set, "binned"));
}

TEST(ForEachTileOnCuda, SharesGiantsWithWhoHasAFormForThem) {
  const named_tiles set = tile_sizes().add(5000, 3).add(100'000).add(0).add(30'000).named("giants");
  const cuda_of_any_size exec;
  EXPECT_TRUE(
      expect_tiles_of<note_tile_or_parts>(exec, dynamic_group_per_tile{}, set, "dynamic_group_per_tile"));
}

} // namespace
} // namespace evenly::laws
