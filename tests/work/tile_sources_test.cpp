// SPDX-License-Identifier: Apache-2.0
// Tile sets made of sources (tile_sources_laws.hpp), on the CPU and on the simulated GPU, and what cannot be one.

#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "work/tile_sources_laws.hpp"

namespace evenly::laws {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(OnCpu, TileSources, cpu);

TEST(TileSourcesRefuse, CountsThatCannotBe) {
  const std::vector<int> list = {0};
  const auto rows = uniform_tiles(3, 2);
  const int count = 1;
  const auto* nothing = static_cast<const int*>(nullptr);
  EXPECT_EQ(refusal_of([&] { tile_list(rows, list.data(), -1); }),
            "count = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { tile_list(rows, nothing, 2); }), "list is null, but must have 2 tiles");
  EXPECT_EQ(refusal_of([&] { tile_list(rows, list.data(), nothing, {1, 1}); }),
            "count is null: it must point to the number of tiles on the device");
  EXPECT_EQ(refusal_of([&] { tile_list(rows, list.data(), &count, {-1, 1}); }),
            "capacity.tiles = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { tile_list(rows, list.data(), &count, {1, -1}); }),
            "capacity.atoms = -1: must be from 0 to 9223372036854775807, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { sized_tiles(nothing, &count, {4, 1}); }),
            "sizes is null, but must have 4 elements");
  EXPECT_EQ(refusal_of([&] { sized_tiles(std::span(nothing, 4)); }),
            "sizes is null, but must have 4 elements");
}

TEST(TileSourcesRefuse, PiecesThatCannotBe) {
  const auto rows = uniform_tiles(3, 2);
  EXPECT_EQ(refusal_of([&] { chunked(rows, 0); }), "atoms_of_piece = 0: must be at least 1");
  EXPECT_EQ(refusal_of([&] { chunked(rows, 4, -1); }),
            "max_atoms = -1: must be from 0 to 2147483647, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { chunked(rows, 1, 2147483647); }),
            "pieces of 1 atoms may be 2147483647 + 3: the tile type numbers 2147483646");
}

static_assert(tile_set<scanned<sized_tile_source<int, int, count_on_host<int>>>>);
static_assert(!sized_on_device<scanned<sized_tile_source<int, int, count_on_host<int>>>>);
static_assert(sized_on_device<scanned<sized_tile_source<int, int, count_on_device<int, int>>>>);
static_assert(sized_on_device<chunked_tile_set<uniform_tile_set<int>>>);

INSTANTIATE_TYPED_TEST_SUITE_P(OnSimt, TileSources, simt);

} // namespace
} // namespace evenly::laws
