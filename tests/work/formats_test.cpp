// SPDX-License-Identifier: Apache-2.0
// Tile sets of sparse formats: their laws (format_laws.hpp) on the CPU and on the simulated GPU, beyond 32 bits where
// nothing is stored, and refusals.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csc.hpp"
#include "support/messages.hpp"
#include "work/format_laws.hpp"

namespace evenly::laws {
namespace {

template <class Executor> void expect_laws_of_formats(const Executor& exec) {
  expect_coo_laws<int>(exec);
  expect_coo_laws<std::int64_t>(exec);
  expect_ell_laws(exec);
  expect_bcsr_laws(exec);
  expect_dia_laws(exec);
}

TEST(Formats, KeepTheLawsOnCpu) { expect_laws_of_formats(cpu(2)); }
TEST(Formats, KeepTheLawsOnSimt) { expect_laws_of_formats(simt()); }

// --- csc ---

TEST(Csc, ColumnsAreNoRows) {
  const std::vector<std::int64_t> offsets = {3, 3, 7, 8};
  const auto columns = csc_tiles(offsets);
  static_assert(std::is_same_v<decltype(columns), const csc_tile_set<std::int64_t>>);
  static_assert(!std::is_same_v<csc_tile_set<int>, csr_tile_set<int>>);
  EXPECT_EQ(columns.tiles(), 3);
  EXPECT_EQ(columns.begin(1), 3);
  EXPECT_EQ(columns.end(1), 7);
  EXPECT_EQ(refusal_of([] { csc_tiles(std::span<const int>{}); }),
            "offsets must hold tiles + 1 values, got 0 values");
}

// --- coo ---

/// Entries may be more than their rows' type can count.
static_assert(std::is_same_v<decltype(coo_row_tiles<std::int64_t>(std::span<const int>{}, 0)),
                             coo_row_tile_set<std::int64_t, int>>);
static_assert(!knows_tile_of<csr_tile_set<int>> && !knows_tile_of<uniform_tile_set<int>>);

TEST(Coo, IsCheckedWhenItIsPlanned) {
  const auto message = [](const std::vector<int>& rows) {
    const auto on = [&](const auto& exec) {
      return refusal_of([&] { make_plan(exec, thread_mapped{}, coo_row_tiles(rows, 4)); });
    };
    EXPECT_EQ(on(cpu(2)), on(simt()));
    return on(cpu(2));
  };
  EXPECT_EQ(message({0, 2, 1, 3, 0}), "rows[2] = 1 is less than rows[1] = 2: entries must be sorted by row");
  EXPECT_EQ(message({0, 2, 4}), "rows[2] = 4: must be from 0 to 3, because there are 4 rows");
  EXPECT_EQ(message({-1, 2, 1}), "rows[0] = -1: must be from 0 to 3, because there are 4 rows");
  std::vector<int> many(100000, 2);
  many[70000] = 1; // of which a search sees nothing
  EXPECT_EQ(message(many), "rows[70000] = 1 is less than rows[69999] = 2: entries must be sorted by row");
}

TEST(Coo, OfTrustedRowsNothingIsRead) {
  const int one = 0;
  const auto rows = coo_row_tiles(std::span<const int>(&one, 1 << 30), 5);
  EXPECT_EQ(assume_valid(rows).all->atoms, 1 << 30);
}

TEST(Coo, RefusesWhatCannotBe) {
  const std::vector<int> rows = {0, 1};
  const int* const nothing = nullptr;
  EXPECT_EQ(refusal_of([&] { coo_row_tiles(rows, -1); }),
            "count = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { coo_row_tiles(rows, std::int64_t{1} << 31); }),
            "count = 2147483648: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { coo_row_tiles(rows, 0); }), "a matrix of 0 rows cannot have 2 entries");
  EXPECT_EQ(refusal_of([&] { coo_row_tiles(std::span(nothing, 3), 2); }),
            "rows is null, but must have 3 elements");
  const std::span many(rows.data(), std::size_t{3} << 30); // nothing is read
  EXPECT_EQ(refusal_of([&] { coo_row_tiles(many, 2); }),
            "3221225472 entries overflow the atom type: use coo_row_tiles<std::int64_t>");
  EXPECT_EQ(coo_row_tiles<std::int64_t>(many, 2).atoms(), std::int64_t{3} << 30);
  EXPECT_EQ(refusal_of([] { coo_entry_tiles(-1); }),
            "count = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(coo_entry_tiles(std::int64_t{1} << 40).end((std::int64_t{1} << 40) - 1), std::int64_t{1} << 40);
}

// --- ell ---

TEST(Ell, SlotsLieWhereTheLayoutSays) {
  const auto by_rows = ell_by_rows(3, 4), padded_rows = ell_by_rows(3, 4, 6);
  EXPECT_EQ(by_rows.slot(2, 1), 9);
  EXPECT_EQ(padded_rows.slot(2, 1), 13);
  EXPECT_EQ(padded_rows.slots(), 16); // what is behind the last entry is not needed
  const auto by_columns = ell_by_columns(3, 4), padded_columns = ell_by_columns(3, 4, 8);
  EXPECT_EQ(by_columns.slot(2, 1), 5);
  EXPECT_EQ(padded_columns.slot(2, 1), 10);
  EXPECT_EQ(padded_columns.slots(), 27);
  EXPECT_EQ(ell_by_rows(0, 4).slots(), 0);
  EXPECT_EQ(ell_by_columns(4, 0).slots(), 0);
}

TEST(Ell, CountsSlotsBeyond32Bits) {
  const std::int64_t rows = std::int64_t{1} << 33;
  const auto layout = ell_by_columns<std::int64_t>(rows, 3);
  EXPECT_EQ(layout.slot(rows - 1, 2), 3 * rows - 1);
  const auto tiles = ell_tiles(ell_by_rows<std::int64_t>(1 << 30, 6));
  static_assert(std::is_same_v<tile_type<decltype(tiles)>, int>);
  EXPECT_EQ(tiles.end((1 << 30) - 1), std::int64_t{6} << 30);
  EXPECT_EQ(tiles.tile_of((std::int64_t{6} << 30) - 1), (1 << 30) - 1);
}

TEST(Ell, RefusesLayoutsThatCannotBe) {
  EXPECT_EQ(refusal_of([] { ell_by_rows(-1, 2); }),
            "rows = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal_of([] { ell_by_columns(-1, 2); }),
            "rows = -1: must be from 0 to 2147483647, the maximum of their type");
  EXPECT_EQ(refusal_of([] { ell_by_columns(3, -2); }),
            "width = -2: must be from 0 to 2147483647, the maximum of their type");
  EXPECT_EQ(refusal_of([] { ell_by_rows(3, 4, 3); }), "pitch = 3: must be at least 4, the number of rows");
  EXPECT_EQ(refusal_of([] { ell_by_columns(3, 4, 2); }), "pitch = 2: must be at least 3, the number of rows");
  EXPECT_EQ(refusal_of([] { ell_by_rows(50'000, 50'000); }),
            "50000 lines of 50000 slots overflow the slot type: use ell_by_rows<std::int64_t>");
  EXPECT_EQ(refusal_of([] { ell_by_columns(50'000, 50'000); }),
            "50000 lines of 50000 slots overflow the slot type: use ell_by_columns<std::int64_t>");
  EXPECT_NO_THROW(ell_by_columns<std::int64_t>(50'000, 50'000));
  EXPECT_THROW(ell_by_columns(3, 4, std::numeric_limits<int>::max()), invalid_argument);
  EXPECT_THROW((ell_by_columns<int>(std::int64_t{1} << 40, 0)), invalid_argument);
}

TEST(Ell, RefusesArraysThatDoNotFit) {
  const auto layout = ell_by_rows(3, 2);
  const std::vector<int> five(5);
  const std::span<const int> nothing(static_cast<const int*>(nullptr), 3);
  EXPECT_EQ(refusal_of([&] { ell_tiles_by_length(layout, five); }),
            "lengths has 5 elements, but the layout has 3 rows");
  EXPECT_EQ(refusal_of([&] { ell_tiles_by_padding(layout, five); }),
            "columns has 5 elements, but the layout has 6 slots");
  EXPECT_EQ(refusal_of([&] { ell_tiles_by_length(layout, nothing); }),
            "lengths is null, but must have 3 elements");
  EXPECT_EQ(refusal_of([&] { ell_tiles_by_padding(layout, nothing); }),
            "columns is null, but must have 3 elements");
}

TEST(Ell, IsCheckedWhenItIsPlanned) {
  const auto layout = ell_by_rows(3, 4);
  const auto of_lengths = [&](const std::vector<std::int64_t>& lengths) {
    return refusal_of([&] { make_plan(cpu(1), thread_mapped{}, ell_tiles_by_length(layout, lengths)); });
  };
  EXPECT_EQ(of_lengths({4, 0, 5}), "lengths[2] = 5: must be from 0 to the width of the layout");
  EXPECT_EQ(of_lengths({4, -1, 5}), "lengths[1] = -1: must be from 0 to the width of the layout");
  const std::vector<int> columns = {0, 1, 2, 3, 0, -1, -1, -1, 0, -1, 2, -1};
  EXPECT_EQ(refusal_of([&] { make_plan(cpu(1), thread_mapped{}, ell_tiles_by_padding(layout, columns)); }),
            "slot 2 of row 2 has an entry after padding: entries must come first");
  // Wrong lengths that are trusted lead to no slots beyond the existing ones.
  const std::vector<int> wrong = {4, 7, -3};
  const auto source = ell_tiles_by_length(layout, wrong);
  EXPECT_EQ(source.size(1), 0);
  EXPECT_EQ(source.size(2), 0);
}

// --- bcsr ---

TEST(Bcsr, LeadsIntoDenseBlocks) {
  const std::vector<int> offsets = {0, 2, 2, 5};
  const auto tiles = bcsr_tiles<4, 3>(offsets, 9, 7);
  static_assert(std::is_same_v<decltype(tiles), const bcsr_tile_set<4, 3>>);
  EXPECT_EQ(tiles.slot(2, 3, 1), 2 * 12 + 3 * 3 + 1);
  EXPECT_EQ(tiles.rows_in(1), 4);
  EXPECT_EQ(tiles.rows_in(2), 1);
  EXPECT_EQ(tiles.columns_in(1), 3);
  EXPECT_EQ(tiles.columns_in(2), 1);
  EXPECT_EQ(tiles.slot(std::numeric_limits<int>::max(), 0, 0), std::int64_t{2147483647} * 12);
}

TEST(Bcsr, RefusesWhatCannotBe) {
  const std::vector<int> offsets = {0, 2, 5};
  EXPECT_EQ(refusal_of([&] { bcsr_tiles<2, 2>(offsets, 5, 4); }),
            "there are offsets of 2 block rows: 5 rows in dense blocks of 2 are 3");
  EXPECT_EQ(refusal_of([&] { bcsr_tiles<2, 2>(offsets, -1, 4); }),
            "rows = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { bcsr_tiles<2, 2>(offsets, 4, -1); }),
            "columns = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(refusal_of([&] { bcsr_tiles<2, 2>(std::span(static_cast<const int*>(nullptr), 3), 4, 4); }),
            "offsets is null, but must have 3 elements");
  const std::vector<int> decreasing = {0, 3, 2};
  EXPECT_EQ(refusal_of([&] { make_plan(cpu(1), thread_mapped{}, bcsr_tiles<2, 2>(decreasing, 4, 4)); }),
            "offsets[2] = 2 is less than offsets[1] = 3: offsets must not decrease");
}

// --- dia ---

/// Every set of diagonals of every small matrix, against a walk through its rows.
TEST(Dia, HasTheEntriesInsideTheMatrix) {
  for (int rows = 0; rows <= 5; ++rows)
    for (int cols = 0; cols <= 4; ++cols) {
      const int all = rows == 0 || cols == 0 ? 0 : rows + cols - 1;
      for (int chosen = 0; chosen < 1 << all; ++chosen) {
        std::vector<int> diagonals;
        for (int d = 0; d < all; ++d)
          if ((chosen >> d & 1) != 0) diagonals.push_back(1 - rows + d);
        const auto tiles = dia_tiles(rows, cols, diagonals);
        int atoms = 0;
        for (int row = 0; row < rows; ++row) {
          ASSERT_EQ(tiles.begin(row), atoms);
          for (int d = 0; d < static_cast<int>(diagonals.size()); ++d) {
            const int column = row + diagonals[static_cast<std::size_t>(d)];
            if (column < 0 || column >= cols) continue;
            ASSERT_EQ(tiles.tile_of(atoms), row);
            ASSERT_EQ(tiles.diagonal(row, atoms - tiles.begin(row)), d);
            ASSERT_EQ(tiles.column(row, d), column);
            ASSERT_EQ(tiles.slot(row, d), d * rows + row);
            ++atoms;
          }
          ASSERT_EQ(tiles.end(row), atoms) << rows << " x " << cols << ", diagonals " << chosen;
        }
        ASSERT_EQ(tiles.atoms(), atoms);
      }
    }
}

TEST(Dia, CountsAtomsBeyond32Bits) {
  const std::int64_t rows = std::int64_t{1} << 33, cols = rows - 12345;
  const std::vector<std::int64_t> diagonals = {-rows / 2, -1000, 0, 1, rows / 4};
  const auto tiles = dia_tiles<std::int64_t>(rows, cols, diagonals);
  static_assert(std::is_same_v<tile_type<decltype(tiles)>, std::int64_t>);
  const auto before = [&](std::int64_t row) {
    std::int64_t atoms = 0;
    for (const std::int64_t d : diagonals)
      atoms += std::max<std::int64_t>(0, std::min({row, rows, cols - d}) - std::max<std::int64_t>(0, -d));
    return atoms;
  };
  EXPECT_EQ(tiles.atoms(), before(rows));
  EXPECT_GT(tiles.atoms(), std::int64_t{1} << 34);
  for (const std::int64_t near :
       {std::int64_t{2}, std::int64_t{1000}, rows / 2, cols - rows / 4, cols, rows - 2})
    for (std::int64_t row = near - 2; row < std::min(near + 3, rows); ++row) {
      EXPECT_EQ(tiles.begin(row), before(row));
      EXPECT_EQ(tiles.end(row), before(row + 1));
      if (tiles.begin(row) == tiles.end(row)) continue;
      EXPECT_EQ(tiles.tile_of(tiles.begin(row)), row);
      EXPECT_EQ(tiles.tile_of(tiles.end(row) - 1), row);
    }
  // Rows of 32 bits, with more entries than these count.
  const std::vector<int> few = {-1, 0, 1};
  const auto narrow = dia_tiles<std::int64_t>(1 << 30, 1 << 30, few);
  EXPECT_EQ(narrow.atoms(), (std::int64_t{3} << 30) - 2);
  EXPECT_EQ(narrow.begin((1 << 30) - 1), (std::int64_t{3} << 30) - 4);
}

TEST(Dia, RefusesWhatCannotBe) {
  const auto message = [](std::int64_t rows, std::int64_t cols, const std::vector<int>& diagonals) {
    return refusal_of([&] { dia_tiles(rows, cols, diagonals); });
  };
  EXPECT_EQ(message(-1, 4, {}), "rows = -1: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(message(4, std::int64_t{1} << 31, {}),
            "columns = 2147483648: must be from 0 to 2147483646, the maximum of their type");
  EXPECT_EQ(message(4, 5, {-4, 0}), "diagonals[0] = -4 has no entry in a matrix of 4 rows and 5 columns");
  EXPECT_EQ(message(4, 5, {-3, 5}), "diagonals[1] = 5 has no entry in a matrix of 4 rows and 5 columns");
  EXPECT_EQ(message(0, 5, {2}), "diagonals[0] = 2 has no entry in a matrix of 0 rows and 5 columns");
  EXPECT_EQ(message(5, 0, {-2}), "diagonals[0] = -2 has no entry in a matrix of 5 rows and 0 columns");
  EXPECT_EQ(message(4, 5, {-3, 2, 2}),
            "diagonals[2] = 2 is not greater than diagonals[1] = 2: diagonals must ascend");
  EXPECT_EQ(message(1 << 30, 1 << 30, {0, 1}),
            "2 diagonals of 1073741824 slots overflow the atom type: use dia_tiles<std::int64_t>");
  EXPECT_EQ(refusal_of([] { dia_tiles(3, 3, std::vector<int>{0}, static_cast<const int*>(nullptr)); }),
            "the executor's copy of the diagonals is null, but must have 1 elements");
}

TEST(Dia, IsCheckedWhenItIsPlanned) {
  const std::vector<int> diagonals = {-3, 0, 3};
  for (const std::vector<int>& other :
       {std::vector{-2, 0, 3}, {-3, 3, 0}, {-3, 0, 0}, {-9, 0, 3}, {-3, 0, 9}})
    EXPECT_EQ(
        refusal_of([&] { make_plan(cpu(1), thread_mapped{}, dia_tiles(8, 8, diagonals, other.data())); }),
        "the executor's copy of the diagonals differs from that of the host: copy it before making the "
        "tiles");
}

} // namespace
} // namespace evenly::laws
