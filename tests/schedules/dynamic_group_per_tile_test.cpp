// SPDX-License-Identifier: Apache-2.0
// dynamic_group_per_tile: the group that a plan chooses, the tiles outside it, and their processing.

#include "evenly/schedules/dynamic_group_per_tile.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "schedules/records.hpp"
#include "schedules/shares.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

TEST(DynamicGroupPerTile, ChoosesAGroupByTheAverageSize) {
  const std::vector<std::pair<std::int64_t, int>> group_of_size = {
      {0, 2},  {1, 2},   {8, 2},    {15, 2},   {16, 4},      {27, 4},
      {32, 8}, {96, 16}, {127, 16}, {128, 32}, {100'000, 32}};
  for (const auto& [size, group] : group_of_size) {
    EXPECT_EQ(dynamic_group_per_tile::group_for(1000, size * 1000), group) << size;
    EXPECT_EQ(dynamic_group_per_tile::group_for(std::int64_t{1} << 40, size << 40), group) << size;
  }
  EXPECT_EQ(dynamic_group_per_tile::group_for(0, 0), 2);
}

TEST(DynamicGroupPerTile, UsesTheGroupThatItChose) {
  const simt exec;
  for (const auto& [size, group] : {std::pair{5, 2}, {17, 4}, {50, 8}, {70, 16}, {200, 32}}) {
    std::vector<int> sizes(300, size);
    sizes[7] = 0;
    const shares seen = share_out(exec, dynamic_group_per_tile{}, sizes, 0);
    EXPECT_EQ(seen.blocks, ceil_div(300, 128 / group));
    EXPECT_EQ(seen.cutting, 0);
    for (int t = 0; t < 300; ++t) {
      ASSERT_EQ(seen.of_tile[t].size(), 1u);
      const share& only = seen.of_tile[t][0];
      EXPECT_EQ(only.group, group);
      EXPECT_EQ(only.block, t / (128 / group));
      EXPECT_EQ(only.thread, t % (128 / group) * group);
    }
  }
}

/// Some tiles of `at` atoms and one more among short ones: only the latter are cut.
template <class Executor>
void expect_cut_above(const Executor& exec, const dynamic_group_per_tile& schedule, int at, int piece) {
  std::vector<int> sizes(20'000, 1);
  for (const int t : {0, 77, 5000}) sizes[t] = at;
  for (const int t : {1, 400, 19'999}) sizes[t] = at + 1;
  sizes[500] = 5 * piece + at;
  sizes[501] = 0;
  const shares seen = share_out(exec, schedule, sizes, piece);
  int expected = 0;
  for (int t = 0; t < 20'000; ++t) {
    const auto& of_tile = seen.of_tile[t];
    const int pieces = sizes[t] > at ? ceil_div(sizes[t], piece) : 0;
    EXPECT_EQ(of_tile[0].kind, pieces > 0 ? share::piece : sizes[t] > 0 ? share::team : share::empty) << t;
    EXPECT_EQ(static_cast<int>(of_tile.size()), larger(pieces, 1)) << t;
    if (pieces > 0) {
      EXPECT_EQ(of_tile[0].block, expected) << t; // one tile after the other
    }
    expected += pieces;
  }
  EXPECT_EQ(seen.cutting, expected);
}

TEST(DynamicGroupPerTile, CutsTilesAboveTheThreshold) {
  const simt exec;
  expect_cut_above(exec, {}, 64, 2048); // 32 rounds of a group of two
  expect_cut_above(exec, {.block_size = 32}, 64, 512);
  expect_cut_above(exec, {.block_size = 128, .long_tile = 5000}, 5000, 2048);
  expect_cut_above(exec, {.block_size = 100, .long_tile = 1}, 1, 1600);
  expect_cut_above(cpu(2), {}, 4096, 4096); // the least that a block gets
  expect_cut_above(cpu(2), {.long_tile = 100}, 100, 4096);
}

TEST(DynamicGroupPerTile, RaisesTheThresholdWithTheGroup) {
  const dynamic_group_per_tile schedule;
  EXPECT_EQ(schedule.threshold(simt(), 1000, 8000), 64);
  EXPECT_EQ(schedule.threshold(simt(), 1000, 90'000), 512);
  EXPECT_EQ(schedule.threshold(simt(), 1000, 1'000'000), 1024);
  EXPECT_EQ((dynamic_group_per_tile{128, 7}.threshold(simt(), 1000, 1'000'000)), 7);
  EXPECT_EQ(schedule.threshold(cpu(1), 1000, 1 << 20), 1 << 15);
}

TEST(DynamicGroupPerTile, CutsATileOfMoreThan32BitsOfAtoms) {
  // With the schedule's piece this would be millions of blocks; only the table is looked at.
  using tiles = csr_tile_set<std::int64_t>;
  const std::int64_t first = std::int64_t{1} << 33, size = (std::int64_t{1} << 40) + 3, piece = 1 << 30;
  const std::vector<std::int64_t> offsets = {first, first + 7, first + 7 + size};
  const std::vector<int> list = {1};
  const tiles two(offsets.data(), 2);
  const auto [table, memory] = cut_into_pieces(cpu(1), two, list.data(), 1, piece);
  ASSERT_EQ(table.count, 1025);
  for (const int i : {0, 1, 700, 1023, 1024}) {
    const auto part = table.part(two, i);
    EXPECT_EQ(part.tile, 1);
    EXPECT_EQ(part.begin, offsets[1] + i * piece);
    EXPECT_EQ(part.end, i == 1024 ? offsets[2] : part.begin + piece);
    EXPECT_EQ(part.first, i == 0);
    EXPECT_EQ(part.last, i == 1024);
  }
}

TEST(DynamicGroupPerTile, NamesItsParametersAndRefusesANegativeThreshold) {
  std::string said;
  dynamic_group_per_tile{64, 500}.parameters(
      [&](const std::string& name, std::int64_t value) { said += name + " " + std::to_string(value) + ","; });
  EXPECT_EQ(said, "block_size 64,long_tile 500,");
  const std::vector<int> offsets = {0, 10};
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { make_plan(cpu(1), dynamic_group_per_tile{128, -1}, csr_tiles(offsets)); }),
            "long_tile = -1: must not be negative");
}

TEST(DynamicGroupPerTile, KeepsTheLaws) {
  expect_laws(dynamic_group_per_tile{}, "dynamic_group_per_tile");
  expect_laws(dynamic_group_per_tile{.long_tile = 20}, "dynamic_group_per_tile above 20");
}

} // namespace
} // namespace evenly
