// SPDX-License-Identifier: Apache-2.0
// reduce_tiles and for_each_range on tiles return a value for each tile: on cpu and simt the same, the identity for
// tiles without atoms.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/segments.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {
namespace {

/// Of a tile the largest square of an atom's number modulo 7.
struct square {
  EVENLY_FN int operator()(int atom) const { return atom % 7 * (atom % 7); }
};
struct largest_square {
  template <class Range> EVENLY_FN void operator()(Range& range) const {
    for (const auto tile : range.tiles()) {
      int max = -1;
      for (const int atom : range.atoms(tile))
        if (square{}(atom) > max) max = square{}(atom);
      range.combine(tile, max);
    }
  }
};
const auto maximum_from_minus_one = monoid_of([](int a, int b) { return a < b ? b : a; }, -1);

std::vector<int> expected(const std::vector<int>& offsets) {
  std::vector<int> max(offsets.size() - 1, -1);
  for (std::size_t tile = 0; tile < max.size(); ++tile)
    for (int atom = offsets[tile]; atom < offsets[tile + 1]; ++atom)
      max[tile] = std::max(max[tile], square{}(atom));
  return max;
}

void are_right(const std::vector<int>& offsets) {
  const auto tiles = csr_tiles(offsets);
  const auto right = expected(offsets);
  const cpu exec(2);
  EXPECT_EQ(reduce_tiles(tiles, square{}, maximum_from_minus_one), right);
  EXPECT_EQ(reduce_tiles(tiles, square{}, maximum_from_minus_one, exec), right);
  EXPECT_EQ(reduce_tiles(tiles, square{}, maximum_from_minus_one, on(simt()).with(merge_path{})), right);
  EXPECT_EQ(for_each_range(tiles, largest_square{}, maximum_from_minus_one), right);
  EXPECT_EQ(for_each_range(tiles, largest_square{}, maximum_from_minus_one, exec), right);
  EXPECT_EQ(for_each_range(tiles, largest_square{}, maximum_from_minus_one, on(simt()).with(merge_path{})),
            right);
}

TEST(ReturnedValues, AreThoseOfTiles) { are_right({0, 3, 3, 4, 1000, 1000, 1002}); }
TEST(ReturnedValues, OfTilesWithoutAtomsAreIdentities) { are_right({5, 5, 5}); }
TEST(ReturnedValues, OfNoTilesAreNone) { are_right({0}); }

TEST(ReturnedValues, AreSumsByDefault) {
  const std::vector<int> offsets{0, 3, 3, 5};
  EXPECT_EQ(reduce_tiles(csr_tiles(offsets), square{}), (std::vector<int>{5, 0, 25}));
  EXPECT_EQ(reduce_tiles(csr_tiles(offsets), square{}, merge_path{}), (std::vector<int>{5, 0, 25}));
}

TEST(ReturnedValues, ComeUnderAPlan) {
  const std::vector<int> offsets{0, 3, 3, 5};
  auto plan = make_plan(csr_tiles(offsets));
  EXPECT_EQ(reduce_tiles(csr_tiles(offsets), square{}, plan), (std::vector<int>{5, 0, 25}));
}

} // namespace
} // namespace evenly
