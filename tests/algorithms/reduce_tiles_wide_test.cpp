// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide on the CPU: its laws under every schedule, refusals, and memory.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/reduce_wide_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

constexpr std::int64_t chunk = 4096; // what a block of the CPU gets at least

named_tiles some_tiles(std::uint64_t seed) { return random_runs(60, chunk, seed); }

TEST(ReduceTilesWide, HoldsUnderEveryScheduleOnCpu) {
  std::size_t salt = 0;
  for_each_schedule_on<cpu>([&](const char* name, const auto& schedule) {
    for (const int threads : {1, 3})
      for (const std::uint64_t seed : {1, 2, 3})
        expect_rows_of<short_maps, false, int>(cpu(threads), schedule, some_tiles(seed),
                                               widths[salt++ % std::size(widths)], name);
  });
}

TEST(ReduceTilesWide, HoldsOnAdversarialTileSetsOnCpu) {
  std::size_t salt = 0;
  for_each_form_on<cpu>([&](const char* name, const auto& schedule) {
    for (const named_tiles& set : adversarial_tile_sets(chunk))
      expect_rows_of<short_maps, false, int>(cpu(2), schedule, set, widths[salt++ % 4], name);
  });
}

/// Panels of 64, 32, 21 and 12 columns; and the functions that take a tile.
TEST(ReduceTilesWide, HoldsForValuesOfAnySizeOnCpu) {
  const auto expect_all = [](const char* name, const auto& schedule) {
    for (const int width : {2, 33, 100, 130}) {
      expect_rows_of<affine_maps, true, std::int64_t>(cpu(3), schedule, some_tiles(4), width, name);
      expect_rows_of<matrices, true, std::int64_t>(cpu(3), schedule, some_tiles(4), width, name);
    }
  };
  expect_all("merge_path", merge_path{});
  expect_all("binned", binned{});
}

/// Numbers of atoms that 32 bits do not hold.
TEST(ReduceTilesWide, HoldsBeyond32BitsOnCpu) {
  named_tiles set = some_tiles(6);
  for (std::int64_t& each : set.offsets) each += std::int64_t{1} << 33;
  expect_rows_of<stretches, false, std::int64_t>(cpu(3), merge_path{}, set, 7, "merge_path");
  expect_rows_of<stretches, false, std::int64_t>(cpu(3), two_phase{}, set, 7, "two_phase");
}

TEST(ReduceTilesWide, FindsSizesOnTheDeviceOnCpu) {
  const std::vector sets{some_tiles(1), tile_sizes().named("no tiles"),
                         tile_sizes().add(0).named("one empty tile"),
                         tile_sizes().add(9 * chunk).add(3, 0).named("a giant"), some_tiles(2)};
  expect_rows_of_device_sizes(cpu(3), merge_path{}, sets, 33, "merge_path");
  expect_rows_of_device_sizes(cpu(3), nonzero_split{}, sets, 100, "nonzero_split");
  expect_rows_of_device_sizes(cpu(3), thread_mapped{}, sets, 7, "thread_mapped");
}

float one_over(int a, int column) { return 1.0f / static_cast<float>(a + column + 1); }

/// Float sums of a plan, in any number of runs.
TEST(ReduceTilesWide, RepeatsBits) {
  const std::vector<int> offsets{0, 3, 3, 100'000, 100'001, 150'000};
  constexpr int width = 70;
  auto plan = make_plan(cpu(3), merge_path{}, csr_tiles(offsets));
  std::vector<float> first;
  for (int run = 0; run < 5; ++run) {
    std::vector<float> sums(5 * width);
    reduce_tiles_wide(
        cpu(3), plan, width, [](int a, int column) { return one_over(a, column); }, plus<float>{},
        [to = sums.data()](int t, int column, float sum) { to[t * width + column] = sum; });
    if (run == 0) first = sums;
    EXPECT_EQ(sums, first) << "run " << run;
  }
}

TEST(ReduceTilesWide, RefusesWidthsThatNoRowHas) {
  const std::vector<int> offsets{0, 1};
  const auto run = [&](int width) {
    return [&offsets, width] {
      reduce_tiles_wide(
          cpu(1), merge_path{}, csr_tiles(offsets), width, [](int, int) { return 1; }, plus<int>{},
          [](int, int, int) {});
    };
  };
  EXPECT_EQ(message_of<invalid_argument>(run(0)), "width = 0: a row has 1 to 1073741824 columns");
  EXPECT_EQ(message_of<invalid_argument>(run(-7)), "width = -7: a row has 1 to 1073741824 columns");
  EXPECT_EQ(message_of<invalid_argument>(run(std::numeric_limits<int>::max())),
            "width = 2147483647: a row has 1 to 1073741824 columns");
}

TEST(ReduceTilesWide, RefusesMorePanelsThanAGridHasBlocks) {
  std::vector<int> offsets(1'000'000, 0);
  auto plan = make_plan(cpu(4), merge_path{}, csr_tiles(offsets));
  const std::string message = message_of<invalid_argument>([&] {
    reduce_tiles_wide(cpu(4), plan, 1 << 30, [](int, int) { return 1; }, plus<int>{}, [](int, int, int) {});
  });
  EXPECT_TRUE(contains(message, "blocks exceed the maximum of a grid (2147483647)")) << message;
}

/// What map throws reaches the caller, and the plan can be used again.
TEST(ReduceTilesWide, RethrowsWhatAMapThrows) {
  const named_tiles set = some_tiles(5);
  const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
  auto plan = make_plan(cpu(3), merge_path{}, csr_tiles(offsets));
  const auto broken = [last = offsets.back() - 1](int a, int column) {
    if (a == last && column == 3) throw error("the last atom, column 3");
    return one_over(a, column);
  };
  const auto drop = [](int, int, float) {};
  const auto run = [&] { reduce_tiles_wide(cpu(3), plan, 5, broken, plus<float>{}, drop); };
  EXPECT_EQ(message_of<error>(run), "the last atom, column 3");
  const row_notes<short_maps, cpu> rows(cpu(3), offsets.size() - 1, 5);
  reduce_tiles_wide(cpu(3), plan, 5, value_of_column<short_maps, int>{}, short_maps{}, rows.store<int>());
  rows.judge(set.offsets, 1, "after an exception");
}

/// Rows that are left to other blocks need memory, which may be taken before.
TEST(ReduceTilesWide, AllocatesNothingThatWasReserved) {
  counting_resource memory;
  const cpu exec(3, &memory);
  const named_tiles set = some_tiles(8);
  const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
  auto plan = make_plan(exec, merge_path{}, csr_tiles(offsets));
  plan.reserve(reduces_wide<double>{200});
  const int before = memory.allocations;
  for (const int width : {1, 64, 65, 130, 200})
    reduce_tiles_wide(
        exec, plan, width, [](int a, int column) -> double { return a + column; }, plus<double>{},
        [](int, int, double) {});
  EXPECT_EQ(memory.allocations, before);
}

} // namespace
} // namespace evenly::laws
