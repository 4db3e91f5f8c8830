// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows of small dense blocks of R x C values (work/bcsr.hpp).
//
//   auto b = evenly::to_bcsr<4, 4>(a, max_bytes);   // on the executor of a csr_matrix; throws if it would take more
//   auto y = b * x;                                 // with sparse/multiply.hpp
//   auto a = evenly::to_csr(b);                     // the values other than 0
//   evenly::spmv(exec, schedule, b.view(), x, y);   // also to_bcsr<4, 4>(exec, view) and to_csr(exec, view)
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/bcsr.hpp"

namespace evenly {

/// One value for each row of a block row.
template <class Value, int R> struct block_row_sums {
  Value of_row[R];
  friend EVENLY_FN block_row_sums operator+(block_row_sums a, const block_row_sums& b) {
    EVENLY_UNROLL
    for (int i = 0; i < R; ++i) a.of_row[i] = a.of_row[i] + b.of_row[i];
    return a;
  }
};

/// A view of a matrix in blocks.
///
/// - offsets: one per block row, and one more.
/// - columns: the block column of each block.
/// - values: R * C per block, row by row; those outside the matrix are 0.
template <class Value, int R, int C, signed_of_32_or_64_bits Offset = int> struct bcsr_view {
  using value_type = Value;
  using sum_type = block_row_sums<Value, R>;

  struct block_times_x {
    bcsr_tile_set<R, C, Offset> blocks;
    const int* columns;
    const Value* values;
    const Value* x;
    EVENLY_FN sum_type operator()(Offset block) const {
      const int column = columns[block], inside = blocks.columns_in(column);
      sum_type sums{};
      EVENLY_UNROLL
      for (int j = 0; j < C; ++j) {
        if (j >= inside) break;
        const Value of_x = x[std::int64_t{column} * C + j];
        EVENLY_UNROLL
        for (int i = 0; i < R; ++i) sums.of_row[i] = sums.of_row[i] + values[blocks.slot(block, i, j)] * of_x;
      }
      return sums;
    }
  };
  struct update_rows {
    bcsr_tile_set<R, C, Offset> blocks;
    update_y<Value> of_row;
    EVENLY_FN void operator()(int block_row, const sum_type& sums) const {
      const int inside = blocks.rows_in(block_row);
      EVENLY_UNROLL
      for (int i = 0; i < R; ++i)
        if (i < inside) of_row(block_row * R + i, sums.of_row[i]);
    }
  };

  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  const int* columns = nullptr;
  const Value* values = nullptr;

  bcsr_tile_set<R, C, Offset> tiles() const { return {offsets, rows, cols}; }
  block_times_x product(const Value* x) const { return {tiles(), columns, values, x}; }
  update_rows update(Value* y, Value alpha, Value beta) const { return {tiles(), {y, alpha, beta}}; }
  template <class Visit>
  void for_each_array(std::int64_t first_block, std::int64_t blocks, const Visit& visit) const {
    visit("offsets", offsets, 0, std::int64_t{tiles().tiles()} + 1);
    visit("columns", columns, first_block, blocks);
    visit("values", values, first_block * R * C, blocks * R * C);
  }
  /// The check of block columns for owners of `size` blocks (matrix_like.hpp).
  template <class Executor> auto index_check(const Executor& exec, std::int64_t size) const {
    return detail::check_of_lines(exec, offsets, tiles().tiles(), columns, ceil_div(cols, C), size,
                                  {"block", "blocks", "block column", "block row"});
  }
};

/// Owns the arrays of a bcsr_view (owned_format.hpp).
template <class Value, int R, int C, signed_of_32_or_64_bits Offset, template <class> class Array>
struct bcsr_arrays {
  using executor_type = detail::host_if<Array>;

  int rows = 0;
  int cols = 0;
  Array<Offset> offsets = {};
  Array<int> columns = {};
  Array<Value> values = {};

  template <template <class> class To, class Each>
  bcsr_arrays<Value, R, C, Offset, To> with(const Each& each) const {
    return {rows, cols, each(offsets), each(columns), each(values)};
  }
  Offset blocks() const { return static_cast<Offset>(columns.size()); }
  std::int64_t entries() const { return blocks(); }
  bcsr_view<Value, R, C, Offset> view() const {
    return {rows, cols, offsets.data(), columns.data(), values.data()};
  }
  template <class To> auto to(const To& exec) const { return detail::copied(executor_type(), *this, exec); }
};
template <class Value, int R, int C, signed_of_32_or_64_bits Offset = int>
using bcsr_buffers = bcsr_arrays<Value, R, C, Offset, buffer>;
template <class Value, int R, int C, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using bcsr_matrix = detail::matrix_on<Executor, bcsr_arrays<Value, R, C, Offset, detail::host_array>,
                                      bcsr_buffers<Value, R, C, Offset>>;

namespace detail {

/// The number of the block that contains an entry, in a row-by-row numbering of all blocks, stored or not.
template <int R, int C> struct block_of_entry {
  const int* row_of;
  const int* columns;
  std::int64_t in_row; ///< number of block columns
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return row_of[i] / R * in_row + columns[i] / C; }
};
template <int R, int C> struct slot_in_blocks {
  block_of_entry<R, C> block;
  const std::int64_t* stored;
  std::int64_t count;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const std::int64_t wanted = block(i);
    const std::int64_t at =
        first_past(std::int64_t{0}, count, [&](std::int64_t b) { return stored[b] >= wanted; });
    return (at * R + block.row_of[i] % R) * C + block.columns[i] % C;
  }
};
struct row_of_block {
  const std::int64_t* stored;
  std::int64_t in_row;
  EVENLY_FN int operator()(std::int64_t b) const { return static_cast<int>(stored[b] / in_row); }
};
struct column_of_block {
  const std::int64_t* stored;
  std::int64_t in_row;
  EVENLY_FN int operator()(std::int64_t b) const { return static_cast<int>(stored[b] % in_row); }
};
/// The row and column of a slot of dense blocks.
template <class Value, int R, int C> struct slots_of_blocks {
  const int* row_of; ///< the block row of each block
  const int* columns;
  const Value* values;
  EVENLY_FN int row(std::int64_t slot) const {
    return row_of[slot / (R * C)] * R + static_cast<int>(slot % (R * C) / C);
  }
  EVENLY_FN int column(std::int64_t slot) const {
    return columns[slot / (R * C)] * C + static_cast<int>(slot % C);
  }
  EVENLY_FN bool has_entry(std::int64_t slot) const { return values[slot] != Value{0}; }
};

} // namespace detail

/// Makes blocks from compressed rows. Cost: a sort of the entries' blocks, and O(slots). Allocates and synchronises.
///
/// Throws invalid_argument if slots take more than `max_bytes`, and names the required size; if Offset cannot count the
/// slots; if two entries are at one position; for negative sizes and null offsets.
template <int R, int C, class Executor, class Value, signed_of_32_or_64_bits Offset>
bcsr_buffers<Value, R, C, Offset> to_bcsr(const Executor& exec, const csr_view<Value, Offset>& a,
                                          std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max()) {
  const auto all = detail::entries_of(exec, a);
  const auto row_of = detail::rows_of_entries(exec, a, all.count);
  const std::int64_t in_row = larger(ceil_div(a.cols, C), 1);
  const detail::block_of_entry<R, C> block{row_of.data(), a.columns + all.first, in_row};
  const auto of_entry = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(all.count));
  tabulate(exec, all.count, block, of_entry.data());
  const auto stored = detail::distinct_lines<Offset>(exec, of_entry.data(), all.count);
  const auto blocks = static_cast<std::int64_t>(stored.size());
  detail::check_slots<Offset>("storing " + std::to_string(blocks) + " blocks of " + std::to_string(R) +
                                  " x " + std::to_string(C),
                              static_cast<double>(blocks) * R * C, sizeof(Value), max_bytes);
  const auto block_rows = make_buffer<int>(exec, stored.size());
  tabulate(exec, blocks, detail::row_of_block{stored.data(), in_row}, block_rows.data());
  bcsr_buffers<Value, R, C, Offset> made{
      a.rows, a.cols, detail::offsets_of_lines<Offset>(exec, block_rows.data(), blocks, ceil_div(a.rows, R)),
      make_buffer<int>(exec, stored.size()), make_buffer<Value>(exec, stored.size() * R * C)};
  tabulate(exec, blocks, detail::column_of_block{stored.data(), in_row}, made.columns.data());
  detail::fill_own_slots(exec, "blocks", all.count, a.values + all.first,
                         detail::slot_in_blocks<R, C>{block, stored.data(), blocks}, blocks * R * C,
                         made.values.data());
  exec.synchronize();
  return made;
}

/// Makes compressed rows of the values other than 0. Allocates and synchronises. Cost: O(slots), and a sort of rows.
template <class Executor, class Value, int R, int C, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> to_csr(const Executor& exec, const bcsr_view<Value, R, C, Offset>& a) {
  const csr_view<Value, Offset> blocks{ceil_div(a.rows, R), ceil_div(a.cols, C), a.offsets, nullptr, nullptr};
  const auto all = detail::entries_of(exec, blocks);
  const auto block_rows = detail::rows_of_entries(exec, blocks, all.count);
  const Value* const values = a.values + std::int64_t{all.first} * R * C;
  return detail::entries_in_slots<Offset>(
      exec, a.rows, a.cols, all.count * R * C,
      detail::slots_of_blocks<Value, R, C>{block_rows.data(), a.columns + all.first, values}, values);
}

/// The same on the executor of the csr_matrix `a`.
template <int R, int C, csr_owner A>
auto to_bcsr(const A& a, std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max()) {
  return detail::owned_where(a, [&](const auto& exec) { return to_bcsr<R, C>(exec, a.view(), max_bytes); });
}

static_assert(matrix_of_tiles<bcsr_view<float, 2, 3>>);

} // namespace evenly
