// SPDX-License-Identifier: Apache-2.0
// group_per_tile: the groups that the registry does not list, up to the largest block, on warps of 32 and of 64.

#include "evenly/schedules/group_per_tile.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/records.hpp"

namespace evenly {
namespace {

template <int G> void expect_teams() {
  const std::vector<int> sizes = mixed_sizes(60, 300, G);
  for (const int warp_size : {32, 64})
    for (const int block_size : {1, 96, 1024}) {
      SCOPED_TRACE("groups of " + std::to_string(G) + ", blocks of " + std::to_string(block_size) +
                   ", warps of " + std::to_string(warp_size));
      group_per_tile<G> schedule;
      schedule.block_size = block_size;
      const int size = team_size(G, {block_size, warp_size}), count = team_count(G, {block_size, warp_size});
      const records seen = record(schedule, sizes, warp_size);
      for (int a = 0; a < static_cast<int>(seen.atoms.size()); ++a) {
        const atom_record& each = seen.atoms[a];
        ASSERT_EQ(each.times, 1) << "atom " << a;
        ASSERT_EQ(each.tile, seen.tile_of(a)) << "atom " << a;
        ASSERT_EQ(each.block * count + each.thread / size, each.tile) << "atom " << a;
        ASSERT_EQ(each.thread % size, (a - seen.offsets[each.tile]) % size) << "atom " << a;
      }
    }
}

TEST(GroupPerTile, StridesOverATileWithEveryGroup) {
  expect_teams<1>();
  expect_teams<2>();
  expect_teams<4>();
  expect_teams<8>();
  expect_teams<16>();
  expect_teams<32>();
  expect_teams<64>();
  expect_teams<128>();
  expect_teams<256>();
  expect_teams<512>();
  expect_teams<1024>();
}

TEST(GroupPerTile, KeepsTheLawsWithGroupsOfSeveralWarps) {
  expect_laws(group_per_tile<64>{}, "group_per_tile<64>");
  expect_laws(group_per_tile<1024>{}, "group_per_tile<1024>");
}

} // namespace
} // namespace evenly
