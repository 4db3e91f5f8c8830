// SPDX-License-Identifier: Apache-2.0
// The laws on the simulated GPU: values of 1 and 20 bytes, tile sets beyond 32 bits and without memory, and scans,
// where blocks that cut tiles wait for each other, and on several threads run at the same time.

#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "laws/battery.hpp"
#include "laws/on_simt.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

class LawsOfTileSetsOnSimt : public on_shapes {};
INSTANTIATE_TEST_SUITE_P(Sizes, LawsOfTileSetsOnSimt, testing::ValuesIn(on_shapes::all()), on_shapes::name);

TEST_P(LawsOfTileSetsOnSimt, HoldBeyond32Bits) { here().run_beyond_32_bits(); }

TEST_P(LawsOfTileSetsOnSimt, HoldOnFormulas) { here().run_formulas(); }

class LawsOfValuesOnSimtWithManyBlocks : public testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, LawsOfValuesOnSimtWithManyBlocks, many_blocks_on_simt);

TEST_P(LawsOfValuesOnSimtWithManyBlocks, Hold) {
  const auto [block_size, warp_size, seed] = GetParam();
  on(block_size, warp_size, seed).run_all<depth::bytes | depth::matrices>([seed](std::int64_t items) {
    return every_second(tile_sets_of_many_blocks(items), (seed + 1) % 2);
  });
}

// --- scans ---

class ScansOnSimt : public testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ScansOnSimt,
                         testing::Values(std::tuple(1, 32, 1), std::tuple(4, 1, 2), std::tuple(7, 4, 3),
                                         std::tuple(32, 32, 0), std::tuple(33, 32, 4), std::tuple(64, 64, 5),
                                         std::tuple(96, 32, 6), std::tuple(100, 32, 7),
                                         std::tuple(256, 32, 8), std::tuple(1024, 32, 9)));

/// Blocks that take a tile at a time make every thread of a block take part in it: where that is dear a set is left
/// out.
TEST_P(ScansOnSimt, HoldOnAdversarialTileSets) {
  const auto [block_size, warp_size, seed] = GetParam();
  const int size = block_size;
  on(block_size, warp_size, seed).run_all<depth::scan>([&](std::int64_t items) {
    auto sets = adversarial_tile_sets(items);
    std::erase_if(sets, [&](const named_tiles& set) {
      return std::ssize(set.offsets) * size > (sanitized ? 10'000 : 20'000);
    });
    return sets;
  });
}

class ScansOnSimtWithManyBlocks : public testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ScansOnSimtWithManyBlocks,
                         testing::Values(std::tuple(1, 32, 0), std::tuple(2, 2, 1), std::tuple(4, 4, 2)));

/// Of warps of 1, 2 and 4 the look-back makes regions of 1, 4 and 16 blocks; here are hundreds.
TEST_P(ScansOnSimtWithManyBlocks, Hold) {
  const auto [block_size, warp_size, seed] = GetParam();
  on(block_size, warp_size, seed).run_all<depth::scan>([](std::int64_t items) {
    return std::vector{
        tile_sizes().add(3).add(150 * items).add(9, 0).add(100 * items + 1).add(items, 1).named("giants"),
        tile_sizes().add(100, items + 1).named("every block ends a tile of the one before")};
  });
}

/// A schedule for each way of sharing, to keep compile time short.
TEST(ScansOnSimt, HoldForRandomTileSetsAndInterleavings) {
  for (int seed = 1; seed <= (sanitized ? 3 : 8); ++seed) {
    const int block_size = 1 + static_cast<int>(mixed(seed) % 130), warp_size = 1 << mixed(seed + 100) % 7;
    const simt exec({.warp_size = warp_size, .seed = static_cast<std::uint64_t>(seed)});
    const named_tiles set = random_runs(100, 10 * block_size, seed);
    const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
    const auto examine = [&](auto schedule) {
      schedule.block_size = block_size;
      findings found;
      check_laws<depth::scans>(exec, schedule, csr_tiles(offsets), set.offsets, found);
      for (const violation& each : found.all())
        ADD_FAILURE() << set.name << ", blocks of " << block_size << ", warps of " << warp_size << ": "
                      << each.what;
    };
    examine(merge_path{});
    examine(nonzero_split{});
    examine(two_phase{});
    examine(dynamic_group_per_tile{});
    examine(cta_warp_scan{});
    examine(block_search{});
  }
}

} // namespace
} // namespace evenly::laws
