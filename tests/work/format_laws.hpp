// SPDX-License-Identifier: Apache-2.0
// Tile sets of sparse formats on any executor: they have the rows of the matrix that the format was made of, and keep
// the laws of tile_set.hpp. What is read from an executor is judged on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/work/bcsr.hpp"
#include "evenly/work/coo.hpp"
#include "evenly/work/dia.hpp"
#include "evenly/work/ell.hpp"
#include "work/formats.hpp"

namespace evenly::laws {

using numbers = std::vector<std::int64_t>;

/// What is asked of a tile set about tile or atom i, on the executor.
enum class about { tile_begin, tile_end, atom_tile };

template <class Tiles> struct says {
  Tiles tiles;
  about what;

  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const auto t = static_cast<tile_type<Tiles>>(i);
    if (what == about::tile_begin) return tiles.begin(t);
    if (what == about::tile_end) return tiles.end(t);
    if constexpr (requires { tiles.tile_of(atom_type<Tiles>{}); })
      return tiles.tile_of(static_cast<atom_type<Tiles>>(i));
    else
      return -1;
  }
};

template <class Executor, class Tiles>
numbers ask(const Executor& exec, const Tiles& tiles, about what, std::size_t count) {
  const auto out = make_buffer<std::int64_t>(exec, count);
  tabulate(exec, static_cast<std::int64_t>(count), says<Tiles>{tiles, what}, out.data());
  return to_host(exec, out);
}

/// Fails unless the tiles lie between these offsets, on the executor, and tell of each atom in which it is.
template <class Executor, class Tiles>
void expect_offsets(const Executor& exec, const Tiles& tiles, const std::vector<int>& offsets,
                    const std::string& name) {
  ASSERT_EQ(tiles.tiles(), static_cast<std::int64_t>(offsets.size()) - 1) << name;
  const std::size_t count = offsets.size() - 1;
  EXPECT_EQ(ask(exec, tiles, about::tile_begin, count), numbers(offsets.begin(), offsets.end() - 1)) << name;
  EXPECT_EQ(ask(exec, tiles, about::tile_end, count), numbers(offsets.begin() + 1, offsets.end())) << name;
  if constexpr (requires { tiles.tile_of(atom_type<Tiles>{}); }) {
    numbers of;
    for (std::size_t t = 0; t < count; ++t)
      of.insert(of.end(), static_cast<std::size_t>(offsets[t + 1] - offsets[t]), static_cast<int>(t));
    EXPECT_EQ(ask(exec, tiles, about::atom_tile, of.size()), of) << name;
  }
  if constexpr (counted_on_host<Tiles>) {
    EXPECT_EQ(tiles.atoms(), offsets.back()) << name;
    EXPECT_EQ(tiles.first_atom(), 0) << name;
  }
}

/// The tile set that a plan makes of a source, and its number of atoms as it is checked.
template <class Executor, class Source>
void expect_source(const Executor& exec, const Source& source, const std::vector<int>& offsets,
                   const std::string& name) {
  workspace scratch;
  const auto memory = make_buffer<std::byte>(exec, scan_bytes(source));
  const auto tiles = scan_source(exec, source, memory.data(), scratch);
  expect_offsets(exec, tiles, offsets, name);
  EXPECT_EQ(inspect_source(exec, tiles), offsets.back()) << name;
}

/// `Index`: of rows, and of entries.
template <class Index, class Executor> void expect_coo_laws(const Executor& exec) {
  for (const auto& [name, a] : many_matrices()) {
    const std::vector<int> rows = rows_of_entries(a);
    const auto there = to_executor(exec, std::vector<Index>(rows.begin(), rows.end()));
    const auto tiles = coo_row_tiles(there.span(), a.rows);
    require_laws(exec, tiles);
    expect_offsets(exec, tiles, a.offsets, name);
    std::vector<int> one_by_one(rows.size() + 1);
    for (std::size_t i = 0; i < one_by_one.size(); ++i) one_by_one[i] = static_cast<int>(i);
    expect_offsets(exec, coo_entry_tiles(static_cast<Index>(rows.size())), one_by_one, name);
  }
}

template <class Executor> void expect_ell_laws(const Executor& exec) {
  for (const auto& [name, a] : many_matrices())
    for (const bool by_columns : {false, true}) {
      const ell_matrix made = in_ell(a, by_columns);
      const auto lengths = to_executor(exec, made.lengths), columns = to_executor(exec, made.columns);
      expect_source(exec, ell_tiles_by_length(made.layout, lengths), a.offsets, name);
      expect_source(exec, ell_tiles_by_padding(made.layout, columns), a.offsets, name);
    }
  for (const int width : {0, 1, 33}) {
    const matrix full = matrix_of(std::vector<int>(20, width), 50);
    expect_offsets(exec, ell_tiles(ell_by_columns(20, width)), full.offsets,
                   "rows of " + std::to_string(width));
  }
}

template <class Executor> void expect_dia_laws(const Executor& exec) {
  for (const dia_matrix& made : many_diagonals()) {
    const auto there = to_executor(exec, made.diagonals);
    const auto tiles = dia_tiles(made.a.rows, made.a.cols, made.diagonals, there.data());
    expect_offsets(exec, tiles, made.a.offsets,
                   std::to_string(made.diagonals.size()) + " diagonals in " + std::to_string(made.a.rows) +
                       " rows");
  }
}

template <class Executor> void expect_bcsr_laws(const Executor& exec) {
  for (const auto& [name, a] : many_matrices()) {
    const auto made = in_bcsr<3, 2>(a);
    const auto offsets = to_executor(exec, made.offsets);
    expect_offsets(exec, bcsr_tiles<3, 2>(offsets, a.rows, a.cols), made.offsets, name);
  }
}

} // namespace evenly::laws
