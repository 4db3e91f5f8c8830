// SPDX-License-Identifier: Apache-2.0
// Calls that plan and run: under schedules that have a partition a small launch's blocks search themselves, a large
// one's do not. planning_laws.hpp has what is right.

#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/schedules/two_phase.hpp"
#include "schedules/planning_laws.hpp"
#include "support/counting_resource.hpp"

namespace evenly::laws {
namespace {

TEST(OneCall, PlansAndRuns) {
  const auto each = [](const char* name, auto schedule) {
    for (const int block_size : {32, 100, 7}) {
      schedule.block_size = block_size;
      expect_one_call(simt({.seed = 2}), schedule, adversarial_tile_sets(items_of_a_block(schedule)), name);
    }
  };
  each("merge_path", merge_path{});
  each("nonzero_split", nonzero_split{});
  each("two_phase", two_phase{});
  each("multi_phase", multi_phase{});
}

TEST(OneCall, OfManyBlocksHasAPartition) {
  const auto sets = [](int blocks) { // of 2 atoms each
    return std::vector{tile_sizes().add(3).add(2 * blocks - 5).add(2).named("some blocks"),
                       tile_sizes().add(blocks, 2).named("even blocks")};
  };
  for (const int blocks : {max_searched_blocks, max_searched_blocks + 1}) {
    expect_one_call(simt{}, nonzero_split<2>{.block_size = 1}, sets(blocks), "nonzero_split");
    expect_one_call(simt{}, merge_path<2>{.block_size = 1}, sets(blocks), "merge_path");
  }
}

TEST(OneCall, GivesItsMemoryBack) {
  counting_resource memory;
  const simt exec({}, &memory);
  expect_one_call(exec, merge_path{}, adversarial_tile_sets(items_of_a_block(merge_path{})), "merge_path");
  EXPECT_EQ(memory.bytes_out, 0u);
}

TEST(OneCall, GivesTheBitsOfAPlan) {
  std::vector<int> offsets{0};
  for (int t = 0; t < 900; ++t) offsets.push_back(offsets.back() + (t == 500 ? 30'000 : t % 40));
  const simt exec({.seed = 9});
  const auto one_over = [](int a) { return 1.0f / static_cast<float>(a + 1); };
  std::vector<float> once(900, -1), kept(900, -2);
  const auto keep = [](std::vector<float>& sums) {
    return [to = sums.data()](int t, float sum) { to[t] = sum; };
  };
  reduce_tiles(exec, merge_path{}, csr_tiles(offsets), one_over, plus<float>{}, keep(once));
  auto plan = make_plan(exec, merge_path{}, csr_tiles(offsets));
  reduce_tiles(exec, plan, one_over, plus<float>{}, keep(kept));
  EXPECT_EQ(once, kept);
}

} // namespace
} // namespace evenly::laws
