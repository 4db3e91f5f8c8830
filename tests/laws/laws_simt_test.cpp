// SPDX-License-Identifier: Apache-2.0
// The battery on the simulated GPU: the code that runs on a real one, with races on storage checked. Block sizes,
// warp sizes and interleavings vary together: each block size meets each warp size, and the seeds take turns. Scans
// are here too, for compile time's sake: where tiles are cut, their blocks wait for each other, and on several
// threads they run at the same time.

#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "laws/battery.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

battery<simt> on(int block_size, int warp_size, std::uint64_t seed) {
  simt_options options;
  options.warp_size = warp_size;
  options.seed = seed;
  return {simt(options), "simt with warps of " + std::to_string(warp_size) + ", seed " + std::to_string(seed),
          block_size};
}

const std::vector<int> block_sizes =
    sanitized ? std::vector{1, 32, 100} : std::vector{1, 32, 64, 96, 100, 128, 256, 512, 1024};
const std::vector<int> warp_sizes = sanitized ? std::vector{4, 32, 64} : std::vector{1, 4, 32, 64};

class LawsOnSimt : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  int block_size() const { return std::get<0>(GetParam()); }
  int warp_size() const { return std::get<1>(GetParam()); }
  /// Order, or one of a few interleavings.
  std::uint64_t seed() const {
    return static_cast<unsigned>(block_size() / 32 + std::bit_width(static_cast<unsigned>(warp_size()))) % 4;
  }
  battery<simt> here() const { return on(block_size(), warp_size(), seed()); }
};
/// Warps that no GPU has meet small blocks only: a group of 32 threads is wide there, and its barriers are the block's.
std::vector<std::tuple<int, int>> shapes() {
  std::vector<std::tuple<int, int>> all;
  for (const int block_size : block_sizes)
    for (const int warp_size : warp_sizes)
      if (warp_size >= 32 || block_size <= 128) all.emplace_back(block_size, warp_size);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Sizes, LawsOnSimt, testing::ValuesIn(shapes()), [](const auto& info) {
  return "Block" + std::to_string(std::get<0>(info.param)) + "Warp" + std::to_string(std::get<1>(info.param));
});

/// Blocks that take a tile at a time make every thread of a block take part in it. Where that is cheap, or the warp is
/// that of a GPU and the block not large, all skeletons run; where it is very dear, none.
TEST_P(LawsOnSimt, HoldOnAdversarialTileSets) {
  const bool as_on_a_gpu = warp_size() == 32 && block_size() <= (sanitized ? 32 : 128);
  const int dearness = warp_size() == 1 ? 4 : 1; // every thread goes through the sums of all warps
  const auto cost = [&](const named_tiles& set) { return std::ssize(set.offsets) * block_size() * dearness; };
  const auto affordable = [&](std::int64_t items) {
    auto sets = adversarial_tile_sets(items);
    std::erase_if(sets, [&](const named_tiles& set) {
      return !as_on_a_gpu && cost(set) > (sanitized ? 200'000 : 1'000'000);
    });
    return sets;
  };
  here().run_all<depth::whole>(affordable,
                               [&](const named_tiles& set) { return !as_on_a_gpu && cost(set) > 50'000; });
}

TEST_P(LawsOnSimt, HoldOnASliceBeyond32BitsAndOnFormulas) {
  here().run_slice<depth::whole>(random_runs(60, 7 * block_size(), 5), 9);
  here().run_beyond_32_bits();
  here().run_formulas();
}

class LawsOnSimtWithManyBlocks : public testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, LawsOnSimtWithManyBlocks,
                         testing::Values(std::tuple(1, 32, 0), std::tuple(1, 1, 1), std::tuple(1, 64, 2),
                                         std::tuple(sanitized ? 2 : 4, 4, 3),
                                         std::tuple(sanitized ? 2 : 8, 32, 0)));

TEST_P(LawsOnSimtWithManyBlocks, Hold) {
  const auto [block_size, warp_size, seed] = GetParam();
  on(block_size, warp_size, seed).run_all<depth::sizes>(tile_sets_of_many_blocks);
}

TEST(LawsOnSimt, HoldForRandomTileSetsAndInterleavings) {
  for (int seed = 1; seed <= (sanitized ? 5 : 20); ++seed) {
    const int block_size = 1 + static_cast<int>(mixed(seed) % 130), warp_size = 1 << mixed(seed + 100) % 7;
    on(block_size, warp_size, seed).run<depth::whole>(random_runs(200, 10 * block_size, seed));
  }
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
