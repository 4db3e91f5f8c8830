// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows: an owner and a view for kernels.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

namespace evenly {

class cpu;

namespace detail {

/// Throws invalid_argument for negative sizes.
inline void check_matrix_sizes(int rows, int cols) {
  require(rows >= 0 && cols >= 0, [&] {
    return concat("a matrix of ", rows, " rows and ", cols, " columns: sizes must not be negative");
  });
}
/// Throws invalid_argument unless the arrays have the sizes of a matrix of `rows` rows.
inline void require_csr_sizes(int rows, int cols, std::size_t offsets, std::size_t columns,
                              std::size_t values) {
  check_matrix_sizes(rows, cols);
  require(offsets == static_cast<std::size_t>(rows) + 1, [&] {
    return concat("a matrix of ", rows, " rows has ", offsets, " offsets: it needs one more than rows");
  });
  require(columns == values, [&] {
    return concat("a matrix has ", columns, " columns of entries and ", values,
                  " values: every entry needs one of each");
  });
}
/// Throws invalid_argument if the last offset, `end`, is beyond the arrays of entries.
inline void require_csr_end(std::int64_t end, std::size_t entries) {
  require(end <= static_cast<std::int64_t>(entries), [&] {
    return concat("the last row ends at ", end, ", but there are ", entries,
                  " entries: offsets must be at most the number of entries");
  });
}

} // namespace detail

/// Pointers to a matrix in the memory of an executor; owns nothing. offsets: rows + 1 values, not decreasing. columns,
/// values: indexed by [offsets[0], offsets[rows]). Operations take columns of int unless they say otherwise.
template <class Value, std::signed_integral Offset = int, std::signed_integral Column = int> struct csr_view {
  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  const Column* columns = nullptr;
  const Value* values = nullptr;

  /// See sparse/detail/matrix_arrays.hpp.
  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets, 0, rows == 0 ? 0 : std::int64_t{rows} + 1);
    visit("columns", columns, first_entry, entries);
    visit("values", values, first_entry, entries);
  }
};

/// A view of arrays on one executor: std::vectors, spans or buffers. The arrays outlive the view; their contents are
/// not checked. Throws invalid_argument if their sizes are not those of a matrix.
template <class Offsets, class Columns, class Values>
auto make_csr_view(int rows, int cols, const Offsets& offsets, const Columns& columns, const Values& values) {
  const std::span of_rows(std::data(offsets), std::size(offsets));
  const std::span<const int> of_entries(std::data(columns), std::size(columns));
  const std::span entry_values(std::data(values), std::size(values));
  detail::require_csr_sizes(rows, cols, of_rows.size(), of_entries.size(), entry_values.size());
  using offset = std::remove_cv_t<typename decltype(of_rows)::element_type>;
  using value = std::remove_cv_t<typename decltype(entry_values)::element_type>;
  return csr_view<value, offset>{rows, cols, of_rows.data(), of_entries.data(), entry_values.data()};
}

/// Owns a matrix in the memory of an executor. Products with the matrix run on that executor by default. On the host,
/// the default, its arrays are std::vectors; for other executors see csr_buffers.hpp.
template <class Value, std::signed_integral Offset = int, class Executor = cpu> struct csr_matrix;

/// A matrix on the host. Within a row, columns are sorted and distinct unless its source says otherwise.
template <class Value, std::signed_integral Offset> struct csr_matrix<Value, Offset, cpu> {
  using executor_type = cpu;

  int rows = 0;
  int cols = 0;
  std::vector<Offset> offsets{0}; ///< rows + 1 values
  std::vector<int> columns;       ///< 0-based
  std::vector<Value> values;

  /// The number of entries.
  Offset atoms() const { return offsets.empty() ? Offset{0} : offsets.back(); }
  csr_view<Value, Offset> view() const { return {rows, cols, offsets.data(), columns.data(), values.data()}; }
  /// A copy in the memory of an executor (csr_buffers.hpp). Synchronises.
  template <class To> csr_matrix<Value, Offset, To> to(const To& exec) const;
};
template <class Value, class Offset>
csr_matrix(int, int, std::vector<Offset>, std::vector<int>, std::vector<Value>) -> csr_matrix<Value, Offset>;

/// Copies a host matrix, whose first offset may be other than 0. To copy arrays, use to_csr(make_csr_view(rows, cols,
/// offsets, columns, values)).
template <class Value, class Offset> csr_matrix<Value, Offset> to_csr(const csr_view<Value, Offset>& of) {
  csr_matrix<Value, Offset> copy;
  copy.rows = of.rows, copy.cols = of.cols;
  if (of.rows == 0) return copy;
  copy.offsets.assign(of.offsets, of.offsets + of.rows + 1);
  const Offset first = copy.offsets.front(), end = copy.offsets.back();
  copy.columns.assign(of.columns + first, of.columns + end);
  copy.values.assign(of.values + first, of.values + end);
  for (Offset& each : copy.offsets) each -= first;
  return copy;
}

static_assert(std::is_trivially_copyable_v<csr_view<float>>);

} // namespace evenly
