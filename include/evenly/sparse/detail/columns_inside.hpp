// SPDX-License-Identifier: Apache-2.0
// The check of the columns of a matrix in compressed rows: an entry outside the matrix is refused before a kernel reads
// beyond a vector.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly::detail {

/// Finds entries outside the matrix.
struct check_columns {
  struct report {
    std::int64_t at;
    int column;
  };
  const int* columns;
  std::int64_t entries;
  int cols;

  EVENLY_FN std::int64_t count() const { return entries; }
  EVENLY_FN bool bad(std::int64_t k) const { return (columns[k] < 0) | (columns[k] >= cols); }
  EVENLY_FN report tell(std::int64_t at) const { return {at, at == no_fault ? 0 : columns[at]}; }
};

/// Throws invalid_argument unless the columns of entries [first, first + count) are in [0, cols). Waits.
template <class Executor, class Value, class Offset>
void require_columns(const Executor& exec, const csr_view<Value, Offset>& a, std::int64_t first,
                     std::int64_t count) {
  if (count <= 0) return;
  const auto seen = first_fault(exec, check_columns{a.columns + first, count, a.cols}, count);
  require(seen.at == no_fault, [&] {
    return concat("entry ", seen.at + first, " is in column ", seen.column, " of a matrix of ", a.cols,
                  " columns: they are counted from 0");
  });
}

/// The same for all entries of a csr_matrix. Views are not checked.
template <class Executor, class A> void require_columns(const Executor& exec, const A& a) {
  if constexpr (csr_owner<A>) {
    if (a.rows == 0) return;
    const auto view = a.view();
    std::remove_cvref_t<decltype(*view.offsets)> first = 0, end = 0;
    exec.copy_to_host(&first, view.offsets, sizeof(first));
    exec.copy_to_host(&end, view.offsets + a.rows, sizeof(end));
    require_csr_end(end, a.columns.size());
    if (first >= 0) require_columns(exec, view, first, std::int64_t{end} - first);
  }
}

} // namespace evenly::detail
