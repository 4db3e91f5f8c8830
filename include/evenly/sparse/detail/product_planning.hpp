// SPDX-License-Identifier: Apache-2.0
// The preparation of a plan of C = A B: the cost of each row, and whether columns ascend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/product_by_threads.hpp"
#include "evenly/sparse/detail/product_terms.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::detail {

template <class Terms> struct products_of_entry {
  Terms of;
  EVENLY_FN std::int64_t operator()(std::int64_t k) const { return of.products_of(k); }
};

/// The cost of a row on cores: the larger of its numbers of products and of entries of A.
template <class Offset> struct store_row_work {
  const Offset* offsets;
  std::int64_t* work;
  EVENLY_FN void operator()(int row, std::int64_t products) const {
    work[row] = larger(products, std::int64_t{offsets[row + 1]} - offsets[row]);
  }
};

/// 1 if a column is not greater than the previous one in its row.
template <class Offset> struct falls_behind {
  const int* columns;
  EVENLY_FN int operator()(int, Offset k, Offset rank) const {
    return rank > 0 && columns[k] <= columns[k - 1];
  }
};
struct store_if_any {
  int* any;
  EVENLY_FN void operator()(int, int found) const {
    if (found > 0) atomic_ref(*any).fetch_or(1, order::relaxed{}); // an empty row has the smallest number
  }
};
/// *disorder: 0 if columns ascend and are distinct in each row, otherwise 1. Asynchronous.
template <class Executor, class Offset>
void find_disorder(const Executor& exec, const Offset* offsets, const int* columns, int rows, int* disorder) {
  exec.fill_zero(disorder, sizeof(int));
  reduce_tiles(exec, schedule_for_sums{}, csr_tile_set<Offset>(offsets, rows), falls_behind<Offset>{columns},
               maximum<int>{}, store_if_any{disorder});
}

template <class To, class From> struct narrowed {
  const From* from;
  EVENLY_FN To operator()(std::int64_t i) const { return static_cast<To>(from[i]); }
};

struct is_long_row {
  const std::uint8_t* few; ///< short_rows::is_long
  EVENLY_FN bool operator()(int row) const { return few[row] == short_rows::is_long; }
};
struct work_of_listed {
  const int* rows;
  const std::int64_t* work;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return work[rows[i]]; }
};

/// The rows of a product that are not short, in order, and their cost.
class long_product_rows {
 public:
  /// Finds the `count` rows marked long in `few`. work: of all rows. Allocates.
  template <class Executor>
  void find(const Executor& exec, const std::uint8_t* few, const std::int64_t* work, int rows,
            std::int64_t count) {
    rows_ = make_buffer<int>(exec, static_cast<std::size_t>(count));
    work_ = make_buffer<std::int64_t>(exec, rows_.size());
    const auto found = make_buffer<std::int64_t>(exec, 1);
    workspace memory;
    select(exec, generated{same_number{}}, rows, is_long_row{few}, rows_.data(), found.data(), memory);
    tabulate(exec, count, work_of_listed{rows_.data(), work}, work_.data());
  }
  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }
  const int* rows() const { return rows_.data(); }
  std::int64_t* work() const { return work_.data(); }
  template <class Executor> std::vector<int> on_host(const Executor& exec) const {
    return to_host(exec, rows_);
  }

 private:
  buffer<int> rows_;
  buffer<std::int64_t> work_;
};

/// The begins of chunks of rows, and the end of the last chunk, such that each chunk has at most `bytes` bytes. Throws
/// invalid_argument if a single row has more. offsets: of C's rows.
template <class Offset>
std::vector<int> chunks_of_rows(const std::vector<Offset>& offsets, std::int64_t bytes,
                                std::int64_t of_entry) {
  const std::int64_t max = bytes / of_entry;
  const auto rows = static_cast<int>(offsets.size() - 1);
  const auto entries_in = [&](int first, int end) {
    return std::int64_t{offsets[static_cast<std::size_t>(end)]} - offsets[static_cast<std::size_t>(first)];
  };
  for (int row = 0; row < rows; ++row) {
    const std::int64_t here = entries_in(row, row + 1);
    require(here <= max, [&] {
      return "row " + std::to_string(row) + " of the product has " + std::to_string(here) +
             " entries, which take " + std::to_string(here * of_entry) + " bytes: more than the " +
             std::to_string(bytes) + " allowed for a chunk";
    });
  }
  std::vector<int> starts{0};
  for (int row = 0; row < rows; ++row)
    if (entries_in(starts.back(), row + 1) > max) starts.push_back(row);
  starts.push_back(rows);
  return starts;
}

template <class Value, class Offset> void check_factor(const char* name, const csr_view<Value, Offset>& a) {
  require(a.rows >= 0 && a.cols >= 0, [&] {
    return std::string(name) + " has " + std::to_string(a.rows) + " rows and " + std::to_string(a.cols) +
           " columns: sizes must not be negative";
  });
  require(a.rows == 0 || a.offsets != nullptr, [&] {
    return std::string(name) + " has " + std::to_string(a.rows) + " rows, but its offsets are null";
  });
}

/// Throws invalid_argument for a matrix other than the planned one; only values may differ.
template <class Value, class Offset>
void check_same_factor(const char* name, const csr_view<Value, Offset>& planned,
                       const csr_view<Value, Offset>& now) {
  require(
      planned.rows == now.rows && planned.cols == now.cols && planned.offsets == now.offsets &&
          planned.columns == now.columns,
      [&] { return std::string(name) + " is not the matrix of the plan: its offsets or columns differ"; });
}

} // namespace evenly::detail
