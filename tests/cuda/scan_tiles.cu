// SPDX-License-Identifier: Apache-2.0
// scan_tiles on a GPU: its laws under a schedule for each way of sharing. The battery has all schedules on
// the simulated GPU, which runs the same code; what is new here are blocks that really run at the same
// time, and there are thousands.

#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/cta_warp_scan.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/schedules/two_phase.hpp"
#include "evenly/work/csr.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {
namespace {

enum class scan { floats_in_place, exclusive_stretches };

template <scan What, class Schedule>
void expect_laws(const char* name, Schedule schedule, int block_size, const named_tiles& set) {
  const cuda exec;
  schedule.block_size = block_size;
  const auto offsets = to_executor(exec, std::vector<int>(set.offsets.begin(), set.offsets.end()));
  const auto tiles = csr_tiles(offsets.span());
  findings found;
  examination exam(exec, schedule, tiles, set.offsets, found);
  if constexpr (What == scan::floats_in_place)
    exam.float_prefixes();
  else
    exam.template exclusive_scan_by_tile_and_atom<stretches>();
  for (const violation& each : found.all())
    ADD_FAILURE() << "law " << each.broken << " broken by " << name << ", blocks of " << block_size
                  << ", tile set \"" << set.name << "\": " << each.what;
}

/// Few kernels, for compile time's sake: together they have every way of sharing, and both kinds of scan.
void expect_laws(int block_size, const named_tiles& set) {
  expect_laws<scan::floats_in_place>("merge_path", merge_path{}, block_size, set);
  expect_laws<scan::floats_in_place>("two_phase", two_phase{}, block_size, set);
  expect_laws<scan::floats_in_place>("streamed", streamed{}, block_size, set);
  expect_laws<scan::floats_in_place>("dynamic_group_per_tile", dynamic_group_per_tile{}, block_size, set);
  expect_laws<scan::exclusive_stretches>("multi_phase<4, 2>", multi_phase<4, 2>{}, block_size, set);
  expect_laws<scan::exclusive_stretches>("cta_warp_scan", cta_warp_scan{}, block_size, set);
}

class ScansOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, ScansOnCuda, testing::Values(1, 32, 100, 128, 1024));

TEST_P(ScansOnCuda, HoldOnAdversarialTileSets) {
  for (const named_tiles& set : adversarial_tile_sets(GetParam() * 13)) expect_laws(GetParam(), set);
}

TEST(ScansOnCuda, HoldWithManyBlocks) {
  constexpr int items = 128 * 9;
  for (const named_tiles& set :
       {tile_sizes().add(5).add(3'000'001).add(9, 0).add(1'500'000).add(5000, 1).add(700'000).named("giants"),
        tile_sizes().add(2000, items + 1).named("every block ends a tile of the one before"),
        tile_sizes().add(power_law(400'000, 1'000'000, 7)).named("a long power law")})
    expect_laws(128, set);
}

TEST(ReducedScansOnCuda, Hold) {
  expect_laws(64, random_runs(60, 64 * 7, 1));
  expect_laws(32, tile_sizes().add(40 * 32 * 13).add(3, 0).add(7).named("a giant over many blocks"));
}

} // namespace
} // namespace evenly::laws
