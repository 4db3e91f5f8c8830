// SPDX-License-Identifier: Apache-2.0
// Groups whose size is given at run time: their positions in a block, and the results of skeletons for all sizes:
// powers of two and others, narrower and wider than a warp and than the block.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/expand.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/work/csr.hpp"
#include "schedules/records.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

static_assert(group_layout::of(group_size(3), {32, 8}).count == 8,
              "two groups of 3 in each of four warps of 8");
static_assert(group_layout::of(group_size(3), {30, 8}).count == 8, "and two in a last warp of 6");
static_assert(group_layout::of(group_size(12), {64, 8}).pitch == 16 &&
              group_layout::of(group_size(12), {64, 8}).count == 4);
static_assert(group_layout::of(group_size(12), {60, 8}).count == 4,
              "the last one has 12 of the 12 threads that are left");
static_assert(group_layout::of(group_size(100), {60, 8}).size == 60 &&
              group_layout::of(group_size(100), {60, 8}).count == 1);

TEST(GroupsOfAnySize, DivideWithoutADivision) {
  for (int threads = 1; threads <= 1024; ++threads)
    for (int value = 0; value <= 1024; ++value) {
      ASSERT_EQ(group_size(threads).quotient(value), value / threads);
      ASSERT_EQ(group_size(threads).remainder(value), value % threads);
    }
}

/// What each thread of a block says of its team.
struct ask_team {
  group_size group;
  int* index; ///< of each thread; -1 for those that belong to none
  int* rank;

  template <class Block> void operator()(Block& block) const {
    const team<any_size, Block> me(block, group);
    index[block.rank()] = me.has_thread() ? me.index() : -1;
    rank[block.rank()] = me.has_thread() ? me.rank() : -1;
  }
};

TEST(GroupsOfAnySize, LieInWarpsOrBeginWithOne) {
  for (const int block_size : {1, 7, 32, 60, 64, 100})
    for (const int warp : {1, 4, 8, 32})
      for (int group = 1; group <= 110; ++group) {
        const simt exec({.warp_size = warp, .threads = 1});
        std::vector<int> index(block_size), rank(block_size);
        launch(exec, {1, block_size}, ask_team{group_size(group), index.data(), rank.data()});
        const group_layout all = group_layout::of(group_size(group), {block_size, warp});
        std::vector<int> members(all.count);
        for (int r = 0; r < block_size; ++r) {
          if (index[r] < 0) continue;
          ASSERT_LT(index[r], all.count);
          ASSERT_EQ(rank[r], members[index[r]]++) << "ranks follow each other";
          const int first = r - rank[r];
          if (all.size > warp) {
            ASSERT_EQ(first % warp, 0) << "a wide group begins with a warp";
          } else {
            ASSERT_EQ(first / warp, (first + all.size - 1) / warp) << "a narrow group lies in a warp";
          }
        }
        for (const int each : members) ASSERT_EQ(each, all.size);
      }
}

/// Expansion, sums in order, sums in any order and prefixes of 500 tiles.
template <class Executor, class Schedule> void expect_right(const Executor& exec, Schedule schedule) {
  const std::vector<int> sizes = mixed_sizes(500, 90, 7);
  std::vector<int> offsets{0};
  for (const int size : sizes) offsets.push_back(offsets.back() + size);
  const int tiles = static_cast<int>(sizes.size()), atoms = offsets.back();
  const auto where =
      "group of " + std::to_string(schedule.group) + " in " + std::to_string(schedule.block_size);
  auto plan = make_plan(exec, schedule, csr_tiles(offsets));
  std::vector<int> tile_of(atoms, -1);
  expand(exec, plan, std::span<int>(tile_of));
  const matrices op;
  using value = matrices::value_type;
  std::vector<value> sums(tiles), prefixes(atoms);
  std::vector<std::int64_t> counts(tiles, -1);
  const auto map = [](int a) { return matrices::of(static_cast<std::uint64_t>(a)); };
  reduce_tiles(exec, plan, map, op, [to = sums.data()](int t, const value& v) { to[t] = v; });
  reduce_tiles(
      exec, plan, [](int a) { return std::int64_t{a}; }, plus<std::int64_t>{},
      [to = counts.data()](int t, std::int64_t v) { to[t] = v; });
  scan_tiles(exec, plan, map, op, [to = prefixes.data()](int a, const value& v) { to[a] = v; });
  for (int t = 0; t < tiles; ++t) {
    value sum = op.identity();
    std::int64_t count = 0;
    for (int a = offsets[t]; a < offsets[t + 1]; ++a) {
      sum = op(sum, map(a));
      count += a;
      ASSERT_EQ(tile_of[a], t) << where;
      ASSERT_EQ(prefixes[a], sum) << where << ", atom " << a;
    }
    ASSERT_EQ(sums[t], sum) << where << ", tile " << t;
    ASSERT_EQ(counts[t], count) << where << ", tile " << t;
  }
}

template <class Schedule> void expect_right_in_blocks() {
  for (const int block_size : {1, 33, 64, 100})
    for (const int group : {1, 3, 8, 17, 32, 33, 48, 96, 1024}) {
      Schedule schedule;
      schedule.block_size = block_size;
      schedule.group = group;
      for (const int warp : {4, 32}) expect_right(simt({.warp_size = warp}), schedule);
      if (block_size == 33) expect_right(cpu(2), schedule);
    }
}

TEST(GroupsOfAnySize, ServeGroupPerTile) { expect_right_in_blocks<group_per_tile<any_size>>(); }
TEST(GroupsOfAnySize, ServeGroupMapped) { expect_right_in_blocks<group_mapped<any_size>>(); }

TEST(GroupsOfAnySize, AreRefusedWhereABlockCannotHaveThem) {
  const std::vector<int> offsets{0, 2, 5};
  for (const int group : {0, -1, 1025}) {
    const auto words = "group = " + std::to_string(group) + ": a group has 1 to 1024 threads";
    const auto refused = [&](auto schedule) {
      schedule.group = group;
      EXPECT_EQ(message_of<invalid_argument>([&] { make_plan(simt(), schedule, csr_tiles(offsets)); }),
                words);
      EXPECT_EQ(message_of<invalid_argument>([&] { make_plan(cpu(), schedule, csr_tiles(offsets)); }), words);
    };
    refused(group_per_tile<any_size>{});
    refused(group_mapped<any_size>{});
  }
}

} // namespace
} // namespace evenly
