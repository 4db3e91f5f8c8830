// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows: an owner on the host and a view for kernels.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// What a kernel sees of a matrix: pointers to where the executor reads, nothing owned.
/// offsets: rows + 1 values, not decreasing. columns, values: indexed by [offsets[0], offsets[rows]).
template <class Value, std::signed_integral Offset = int> struct csr_view {
  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  const int* columns = nullptr;
  const Value* values = nullptr;

  /// As sparse/detail/matrix_arrays.hpp says.
  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets, 0, rows == 0 ? 0 : std::int64_t{rows} + 1);
    visit("columns", columns, first_entry, entries);
    visit("values", values, first_entry, entries);
  }
};

/// A matrix on the host. Within a row, columns are sorted and distinct, unless whoever made it says
/// otherwise.
template <class Value, std::signed_integral Offset = int> struct csr_matrix {
  int rows = 0;
  int cols = 0;
  std::vector<Offset> offsets{0}; ///< rows + 1 values
  std::vector<int> columns;       ///< 0-based
  std::vector<Value> values;

  Offset atoms() const { return offsets.back(); }
  csr_view<Value, Offset> view() const { return {rows, cols, offsets.data(), columns.data(), values.data()}; }
};

static_assert(std::is_trivially_copyable_v<csr_view<float>>);

} // namespace evenly
