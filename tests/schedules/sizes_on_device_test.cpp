// SPDX-License-Identifier: Apache-2.0
// Plans of tile sets that are sized on the device, on the CPU and on the simulated GPU: planning_laws.hpp.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/first_match.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "schedules/planning_laws.hpp"

namespace evenly::laws {
namespace {

TEST(SizesOnTheDevice, AreFoundOnCpu) {
  for_each_kind_that_rebinds(128, [](const char* name, const auto& schedule) {
    expect_sizes_on_device<cpu, int>(cpu(3), schedule, sets_to_bind(schedule), name);
  });
}

TEST(SizesOnTheDevice, AreFoundOnCpuBy64Bits) {
  const auto schedule = nonzero_split{};
  expect_sizes_on_device<cpu, std::int64_t>(cpu(2), schedule, sets_to_bind(schedule), "nonzero_split");
}

TEST(SizesOnTheDevice, AreFoundOnSimt) {
  for (const int block_size : {32, 100})
    for_each_kind_that_rebinds(block_size, [](const char* name, const auto& schedule) {
      expect_sizes_on_device<simt, int>(simt({.warp_size = 32, .seed = 3}), schedule, sets_to_bind(schedule),
                                        name);
    });
}

TEST(SizesOnTheDevice, AreFoundOnSimtBy64Bits) {
  const auto schedule = nonzero_split<>{.block_size = 64};
  expect_sizes_on_device<simt, std::int64_t>(simt{}, schedule, sets_to_bind(schedule), "nonzero_split");
}

/// More than 2,048 blocks, whose carries are joined in a launch of its own; and fewer, under the same plan.
TEST(SizesOnTheDevice, LeaveTilesFromBlockToBlockOnSimt) {
  const auto schedule = nonzero_split<2>{.block_size = 1};
  expect_sizes_on_device<simt, int>(simt{}, schedule, sets_of_many_blocks(schedule), "nonzero_split");
}

/// A skeleton of the three required forms, to which others are lowered.
TEST(SizesOnTheDevice, AreFoundUnderAnySkeleton) {
  const simt exec({.seed = 4});
  const auto expect_matches = [&](const char* name, auto schedule) {
    schedule.block_size = 64;
    const auto sets = sets_to_bind(schedule);
    const capacity max_size = max_of_sets(sets);
    std::vector<int> offsets(static_cast<std::size_t>(max_size.tiles) + 1), first(offsets.size());
    int count = 0;
    auto plan = make_plan(exec, schedule, csr_tiles_on_device(offsets.data(), &count, max_size));
    for (const named_tiles& set : sets) {
      std::copy(set.offsets.begin(), set.offsets.end(), offsets.begin());
      count = static_cast<int>(set.offsets.size()) - 1;
      plan.rebind(plan.tiles());
      const auto is_match = [](int a) { return a % 7 == 3; };
      first_match(exec, plan, is_match, first.data());
      for (int t = 0; t < count; ++t) {
        int want = offsets[t];
        while (want < offsets[t + 1] && !is_match(want)) ++want;
        ASSERT_EQ(first[t], want) << "tile " << t << " of \"" << set.name << "\" under " << name;
      }
    }
  };
  expect_matches("merge_path", merge_path{});
  expect_matches("nonzero_split", nonzero_split{});
}

/// On executors whose blocks have threads, the same blocks as of an ordinary plan, so the same bits.
TEST(PlansOfSizesOnTheDevice, GiveTheBitsOfOthers) {
  std::vector<int> offsets{0};
  for (int t = 0; t < 900; ++t) offsets.push_back(offsets.back() + (t == 500 ? 30'000 : t % 40));
  int count = 900;
  const simt exec({.seed = 9});
  const auto one_over = [](int a) { return 1.0f / static_cast<float>(a + 1); };
  const auto sums_under = [&](auto plan) {
    std::vector<float> sums(900, -1);
    reduce_tiles(exec, plan, one_over, plus<float>{}, [to = sums.data()](int t, float sum) { to[t] = sum; });
    return sums;
  };
  for_each_kind_that_rebinds(128, [&](const char* name, const auto& schedule) {
    const auto sized = csr_tiles_on_device(offsets.data(), &count, {5000, 100'000});
    EXPECT_EQ(sums_under(make_plan(exec, schedule, csr_tiles(offsets))),
              sums_under(make_plan(exec, schedule, sized)))
        << name;
  });
}

} // namespace
} // namespace evenly::laws
