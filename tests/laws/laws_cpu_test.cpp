// SPDX-License-Identifier: Apache-2.0
// The battery on the cpu executor, where a block is one thread and gets 4,096 items or more: block sizes mean nothing,
// but the number of threads decides where work is cut.

#include <string>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "laws/battery.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

/// What a block gets at least.
constexpr std::int64_t chunk = 4096;

battery<cpu> on(int threads) { return {cpu(threads), "cpu of " + std::to_string(threads) + " threads", 128}; }

class LawsOnCpu : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, LawsOnCpu, testing::Values(1, 2, 7));

TEST_P(LawsOnCpu, HoldOnAdversarialTileSets) {
  for (const named_tiles& set : adversarial_tile_sets(chunk)) on(GetParam()).run<depth::whole>(set);
}

TEST_P(LawsOnCpu, HoldOnASlice) {
  for (const named_tiles& set : adversarial_tile_sets(chunk))
    if (set.offsets.size() > 3) on(GetParam()).run_slice(set, 3);
}

TEST_P(LawsOnCpu, HoldBeyond32Bits) { on(GetParam()).run_beyond_32_bits(); }

TEST_P(LawsOnCpu, HoldOnFormulas) { on(GetParam()).run_formulas(); }

TEST(LawsOnCpu, HoldOnMillionsOfTilesAndAtoms) {
  constexpr int million = sanitized ? 50'000 : 1'000'000;
  on(2).run<depth::whole>(tile_sizes().add(million, 0).named("a million empty tiles"));
  on(2).run<depth::whole>(tile_sizes()
                              .add(9)
                              .add(million, 0)
                              .add(2 * chunk)
                              .add(million / 2, 0)
                              .add(1)
                              .named("a million empty tiles between"));
  on(2).run<depth::whole>(tile_sizes().add(power_law(million / 5, million, 7)).named("a long power law"));
}

TEST(LawsOnCpu, HoldWithManyBlocks) {
  // A block gets a 32nd of a thread's share, but not less than a chunk.
  on(40).run<depth::sizes>(
      tile_sizes().add(3).add(100 * chunk).add(7, 0).add(250 * chunk).add(chunk, 1).named("giants"));
  on(300).run<depth::sizes>(
      tile_sizes().add(1000 * chunk).add(chunk, 1).add(1400 * chunk + 1).named("giants"));
}

TEST(LawsOnCpu, HoldForAllTileNumbers) { on(2).run_all_tile_numbers(); }

} // namespace
} // namespace evenly::laws
