// SPDX-License-Identifier: Apache-2.0
// Plans of sources of tiles: the tile set is made in the plan's own memory, and made again when it is bound.

#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/sized_tiles.hpp"
#include "evenly/work/tile_list.hpp"
#include "support/counting_resource.hpp"
#include "support/counts_waits.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

struct one {
  int operator()(int) const { return 1; }
};
struct keep_count {
  int* to;
  void operator()(int t, int count) const { to[t] = count; }
};

/// How many atoms each tile has: up to six tiles, -1 behind the last.
template <class Executor, class Plan> std::vector<int> counts(const Executor& exec, Plan& plan) {
  std::vector<int> all(6, -1);
  reduce_tiles(exec, plan, one{}, plus<int>{}, keep_count{all.data()});
  return all;
}

struct source_plans : testing::Test {
  const std::vector<int> offsets{0, 3, 3, 60};
  csr_tile_set<int> of = csr_tiles(offsets);
  const std::vector<int> list{2, 0, 2, 1, 0};
  int waits = 0;
  counting_resource memory;
  counts_waits exec{&waits, &memory};
};

TEST_F(source_plans, AreCheckedAndBoundToOthers) {
  auto plan = make_plan(exec, merge_path{}, tile_list(of, list.data(), 2), capacity{5, 200});
  EXPECT_EQ(plan.atoms(), 60);
  EXPECT_EQ(counts(exec, plan), (std::vector{57, 3, -1, -1, -1, -1}));
  plan.rebind(tile_list(of, list.data(), 5));
  EXPECT_EQ(plan.atoms(), 120);
  EXPECT_EQ(counts(exec, plan), (std::vector{57, 3, 57, 0, 3, -1}));
  plan.rebind(tile_list(of, list.data(), 0));
  EXPECT_EQ(counts(exec, plan), std::vector<int>(6, -1));
  EXPECT_EQ(message_of<invalid_argument>([&] { plan.rebind(tile_list(of, list.data(), 6)); }),
            "the plan has room for 24 bytes of offsets, but needs 28: make it with a larger "
            "capacity{tiles, atoms}");
  const std::vector<int> bad{0, 3};
  EXPECT_EQ(
      message_of<invalid_argument>([&] { make_plan(exec, merge_path{}, tile_list(of, bad.data(), 2)); }),
      "list[1] = 3 is not a tile of the listed set");
}

TEST_F(source_plans, OfKnownAtomsNeitherWaitNorAllocateWhenBound) {
  const std::vector<int> sizes{4, 0, 9}, others{1, 1, 1, 1};
  auto plan = make_plan(exec, merge_path{}, assume_valid(sized_tiles(sizes), 13), capacity{4, 20});
  plan.reserve(reduces<int>{});
  const int before = memory.allocations;
  EXPECT_EQ(counts(exec, plan), (std::vector{4, 0, 9, -1, -1, -1}));
  plan.rebind(assume_valid(sized_tiles(others), 4));
  EXPECT_EQ(counts(exec, plan), (std::vector{1, 1, 1, 1, -1, -1}));
  EXPECT_EQ(memory.allocations, before);
  EXPECT_EQ(waits, 0);
  plan.rebind(sized_tiles(sizes));
  EXPECT_EQ(waits, 1);
  EXPECT_EQ(plan.atoms(), 13);
}

TEST_F(source_plans, OfSizesOnTheDeviceNeverWait) {
  int count = 0;
  const auto frontier = tile_list(of, list.data(), &count, {5, 120});
  auto plan = make_plan(exec, merge_path{}, frontier);
  plan.reserve(reduces<int>{});
  const int before = memory.allocations;
  EXPECT_EQ(counts(exec, plan), std::vector<int>(6, -1));
  count = 3;
  plan.rebind(frontier);
  EXPECT_EQ(counts(exec, plan), (std::vector{57, 3, 57, -1, -1, -1}));
  count = 5;
  plan.rebind(frontier);
  EXPECT_EQ(counts(exec, plan), (std::vector{57, 3, 57, 0, 3, -1}));
  EXPECT_EQ(memory.allocations, before);
  EXPECT_EQ(waits, 0);
  count = 6;
  plan.rebind(frontier);
  EXPECT_EQ(message_of<invalid_argument>([&] { plan.read_sizes(exec); }),
            "the plan has room for 5 tiles, but there are 6: make it with a larger capacity{tiles, atoms}");
}

TEST_F(source_plans, HaveRoomForScansOfAsManyTilesAsWasStated) {
  const std::vector<int> few(10, 1), many(200000, 1);
  auto plan = make_plan(exec, merge_path{}, sized_tiles(few), capacity{200000, 200000});
  const int before = memory.allocations;
  plan.rebind(assume_valid(sized_tiles(many), 200000));
  EXPECT_EQ(plan.atoms(), 200000);
  EXPECT_EQ(memory.allocations, before);
}

TEST_F(source_plans, ArePlannedAndRunInOneCall) {
  const std::vector<int> sizes{4, 0, 9};
  std::vector<int> all(3, -1);
  reduce_tiles(exec, thread_mapped{}, sized_tiles(sizes), one{}, plus<int>{}, keep_count{all.data()});
  EXPECT_EQ(all, sizes);
  reduce_tiles(exec, thread_mapped{}, assume_valid(sized_tiles(sizes), 13), one{}, plus<int>{},
               keep_count{all.data()});
  EXPECT_EQ(all, sizes);
}

TEST_F(source_plans, AreMoved) {
  auto plan = make_plan(exec, merge_path{}, tile_list(of, list.data(), 2));
  auto moved = std::move(plan);
  EXPECT_EQ(counts(exec, moved), (std::vector{57, 3, -1, -1, -1, -1}));
}

} // namespace
} // namespace evenly
