// SPDX-License-Identifier: Apache-2.0
// What a plan of C = A B asks before it counts entries: what each row costs, and whether columns ascend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/product_terms.hpp"

namespace evenly::detail {

template <class Terms> struct products_of_entry {
  Terms of;
  EVENLY_FN std::int64_t operator()(std::int64_t k) const { return of.products_of(k); }
};

/// What a row costs: its products, or its entries of A where these are more and no short row has so many. Counts those
/// that cost more than `most`.
template <class Offset> struct store_row_work {
  const Offset* offsets;
  std::int64_t* work;
  std::int64_t most;
  std::int64_t* giants; ///< or null
  int most_short;       ///< of a short row
  EVENLY_FN void operator()(int row, std::int64_t products) const {
    const std::int64_t entries = std::int64_t{offsets[row + 1]} - offsets[row];
    const std::int64_t here = entries > most_short ? larger(products, entries) : products;
    work[row] = here;
    if (giants != nullptr && here > most) atomic_ref(*giants).fetch_add(std::int64_t{1}, order::relaxed{});
  }
};

/// 1 where a column is less than the one before it in its row.
template <class Offset> struct falls_behind {
  const int* columns;
  EVENLY_FN int operator()(int, Offset k, Offset rank) const {
    return rank > 0 && columns[k] < columns[k - 1];
  }
};
struct store_if_any {
  int* any;
  EVENLY_FN void operator()(int, int found) const {
    if (found != 0) atomic_ref(*any).fetch_or(1, order::relaxed{});
  }
};

template <class To, class From> struct narrowed {
  const From* from;
  EVENLY_FN To operator()(std::int64_t i) const { return static_cast<To>(from[i]); }
};

struct is_long_row {
  const std::int64_t* work;
  int most_short;
  EVENLY_FN bool operator()(int row) const { return work[row] > most_short; }
};
struct work_of_listed {
  const int* rows;
  const std::int64_t* work;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return work[rows[i]]; }
};

/// The rows of a product that are not short, in order, and what they cost.
class long_product_rows {
 public:
  /// most_short: of a short row. counts[1]: how many rows are giants; counts[0]: room. Returns counts[1]. Allocates and
  /// synchronises.
  template <class Executor>
  std::int64_t find(const Executor& exec, const std::int64_t* work, int rows, int most_short,
                    std::int64_t* counts) {
    const auto found = make_buffer<int>(exec, static_cast<std::size_t>(rows));
    workspace memory;
    select(exec, generated{same_number{}}, rows, is_long_row{work, most_short}, found.data(), counts, memory);
    std::int64_t known[2] = {0, 0};
    exec.copy_to_host(known, counts, sizeof(known));
    rows_ = make_buffer<int>(exec, static_cast<std::size_t>(known[0]));
    work_ = make_buffer<std::int64_t>(exec, rows_.size());
    tabulate(exec, known[0], narrowed<int, int>{found.data()}, rows_.data());
    tabulate(exec, known[0], work_of_listed{rows_.data(), work}, work_.data());
    return known[1];
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

template <class Value, class Offset> void check_factor(const char* name, const csr_view<Value, Offset>& a) {
  require(a.rows >= 0 && a.cols >= 0, [&] {
    return std::string(name) + " has " + std::to_string(a.rows) + " rows and " + std::to_string(a.cols) +
           " columns: sizes must not be negative";
  });
  require(a.rows == 0 || a.offsets != nullptr, [&] {
    return std::string(name) + " has " + std::to_string(a.rows) + " rows, and its offsets are null";
  });
}

} // namespace evenly::detail
