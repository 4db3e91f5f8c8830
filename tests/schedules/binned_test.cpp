// SPDX-License-Identifier: Apache-2.0
// binned: the bin of each size, the group of each bin, and the threads of each tile.

#include "evenly/schedules/binned.hpp"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "schedules/records.hpp"
#include "schedules/shares.hpp"
#include "support/counting_resource.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

TEST(SizeBins, HoldTheSizesUpToAPowerOfTwo) {
  EXPECT_EQ(size_bins::of(0), 0);
  const std::vector<std::pair<std::int64_t, int>> bins = {{1, 1}, {2, 2}, {3, 3}, {4, 3},
                                                          {5, 4}, {8, 4}, {9, 5}};
  for (const auto& [size, bin] : bins) EXPECT_EQ(size_bins::of(size), bin) << size;
  for (int bin = 1; bin <= 63; ++bin) {
    EXPECT_EQ(size_bins::of(size_bins::max_atoms_of(bin)), bin);
    EXPECT_EQ(size_bins::of(size_bins::above(bin) + 1), bin);
    EXPECT_EQ(size_bins::above(bin + 1), size_bins::max_atoms_of(bin));
  }
  EXPECT_EQ(size_bins::of(std::numeric_limits<std::int64_t>::max()), size_bins::count - 1);
}

TEST(Binned, GivesABinAFittingGroup) {
  const std::vector<std::pair<int, int>> group_of_size = {{1, 1},
                                                          {4, 1},
                                                          {5, 2},
                                                          {8, 2},
                                                          {16, 4},
                                                          {32, 8},
                                                          {64, 16},
                                                          {65, 32},
                                                          {128, 32},
                                                          {1024, 32},
                                                          {1025, whole_block}};
  for (const auto& [size, group] : group_of_size)
    EXPECT_EQ(size_bins::group_for(size_bins::of(size)), group) << size;
}

/// Sizes of all kinds in no order, giants among them.
std::vector<int> many_sizes() {
  std::vector<int> sizes;
  for (std::uint64_t i = 0; i < 3000; ++i)
    sizes.push_back(static_cast<int>(mixed(i) % (std::uint64_t{1} << mixed(i + 10'000) % 8)));
  for (const int large : {257, 300, 500, 1024, 1025, 1500, 2048, 2049, 5000, 40'000})
    sizes[mixed(large) % 3000] = large;
  return sizes;
}

TEST(Binned, GivesEachTileTheGroupOfItsBinAndCutsGiants) {
  const std::vector<int> sizes = many_sizes();
  const shares seen = share_out(simt(), binned{}, sizes, 2048);
  int giants = 0;
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const share& s = seen.of_tile[t][0];
    if (sizes[t] == 0) {
      EXPECT_EQ(s.kind, share::empty) << t;
    } else if (sizes[t] > 2048) {
      EXPECT_EQ(s.kind, share::piece) << t;
      EXPECT_EQ(static_cast<int>(seen.of_tile[t].size()), ceil_div(sizes[t], 2048)) << t;
      ++giants;
    } else {
      EXPECT_EQ(s.kind, share::team) << t;
      EXPECT_EQ(s.group, size_bins::group_for(size_bins::of(sizes[t]))) << t;
    }
  }
  EXPECT_EQ(giants, 3);
  EXPECT_EQ(seen.cutting, 2 + 3 + 20);
}

/// Where a tile's bin stands in the launch: the larger, the earlier.
int stage(int size) {
  if (size == 0) return 8;
  if (size > 2048) return 0;
  const int group = size_bins::group_for(size_bins::of(size));
  return group == whole_block ? 1 : 7 - (last_lane(static_cast<lane_mask>(group)));
}

TEST(Binned, StartsWithLargeTilesAndKeepsTheOrderWithinABin) {
  const std::vector<int> sizes = many_sizes();
  const shares seen = share_out(simt(), binned{}, sizes, 2048);
  std::vector<int> first(9, seen.blocks), last(9, -1);
  std::vector<std::pair<int, int>> latest(size_bins::count, {-1, -1});
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const share& s = seen.of_tile[t][0];
    const int at = stage(sizes[t]);
    first[at] = smaller(first[at], s.block);
    last[at] = larger(last[at], seen.of_tile[t].back().block);
    if (s.kind == share::empty) continue;
    auto& before = latest[size_bins::of(sizes[t])];
    EXPECT_LT(before, std::pair(s.block, s.thread)) << t;
    before = {s.block, s.thread};
  }
  EXPECT_EQ(first[0], 0);
  for (int at = 1; at < 9; ++at) EXPECT_EQ(first[at], last[at - 1] + 1) << at;
  EXPECT_EQ(last[8], seen.blocks - 1);
}

TEST(Binned, OnCpuGivesABlockAsManyTilesAsTheirSizeAllows) {
  std::vector<int> sizes(5000, 2);
  sizes.resize(5100, 1000);
  sizes.resize(9000, 0);
  sizes.push_back(9000); // above 8192, more than the 4096 that a block gets at least
  const shares seen = share_out(cpu(1), binned{}, sizes, 4096);
  EXPECT_EQ(seen.cutting, 3);
  std::vector<int> tiles_of(seen.blocks);
  for (const auto& parts : seen.of_tile) ++tiles_of[parts[0].block];
  std::vector<int> want = {1, 0, 0};
  want.insert(want.end(), 25, 4); // 1000 counts as 1024
  want.insert(want.end(), {2048, 2048, 5000 - 4096, 3900});
  EXPECT_EQ(tiles_of, want);
}

TEST(Binned, KeepsANumberForEachTileAndEightBytesForEachPiece) {
  counting_resource memory;
  const simt exec({}, &memory);
  std::vector<int> offsets = {0};
  for (int t = 0; t < 1000; ++t) offsets.push_back(offsets.back() + 3);
  offsets.push_back(offsets.back() + 3 * 2048 - 5);
  const auto plan = make_plan(exec, binned{}, csr_tiles(offsets));
  EXPECT_EQ(memory.bytes_out, 1001 * sizeof(int) + 3 * 8);
}

TEST(Binned, KeepsTheLaws) { expect_laws(binned{}, "binned"); }

} // namespace
} // namespace evenly
