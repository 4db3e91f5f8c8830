// SPDX-License-Identifier: Apache-2.0
// The transpose of a sparse matrix, by a stable sort of its entries by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"

namespace evenly {

/// A^T, on `exec`, where the view lies. Its columns ascend in each row; entries of A at one place stay apart, in their
/// order. Throws invalid_argument for sizes below 0 and for null offsets; columns, in [0, a.cols), are not looked at.
/// Allocates and synchronises. Cost: a stable sort of 4-byte keys with a number of Offset each, some reads and writes
/// of each entry, a search for each row of A^T; meanwhile 8 + 2 sizeof(Offset) bytes for each entry, and the sort's.
/// `temporaries`: the executor of other memory than the result's.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> transpose(const Executor& exec, const csr_view<Value, Offset>& a,
                                     const std::type_identity_t<Executor>* temporaries = nullptr) {
  const Executor& scratch = temporaries == nullptr ? exec : *temporaries;
  const auto all = detail::entries_of(exec, a);
  const auto size = static_cast<std::size_t>(all.count);
  csr_buffers<Value, Offset> t{
      a.cols, a.rows, {}, make_buffer<int>(exec, size), make_buffer<Value>(exec, size)};
  if (all.count == 0) {
    t.offsets = make_buffer<Offset>(exec, static_cast<std::size_t>(a.cols) + 1);
    exec.fill_zero(t.offsets.data(), t.offsets.size() * sizeof(Offset));
    return t;
  }
  const auto ordered = detail::order_entries<Offset>(scratch, a.columns + all.first, all.count);
  t.offsets = detail::offsets_of_lines<Offset>(exec, ordered.lines.data(), all.count, a.cols);
  const auto rows = detail::rows_of_entries(scratch, a, all.count);
  tabulate(exec, all.count, detail::element_of_numbered<int, Offset>{rows.data(), ordered.numbers.data()},
           t.columns.data());
  tabulate(exec, all.count,
           detail::element_of_numbered<Value, Offset>{a.values + all.first, ordered.numbers.data()},
           t.values.data());
  exec.synchronize(); // the memory resource may not wait before it frees
  return t;
}

} // namespace evenly
