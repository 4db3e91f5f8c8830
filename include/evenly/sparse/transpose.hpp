// SPDX-License-Identifier: Apache-2.0
// The transpose of a sparse matrix, by a stable sort of its entries by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"

namespace evenly {

namespace detail {

/// The rows of the entries of a pattern by columns, and the numbers of these entries.
template <class Offset> struct pattern_by_columns {
  buffer<Offset> offsets; ///< of columns
  buffer<int> columns;    ///< rows of the pattern, ascending in each column
  buffer<Offset> numbers; ///< from the first entry on
};
/// The result on `exec`, except for the numbers. columns: from the first entry on; they may be in `room`, which becomes
/// the columns of the result and has one element per entry. Synchronises.
template <class Executor, class Value, class Offset, class Column>
pattern_by_columns<Offset>
transposed_pattern(const Executor& exec, const Executor& scratch, const csr_view<Value, Offset, Column>& a,
                   const entry_range<Offset>& all, const int* columns, buffer<int> room) {
  auto ordered = order_entries<Offset>(scratch, columns, all.count);
  pattern_by_columns<Offset> made{offsets_of_lines<Offset>(exec, ordered.lines.data(), all.count, a.cols),
                                  std::move(room), std::move(ordered.numbers)};
  const auto rows = rows_of_entries(scratch, a, all.count);
  tabulate(exec, all.count, element_of_numbered<int, Offset>{rows.data(), made.numbers.data()},
           made.columns.data());
  exec.synchronize(); // the memory resource may not wait before it frees
  return made;
}

} // namespace detail

/// Returns A^T on `exec`, where the view lies.
///
/// - Columns ascend in each row of the result; entries at one position remain separate, in their order.
/// - Columns of `a` are int or std::int64_t. They must be in [0, a.cols), which is not checked.
/// - temporaries: the executor for all memory except the result's.
/// - Cost: a stable sort of one 4-byte key and one Offset per entry, some reads and writes per entry, and a search per
///   row of A^T. Temporary memory: 8 + 2 sizeof(Offset) bytes per entry, and that of the sort.
/// - Allocates and synchronises.
/// - Throws invalid_argument for negative sizes and for null offsets.
template <class Executor, class Value, signed_of_32_or_64_bits Offset, signed_of_32_or_64_bits Column>
csr_buffers<Value, Offset> transpose(const Executor& exec, const csr_view<Value, Offset, Column>& a,
                                     const std::type_identity_t<Executor>* temporaries = nullptr) {
  const Executor& scratch = temporaries == nullptr ? exec : *temporaries;
  const auto all = detail::entries_of(exec, a);
  csr_buffers<Value, Offset> t{
      a.cols, a.rows, {}, {}, make_buffer<Value>(exec, static_cast<std::size_t>(all.count))};
  if (all.count == 0) {
    t.offsets = make_buffer<Offset>(exec, static_cast<std::size_t>(a.cols) + 1);
    exec.fill_zero(t.offsets.data(), t.offsets.size() * sizeof(Offset));
    return t;
  }
  auto room = make_buffer<int>(exec, static_cast<std::size_t>(all.count));
  const int* columns = nullptr;
  if constexpr (std::is_same_v<Column, int>) {
    columns = a.columns + all.first;
  } else { // sorted as int, which is faster; the result has the memory
    tabulate(exec, all.count, detail::narrowed<int, Column>{a.columns + all.first}, room.data());
    columns = room.data();
  }
  auto pattern = detail::transposed_pattern(exec, scratch, a, all, columns, std::move(room));
  t.offsets = std::move(pattern.offsets);
  t.columns = std::move(pattern.columns);
  tabulate(exec, all.count,
           detail::element_of_numbered<Value, Offset>{a.values + all.first, pattern.numbers.data()},
           t.values.data());
  exec.synchronize(); // the memory resource may not wait before it frees
  return t;
}

} // namespace evenly
