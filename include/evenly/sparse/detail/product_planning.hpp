// SPDX-License-Identifier: Apache-2.0
// What a plan of C = A B asks before it counts entries: what each row costs, and whether columns ascend.
#pragma once

#include <cstdint>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::detail {

template <class Terms> struct products_of_entry {
  Terms of;
  EVENLY_FN std::int64_t operator()(std::int64_t k) const { return of.products_of(k); }
};

/// What a row costs: its products, or its entries of A where these are more. Counts those that cost more than `most`.
template <class Offset> struct store_row_work {
  const Offset* offsets;
  std::int64_t* work;
  std::int64_t most;
  int* giants; ///< or null
  EVENLY_FN void operator()(int row, std::int64_t products) const {
    const std::int64_t here = larger<std::int64_t>(products, std::int64_t{offsets[row + 1]} - offsets[row]);
    work[row] = here;
    if (giants != nullptr && here > most) atomic_ref(*giants).fetch_add(1, order::relaxed{});
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
