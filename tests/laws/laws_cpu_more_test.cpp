// SPDX-License-Identifier: Apache-2.0
// The laws on the cpu executor: values of 1 and 20 bytes, tile sets beyond 32 bits and without memory, and scans, where
// blocks wait for each other.

#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "laws/battery.hpp"
#include "laws/on_cpu.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

class LawsOfTileSetsOnCpu : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, LawsOfTileSetsOnCpu, threads_on_cpu);

TEST_P(LawsOfTileSetsOnCpu, HoldBeyond32Bits) { on(GetParam()).run_beyond_32_bits(); }

TEST_P(LawsOfTileSetsOnCpu, HoldOnFormulas) { on(GetParam()).run_formulas(); }

TEST(LawsOfValuesOnCpu, HoldWithManyBlocks) {
  // A block gets a 32nd of a thread's share, but not less than a chunk.
  on(40).run<depth::bytes | depth::matrices>(
      tile_sizes().add(3).add(100 * chunk).add(7, 0).add(250 * chunk).add(chunk, 1).named("giants"));
  on(300).run<depth::bytes | depth::matrices>(
      tile_sizes().add(1000 * chunk).add(chunk, 1).add(1400 * chunk + 1).named("giants"));
}

// --- scans ---

class ScansOnCpu : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ScansOnCpu, threads_on_cpu);

TEST_P(ScansOnCpu, HoldOnAdversarialTileSets) {
  for (const named_tiles& set : adversarial_tile_sets(chunk)) on(GetParam()).run<depth::scan>(set);
}

TEST(ScansOnCpu, HoldOnMillionsOfTilesAndAtoms) {
  constexpr int million = sanitized ? 50'000 : 1'000'000;
  on(2).run<depth::scan>(tile_sizes().add(million, 0).named("a million empty tiles"));
  on(2).run<depth::scan>(tile_sizes().add(power_law(million / 10, million / 8, 7)).named("a long power law"));
}

TEST(ScansOnCpu, HoldWithManyBlocks) {
  on(40).run<depth::scan>(
      tile_sizes().add(3).add(30 * chunk).add(7, 0).add(50 * chunk).add(chunk, 1).named("giants"));
}

/// Bits repeat in any order of threads; values are replaced in place.
TEST(ScansOnCpu, OfFloatsRepeat) {
  const auto examine = [](const auto& schedule, const named_tiles& set) {
    const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
    const auto tiles = csr_tiles(offsets);
    const cpu exec(2);
    findings found;
    examination(exec, schedule, tiles, set.offsets, found).float_prefixes();
    for (const violation& each : found.all()) ADD_FAILURE() << set.name << ": " << each.what;
  };
  for (const named_tiles& set :
       {tile_sizes().add(60 * chunk + 3).add(2 * chunk, 1).add(20 * chunk).named("giants"),
        tile_sizes().add(300, chunk / 4 + 1).named("every block ends tiles of others"),
        tile_sizes().add(power_law(20'000, 30'000, 5)).named("a power law")}) {
    examine(merge_path{}, set);
    examine(nonzero_split{}, set);
    examine(dynamic_group_per_tile{}, set);
  }
}

} // namespace
} // namespace evenly::laws
