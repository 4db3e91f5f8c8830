// SPDX-License-Identifier: Apache-2.0
// Scaling of the rows and columns of a sparse matrix, and the norms of its rows and columns.
//
//   evenly::scale(exec, a.view(), rows, columns, values);                 // values of diag(rows) A diag(columns)
//   evenly::row_norms(exec, a.view(), evenly::norm_kind::two, norms);     // one per row
//   evenly::column_norms(exec, a.view(), evenly::norm_kind::one, norms);  // one per column
//
// The bits of the results are the same on every run of one executor. Sums of columns are those of the rows of the
// transpose.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/transpose.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// The norm of a row or column: the sum of absolute values, the Euclidean norm, or the maximum absolute value.
enum class norm_kind { one, two, max };

namespace detail {

template <class Value, class Offset> struct scale_entry {
  const int* columns;
  const Value* values;
  const Value* of_rows;    ///< null: ones
  const Value* of_columns; ///< null: ones
  Value* out;
  EVENLY_FN void operator()(int row, Offset entry) const {
    Value value = values[entry];
    if (of_rows != nullptr) value = of_rows[row] * value;
    if (of_columns != nullptr) value = value * of_columns[columns[entry]];
    out[entry] = value;
  }
};

template <class Value> struct term_of_norm {
  const Value* values;
  norm_kind kind;
  EVENLY_FN Value operator()(std::int64_t entry) const {
    const Value value = values[entry];
    return kind == norm_kind::two ? value * value : value < 0 ? -value : value;
  }
};
template <class Value> struct store_norm {
  norm_kind kind;
  Value* norms;
  EVENLY_FN void operator()(int row, Value sum) const {
    if (kind == norm_kind::two) sum = std::sqrt(sum);
    norms[row] = sum < 0 ? Value{0} : sum; // the maximum of an empty row is the smallest number
  }
};
inline void check_vector_of_lines(const char* name, std::size_t size, int lines, const char* what) {
  require(size == static_cast<std::size_t>(lines < 0 ? 0 : lines),
          [&] { return concat(name, " has ", size, " elements, but the matrix has ", lines, " ", what); });
}

} // namespace detail

/// The values of diag(rows) A diag(columns), for the positions of A.
///
/// - a: a view on `exec`, like all arrays. Value: float or double.
/// - rows: a.rows factors; columns: a.cols factors. An empty span stands for ones.
/// - values: as many as A has entries, from its first one on. They may be A's own values, or are apart from them.
/// - Cost: O(rows + entries). Allocates and synchronises; on cuda the values may still be pending.
/// - Throws invalid_argument for wrong sizes.
template <class Executor, class Value, class Offset>
void scale(const Executor& exec, const csr_view<Value, Offset>& a,
           std::type_identity_t<std::span<const Value>> rows,
           std::type_identity_t<std::span<const Value>> columns,
           std::type_identity_t<std::span<Value>> values) {
  static_assert(std::is_floating_point_v<Value>, "matrices are scaled in float or double");
  const auto all = detail::entries_of(exec, a);
  if (!rows.empty()) detail::check_vector_of_lines("rows", rows.size(), a.rows, "rows");
  if (!columns.empty()) detail::check_vector_of_lines("columns", columns.size(), a.cols, "columns");
  require(values.size() == static_cast<std::size_t>(all.count), [&] {
    return detail::concat("values has ", values.size(), " elements, but the matrix has ", all.count,
                          " entries");
  });
  detail::require_apart("the values of A", a.values + all.first, all.count, "values", values.data(),
                        all.count, true);
  if (all.count == 0) return;
  for_each_atom(exec, schedule_for_sums{}, csr_tile_set<Offset>(a.offsets, a.rows),
                detail::scale_entry<Value, Offset>{a.columns, a.values, rows.data(), columns.data(),
                                                   values.data() - all.first});
}

/// The norm of each row: norms[i] for row i; 0 for an empty row, NaN for a row with NaN.
///
/// - a: a view on `exec`, like norms, which has a.rows elements. Value: float or double. Squares are not scaled: the
///   Euclidean norm of values above the square root of the largest number is infinite.
/// - Cost: O(rows + entries). Allocates and synchronises; on cuda the norms may still be pending.
/// - Throws invalid_argument for wrong sizes.
template <class Executor, class Value, class Offset>
void row_norms(const Executor& exec, const csr_view<Value, Offset>& a, norm_kind kind,
               std::type_identity_t<std::span<Value>> norms) {
  static_assert(std::is_floating_point_v<Value>, "norms are of float or double");
  detail::check_matrix_sizes(a.rows, a.cols);
  detail::check_offsets(a.rows, a.offsets);
  detail::check_vector_of_lines("norms", norms.size(), a.rows, "rows");
  if (a.rows == 0) return;
  const auto reduce = [&](const auto& monoid) {
    reduce_tiles(exec, schedule_for_sums{}, csr_tile_set<Offset>(a.offsets, a.rows),
                 detail::term_of_norm<Value>{a.values, kind}, monoid,
                 detail::store_norm<Value>{kind, norms.data()});
  };
  if (kind == norm_kind::max)
    reduce(maximum<Value>{});
  else
    reduce(plus<Value>{});
}

/// The norm of each column, as row_norms of the transpose: norms has a.cols elements. Cost: in addition a sort of the
/// entries by column, and a copy of them.
template <class Executor, class Value, class Offset>
void column_norms(const Executor& exec, const csr_view<Value, Offset>& a, norm_kind kind,
                  std::type_identity_t<std::span<Value>> norms) {
  detail::check_matrix_sizes(a.rows, a.cols);
  detail::check_vector_of_lines("norms", norms.size(), a.cols, "columns");
  const auto turned = transpose(exec, a);
  row_norms(exec, turned.view(), kind, norms);
  exec.synchronize(); // before the transpose is freed
}

} // namespace evenly
