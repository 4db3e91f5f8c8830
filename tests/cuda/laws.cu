// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: every skeleton on adversarial tile sets. Tests whose name begins with Reduced are few and small
// enough for compute-sanitizer (--gtest_filter=*Reduced*).

#include <string>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "laws/battery.hpp"

namespace evenly::laws {
namespace {

battery<cuda> on(int block_size) { return {cuda(), "cuda", block_size}; }

class LawsOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOnCuda, testing::Values(1, 32, 64, 96, 100, 128, 256, 512, 1024));

TEST_P(LawsOnCuda, HoldOnAdversarialTileSets) { on(GetParam()).run_all<depth::whole>(adversarial_tile_sets); }

TEST_P(LawsOnCuda, HoldOnASlice) { on(GetParam()).run_slice(random_runs(60, GetParam() * 7, 5), 9); }

TEST(LawsOnCuda, HoldOnRandomTileSets) {
  for (int seed = 1; seed <= 20; ++seed) {
    const int block_size = 1 + static_cast<int>(mixed(seed) % 300);
    on(block_size).run<depth::whole>(random_runs(200, 10 * block_size, seed));
  }
}

TEST(LawsOnCuda, HoldOnMillionsOfTilesAndAtoms) {
  constexpr int million = 1'000'000;
  on(128).run<depth::whole>(tile_sizes().add(million, 0).named("a million empty tiles"));
  on(128).run<depth::whole>(tile_sizes()
                                .add(9)
                                .add(million, 0)
                                .add(5000)
                                .add(million / 2, 0)
                                .add(1)
                                .named("a million empty tiles between"));
  on(256).run<depth::whole>(
      tile_sizes().add(power_law(million / 5, million / 4, 7)).named("a long power law"));
}

TEST(ReducedLawsOnCuda, Hold) {
  on(128).run<depth::whole>(random_runs(60, 128 * 7, 1));
  for (const int block_size : {32, 96})
    for (const named_tiles& set :
         {random_runs(60, block_size * 7, 2), tile_sizes().add(0).named("one empty tile"),
          tile_sizes().named("no tiles")})
      on(block_size).run<depth::whole>(set, true);
}

} // namespace
} // namespace evenly::laws
