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
#include "evenly/core/index.hpp"
#include "evenly/primitives/inputs.hpp"

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
/// The words for the entries of a format in compressed lines.
struct line_words {
  const char* entry = "entry";
  const char* entries = "entries";
  const char* column = "column";
  const char* line = "row";
};
/// Throws invalid_argument if the last offset, `end`, is beyond the arrays of `size` entries.
inline void require_end_of_lines(std::int64_t end, std::int64_t size, const line_words& words = {}) {
  require(end <= size, [&] {
    return concat("the last ", words.line, " ends at ", end, ", but there are ", size, " ", words.entries,
                  ": offsets must be at most the number of ", words.entries);
  });
}

} // namespace detail

namespace detail {

template <class R> using element_type = std::remove_cvref_t<decltype(*std::data(std::declval<const R&>()))>;

/// The index types of compressed rows.
template <class Offset, class Column> struct csr_index_types {
  static_assert(signed_of_32_or_64_bits<Offset>,
                "offsets of a matrix must be signed integers of 32 or 64 bits, such as int and std::int64_t");
  static_assert(std::is_same_v<Column, int>, "columns of a matrix must be of type int");
  static constexpr bool are_valid = signed_of_32_or_64_bits<Offset> && std::is_same_v<Column, int>;
  using offset = std::conditional_t<are_valid, Offset, int>;
};

} // namespace detail

/// Pointers to a matrix in the memory of an executor; owns nothing. offsets: rows + 1 values, not decreasing. columns,
/// values: indexed by [offsets[0], offsets[rows]). Operations take columns of int unless they say otherwise.
template <class Value, std::signed_integral Offset = int, std::signed_integral Column = int> struct csr_view {
  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  const Column* columns = nullptr;
  const Value* values = nullptr;

  /// Calls visit(name, array, first, size) for each array; see the end of this file.
  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets, 0, rows == 0 ? 0 : std::int64_t{rows} + 1);
    visit("columns", columns, first_entry, entries);
    visit("values", values, first_entry, entries);
  }
};

/// A view of arrays on one executor: std::vectors, spans or buffers. Offsets are int or std::int64_t, columns are int.
/// The arrays outlive the view; their contents are not checked. Throws invalid_argument if their sizes are not those of
/// a matrix.
template <class Offsets, class Columns, class Values>
auto make_csr_view(int rows, int cols, const Offsets& offsets, const Columns& columns, const Values& values) {
  using types = detail::csr_index_types<detail::element_type<Offsets>, detail::element_type<Columns>>;
  using view = csr_view<detail::element_type<Values>, typename types::offset>;
  detail::require_csr_sizes(rows, cols, std::size(offsets), std::size(columns), std::size(values));
  if constexpr (types::are_valid)
    return view{rows, cols, std::data(offsets), std::data(columns), std::data(values)};
  else
    return view{};
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
template <class Offset, class Column, class Value>
csr_matrix(int, int, std::vector<Offset>, std::vector<Column>, std::vector<Value>)
    -> csr_matrix<Value, typename detail::csr_index_types<Offset, Column>::offset>;

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

// --- details ---------------------------------------------------------------------------------------------------------
// The arrays that an operation on a matrix reads. They are used to refuse outputs that overlap them.
//
// A matrix has for_each_array(first_entry, entries, visit), which calls visit(name, array, first, size) for each of its
// arrays. The operation reads elements [first, first + size) of it for atoms [first_entry, first_entry + entries).

namespace evenly::detail {

/// Throws invalid_argument if a required array of the matrix is null, or if an array overlaps the `count` elements of
/// the output `out`.
template <class Matrix, class T>
void require_apart_from_matrix(const Matrix& a, std::int64_t first_entry, std::int64_t entries,
                               const char* name, const T* out, std::int64_t count) {
  a.for_each_array(first_entry, entries,
                   [&](const char* array, const auto* elements, std::int64_t first, std::int64_t size) {
                     require_memory(array, elements, size);
                     if (size > 0) require_apart(array, elements + first, size, name, out, count, false);
                   });
}

/// Throws invalid_argument for vectors of wrong sizes, and for vectors that overlap.
template <class Value>
void check_vectors(int rows, int cols, std::span<const Value> x, std::span<const Value> y) {
  const auto sized = [](const char* name, std::size_t size, const char* what, int expected) {
    require(size == static_cast<std::size_t>(expected), [&] {
      return concat(name, " has ", size, " elements, but the matrix has ", expected, " ", what);
    });
  };
  sized("x", x.size(), "columns", cols);
  sized("y", y.size(), "rows", rows);
  require_memory("x", x.data(), cols);
  require_memory("y", y.data(), rows);
  require_apart("x", x.data(), cols, "y", y.data(), rows, false);
}

} // namespace evenly::detail
