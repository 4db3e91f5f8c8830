// SPDX-License-Identifier: Apache-2.0
// group_mapped: which group takes which tiles, for groups of a part of a warp, of several warps, and of a whole block.

#include "evenly/schedules/group_mapped.hpp"

#include <string>

#include <gtest/gtest.h>

#include "schedules/records.hpp"

namespace evenly {
namespace {

/// A group has as many tiles as threads, in order, and hands out whole batches.
template <int G> void expect_groups(int block_size, int warp_size, std::uint64_t seed) {
  SCOPED_TRACE("groups of " + std::to_string(G) + ", blocks of " + std::to_string(block_size) +
               ", warps of " + std::to_string(warp_size));
  group_mapped<G> schedule;
  schedule.block_size = block_size;
  const block_shape shape{block_size, warp_size};
  const int size = team_size(G, shape), in_groups = size * team_count(G, shape);
  const records seen = record(schedule, mixed_sizes(400, 90, seed), warp_size, seed);
  expect_whole_batches(seen, size);
  for (const atom_record& each : seen.atoms) {
    ASSERT_EQ(each.kind, shared_by::batch);
    ASSERT_EQ(each.group, G);
    ASSERT_EQ((each.block * in_groups + each.thread) / size, each.tile / size);
  }
}

TEST(GroupMapped, GivesAGroupAsManyTilesAsItHasThreads) {
  std::uint64_t seed = 0;
  for (const int warp_size : {1, 4, 32, 64})
    for (const int block_size : {1, 48, 64, 100}) {
      expect_groups<1>(block_size, warp_size, ++seed);
      expect_groups<4>(block_size, warp_size, ++seed);
      expect_groups<32>(block_size, warp_size, ++seed);
      expect_groups<64>(block_size, warp_size, ++seed);
      expect_groups<whole_block>(block_size, warp_size, ++seed);
    }
}

TEST(GroupMapped, SaysItsGroup) {
  const auto group = [](const auto& schedule) {
    int found = 0;
    schedule.parameters([&](const std::string& name, int value) {
      if (name == "group") found = value;
    });
    return found;
  };
  EXPECT_EQ(group(group_mapped<8>{}), 8);
  EXPECT_EQ(group(group_mapped<whole_block>{96}), 96);
}

TEST(GroupMapped, KeepsTheLaws) {
  expect_laws(group_mapped<1>{}, "group_mapped<1>");
  expect_laws(group_mapped<8>{}, "group_mapped<8>");
  expect_laws(group_mapped<64>{}, "group_mapped<64>");
  expect_laws(group_mapped<whole_block>{}, "group_mapped<whole_block>");
}

} // namespace
} // namespace evenly
