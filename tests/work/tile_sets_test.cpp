// SPDX-License-Identifier: Apache-2.0
// The adapters: the facts that they report of their tiles, and refusals.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "evenly/work/uniform.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

/// The laws of tile_set.hpp.
template <tile_set Tiles> void expect_laws(const Tiles& tiles) {
  for (tile_type<Tiles> t = 0; t < tiles.tiles(); ++t) {
    EXPECT_LE(tiles.begin(t), tiles.end(t));
    if (t + 1 < tiles.tiles()) {
      EXPECT_EQ(tiles.end(t), tiles.begin(t + 1));
    }
    if constexpr (requires { tiles.tile_of(tiles.begin(t)); }) {
      for (auto k = tiles.begin(t); k < tiles.end(t); ++k) EXPECT_EQ(tiles.tile_of(k), t) << "atom " << k;
    }
  }
}

TEST(Csr, TilesLieBetweenOffsets) {
  const std::vector<int> offsets = {3, 3, 7, 8};
  const auto tiles = csr_tiles(offsets);
  static_assert(std::is_same_v<decltype(tiles), const csr_tile_set<int>>);
  EXPECT_EQ(tiles.tiles(), 3);
  EXPECT_EQ(tiles.begin(0), 3);
  EXPECT_EQ(tiles.end(0), 3);
  EXPECT_EQ(tiles.begin(1), 3);
  EXPECT_EQ(tiles.end(2), 8);
  expect_laws(tiles);
}

TEST(Csr, TakesSpansAndContainersOfEitherWidth) {
  std::vector<std::int64_t> wide = {0, std::int64_t{1} << 40};
  static_assert(std::is_same_v<decltype(csr_tiles(wide)), csr_tile_set<std::int64_t>>);
  EXPECT_EQ(csr_tiles(wide).end(0), std::int64_t{1} << 40);
  EXPECT_EQ(csr_tiles(std::span(wide)).tiles(), 1);
  EXPECT_EQ(csr_tiles(std::span<const std::int64_t>(wide)).tiles(), 1);
  const std::vector<int> none = {5};
  EXPECT_EQ(csr_tiles(none).tiles(), 0);
}

TEST(Csr, RefusesNoOffsets) {
  EXPECT_EQ(message_of<invalid_argument>([] { csr_tiles(std::span<const int>{}); }),
            "offsets must hold tiles + 1 values, got 0 values");
}

TEST(Csr, RefusesMoreTilesThanCanBeNumbered) {
  // Nothing is read, so the span may claim what it likes.
  const int one = 0;
  const std::size_t max = std::numeric_limits<int>::max();
  EXPECT_EQ(csr_tiles(std::span<const int>(&one, max)).tiles(), std::numeric_limits<int>::max() - 1);
  EXPECT_EQ(message_of<invalid_argument>([&] { csr_tiles(std::span<const int>(&one, max + 2)); }),
            "2147483648 tiles overflow a 32-bit tile number");
  EXPECT_THROW(csr_tiles(std::span<const int>(&one, max + 1)), invalid_argument);
}

TEST(Uniform, TilesHaveOneSize) {
  const auto tiles = uniform_tiles(4, 3);
  EXPECT_EQ(tiles.tiles(), 4);
  EXPECT_EQ(tiles.begin(2), 6);
  EXPECT_EQ(tiles.end(2), 9);
  expect_laws(tiles);
  expect_laws(uniform_tiles(5, 0));
  expect_laws(uniform_tiles(0, 5));
}

TEST(Uniform, CountsAtomsWithTheirOwnType) {
  const auto tiles = uniform_tiles<std::int64_t>(1'000'000, std::int64_t{1'000'000});
  static_assert(std::is_same_v<tile_type<decltype(tiles)>, int>);
  EXPECT_EQ(tiles.begin(999'999), 999'999'000'000);
}

TEST(Uniform, RefusesNegativeNumbersAndOverflow) {
  EXPECT_EQ(message_of<invalid_argument>([] { uniform_tiles(-1, 3); }), "tiles = -1: must not be negative");
  EXPECT_EQ(message_of<invalid_argument>([] { uniform_tiles(1, -3); }), "size = -3: must not be negative");
  EXPECT_EQ(message_of<invalid_argument>([] { uniform_tiles(50'000, 50'000); }),
            "50000 tiles of 50000 atoms overflow the atom type: use uniform_tiles<std::int64_t>");
  EXPECT_NO_THROW(uniform_tiles(1, std::numeric_limits<int>::max()));
  EXPECT_NO_THROW(uniform_tiles(std::numeric_limits<int>::max(), 1));
  EXPECT_THROW(uniform_tiles(2, std::numeric_limits<int>::max()), invalid_argument);
  EXPECT_THROW((uniform_tiles<int, std::int64_t>(std::int64_t{1} << 40, 1)), invalid_argument);
}

TEST(SizesOnTheHost, AreTilesAndSometimesAtoms) {
  static_assert(!sized_on_device<csr_tile_set<int>> && !counted_on_host<csr_tile_set<int>>);
  static_assert(!sized_on_device<uniform_tile_set<int>> && counted_on_host<uniform_tile_set<int>>);
  static_assert(sized_on_device<csr_tile_set_on_device<int>> &&
                !counted_on_host<csr_tile_set_on_device<int>>);
  EXPECT_EQ(uniform_tiles<std::int64_t>(3, std::int64_t{1} << 40).atoms(), std::int64_t{3} << 40);
  EXPECT_EQ(uniform_tiles(7, 6).first_atom(), 0);
  EXPECT_EQ(max_tiles(uniform_tiles(7, 6)), 7);
}

TEST(CsrOnDevice, ReadsItsNumberOfTiles) {
  const std::vector<std::int64_t> offsets = {3, 3, 7, 8};
  int count = 3;
  const auto tiles = csr_tiles_on_device(offsets.data(), &count, {5, 100});
  expect_laws(tiles);
  EXPECT_EQ(tiles.tiles(), 3);
  EXPECT_EQ(tiles.end(2), 8);
  count = 1;
  EXPECT_EQ(tiles.tiles(), 1);
  EXPECT_EQ(max_tiles(tiles), 5);
  EXPECT_EQ(tiles.max_atoms(), 100);
}

TEST(CsrOnDevice, RefusesWhatCannotBe) {
  const int offsets = 0, count = 0;
  const auto refusal = [&](const int* at, const int* number, const capacity& max_size) {
    return message_of<invalid_argument>([&] { csr_tiles_on_device(at, number, max_size); });
  };
  EXPECT_EQ(refusal(&offsets, nullptr, {1, 1}),
            "count is null: it must point to the number of tiles on the device");
  EXPECT_EQ(refusal(nullptr, &count, {1, 1}),
            "offsets is null: it must point to tiles + 1 values on the device");
  EXPECT_EQ(refusal(&offsets, &count, {-1, 1}),
            "capacity.tiles = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal(&offsets, &count, {1, std::int64_t{1} << 31}),
            "capacity.atoms = 2147483648: must be from 0 to 2147483647, the maximum of their type");
}

} // namespace
} // namespace evenly
