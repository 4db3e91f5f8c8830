// SPDX-License-Identifier: Apache-2.0
// streamed: what the battery, whose scans go by tile and atom, does not run by chunks that are drawn: scans by
// functions of the atom, and values that are read in rows.

#include "evenly/schedules/streamed.hpp"

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/algorithms/values_of.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/work/csr.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"
#include "support/monoids.hpp"

namespace evenly::laws {
namespace {

struct store_to {
  std::int64_t* out;
  void operator()(int i, std::int64_t value) const { out[i] = value; }
};

/// Exclusive prefixes and sums of values[skip], ..., where rows of values are aligned and where they are not.
void expect_rows(const simt& exec, int block_size, const std::vector<int>& offsets, int skip) {
  const int atoms = offsets.back(), tiles = static_cast<int>(offsets.size()) - 1;
  std::vector<std::int64_t> values(skip + atoms), prefixes(atoms, -1), sums(tiles, -1), want(atoms),
      want_sums(tiles);
  for (int i = 0; i < skip + atoms; ++i) values[i] = static_cast<std::int64_t>(mixed(i) >> 24);
  for (int t = 0; t < tiles; ++t)
    for (int a = offsets[t]; a < offsets[t + 1]; ++a) {
      want[a] = want_sums[t];
      want_sums[t] += values[skip + a];
    }
  auto plan = make_plan(exec, streamed{block_size}, csr_tiles(offsets));
  const values_of map{values.data() + skip};
  scan_tiles_exclusive(exec, plan, map, plus<std::int64_t>{}, store_to{prefixes.data()});
  reduce_tiles(exec, plan, map, plus<std::int64_t>{}, store_to{sums.data()});
  EXPECT_EQ(prefixes, want);
  EXPECT_EQ(sums, want_sums);
}

class StreamedRuns : public testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, StreamedRuns,
                         testing::Values(std::tuple(1, 32, 0), std::tuple(2, 2, 1), std::tuple(7, 4, 2),
                                         std::tuple(32, 32, 3), std::tuple(33, 32, 4), std::tuple(96, 32, 5),
                                         std::tuple(100, 64, 6), std::tuple(512, 32, 7)));

TEST_P(StreamedRuns, KeepTheLaws) {
  const auto [block_size, warp_size, seed] = GetParam();
  const simt exec({.warp_size = warp_size, .seed = static_cast<std::uint64_t>(seed)});
  const streamed schedule{block_size};
  auto sets = adversarial_tile_sets(block_size * streamed_items);
  sets.push_back(random_runs(100, 10 * block_size, seed));
  for (const named_tiles& set : sets) {
    if (set.offsets.size() > 20'000) continue;
    SCOPED_TRACE(set.name);
    findings found;
    const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
    const auto tiles = csr_tiles(offsets);
    examination exam(exec, schedule, tiles, set.offsets, found);
    exam.scan_by_atom<affine_maps>();
    exam.float_prefixes();
    for (const violation& each : found.all()) ADD_FAILURE() << "law " << each.broken << ": " << each.what;
    if (offsets.front() == 0)
      for (const int skip : {0, 1}) expect_rows(exec, block_size, offsets, skip);
  }
}

struct throws_at_last {
  int last;
  std::int64_t operator()(int, int a) const {
    if (a == last) throw std::runtime_error("the last");
    return 1;
  }
};
struct one_by_both {
  std::int64_t operator()(int, int) const { return 1; }
};
struct one_of_64_bits {
  std::int64_t operator()(int) const { return 1; }
};

TEST(DrawnChunks, AndOtherRunsOfOnePlanLeaveEachOtherAlone) {
  const std::vector<int> offsets = {0, 100'000};
  const simt exec;
  auto plan = make_plan(exec, streamed{64}, csr_tiles(offsets));
  std::int64_t sum = -1;
  EXPECT_THROW(reduce_tiles(exec, plan, throws_at_last{99'999}, plus<std::int64_t>{}, store_to{&sum}),
               std::runtime_error);
  reduce_tiles(exec, plan, one_of_64_bits{}, plus<std::int64_t>{}, store_to{&sum});
  EXPECT_EQ(sum, 100'000);
  sum = -1;
  reduce_tiles(exec, plan, one_by_both{}, plus<std::int64_t>{}, store_to{&sum});
  EXPECT_EQ(sum, 100'000);
}

TEST(DrawnChunks, TakeWideTileNumbersAndLeaveOddValuesToOthers) {
  const std::vector<int> offsets = {0, 3, 3, 900, 901};
  const simt exec;
  std::vector<std::int64_t> sums(4, -1);
  struct store {
    std::int64_t* out;
    void operator()(std::int64_t t, std::int64_t v) const { out[t] = v; }
  };
  const csr_tile_set<int, std::int64_t> tiles(offsets.data(), 4);
  // Or blocks would not stay, and nothing would say so.
  static_assert(chunked_mapping<streamed_mapping<csr_tile_set<int, std::int64_t>>>);
  reduce_tiles(exec, streamed{64}, tiles, one_of_64_bits{}, plus<std::int64_t>{}, store{sums.data()});
  EXPECT_EQ(sums, (std::vector<std::int64_t>{3, 0, 897, 1}));
  static_assert(chunk_width<std::int64_t> == 2 && chunk_width<char[3]> == 0 && chunk_width<char[16]> == 0);
}

} // namespace
} // namespace evenly::laws
