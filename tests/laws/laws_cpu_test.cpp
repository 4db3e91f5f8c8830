// SPDX-License-Identifier: Apache-2.0
// The laws on the cpu executor: every skeleton, with values of 4, 8 and 12 bytes.

#include <gtest/gtest.h>

#include "laws/battery.hpp"
#include "laws/on_cpu.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

class LawsOnCpu : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, LawsOnCpu, threads_on_cpu);

TEST_P(LawsOnCpu, HoldOnAdversarialTileSets) {
  for (const named_tiles& set : adversarial_tile_sets(chunk)) on(GetParam()).run<depth::whole>(set);
}

TEST_P(LawsOnCpu, HoldOnASlice) {
  for (const named_tiles& set : adversarial_tile_sets(chunk))
    if (set.offsets.size() > 3) on(GetParam()).run_slice<depth::whole>(set, 3);
}

TEST(LawsOnCpu, HoldOnMillionsOfTilesAndAtoms) {
  constexpr int million = sanitized ? 50'000 : 300'000;
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
  on(40).run<depth::whole & depth::sizes>(
      tile_sizes().add(3).add(100 * chunk).add(7, 0).add(250 * chunk).add(chunk, 1).named("giants"));
  on(300).run<depth::whole & depth::sizes>(
      tile_sizes().add(1000 * chunk).add(chunk, 1).add(1400 * chunk + 1).named("giants"));
}

} // namespace
} // namespace evenly::laws
