// SPDX-License-Identifier: Apache-2.0
// Common parts of conversions between matrix formats: functions of entries, and their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "evenly/algorithms/expand.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::detail {

/// The number of sorted line numbers (rows or columns) that are less than a given line.
template <class Line, class Offset> struct entries_before_line {
  const Line* sorted;
  Offset entries;
  EVENLY_FN Offset operator()(std::int64_t line) const {
    return first_past(Offset{0}, entries, [&](Offset e) { return sorted[e] >= line; });
  }
};
template <class T, class Number> struct element_of_numbered {
  const T* elements;
  const Number* numbers;
  EVENLY_FN T operator()(std::int64_t i) const { return elements[numbers[i]]; }
};
template <class To, class From> struct narrowed {
  const From* from;
  EVENLY_FN To operator()(std::int64_t i) const { return static_cast<To>(from[i]); }
};
template <class T> struct element_of_entry {
  const T* elements;
  EVENLY_FN T operator()(std::int64_t i) const { return elements[i]; }
};
template <class Executor, class T>
buffer<T> copy_of_elements(const Executor& exec, const T* elements, std::int64_t count) {
  auto made = make_buffer<T>(exec, static_cast<std::size_t>(count));
  tabulate(exec, count, element_of_entry<T>{elements}, made.data());
  return made;
}

template <class Offset> void check_offsets(int lines, const Offset* offsets, const char* what = "rows") {
  require(lines == 0 || offsets != nullptr,
          [&] { return "offsets are null, but the matrix has " + std::to_string(lines) + ' ' + what; });
}
/// Throws invalid_argument if a format with `slots` slots takes more than `max_bytes`, or if Offset cannot number the
/// slots.
template <class Offset>
void check_slots(std::string_view format, double slots, std::size_t bytes_of_slot, std::int64_t max_bytes) {
  const auto text = [](double number) { return std::to_string(static_cast<std::int64_t>(number)); };
  const double bytes = slots * static_cast<double>(bytes_of_slot);
  require(bytes <= static_cast<double>(max_bytes), [&] {
    return std::string(format) + " takes " + text(slots) + " slots, " + text(bytes) +
           " bytes, more than the allowed " + std::to_string(max_bytes);
  });
  require(slots <= static_cast<double>(std::numeric_limits<Offset>::max()), [&] {
    return std::string(format) + " takes " + text(slots) + " slots, too many for offsets of " +
           std::to_string(8 * sizeof(Offset)) + " bits";
  });
}

/// The number of the first entry of a view, and the number of entries.
template <class Offset> struct entry_range {
  Offset first = 0;
  std::int64_t count = 0;
};
template <class Executor, class Value, class Offset, class Column>
entry_range<Offset> entries_of(const Executor& exec, const csr_view<Value, Offset, Column>& a) {
  check_matrix_sizes(a.rows, a.cols);
  check_offsets(a.rows, a.offsets);
  if (a.rows == 0) return {};
  Offset first = 0, end = 0;
  exec.copy_to_host(&first, a.offsets, sizeof(first));
  exec.copy_to_host(&end, a.offsets + a.rows, sizeof(end));
  return {first, static_cast<std::int64_t>(end) - first};
}

template <class Offset> struct offset_from_first {
  const Offset* offsets;
  Offset first;
  EVENLY_FN Offset operator()(std::int64_t line) const { return offsets[line] - first; }
};
/// A copy of the offsets of `lines` lines, shifted to begin at 0.
template <class Executor, class Offset>
buffer<Offset> copy_of_offsets(const Executor& exec, const Offset* offsets, int lines, Offset first) {
  auto made = make_buffer<Offset>(exec, static_cast<std::size_t>(lines) + 1);
  if (lines == 0)
    exec.fill_zero(made.data(), sizeof(Offset));
  else
    tabulate(exec, std::int64_t{lines} + 1, offset_from_first<Offset>{offsets, first}, made.data());
  return made;
}

/// The row of each entry, from the view's first entry on.
template <class Executor, class Value, class Offset, class Column>
buffer<int> rows_of_entries(const Executor& exec, const csr_view<Value, Offset, Column>& a,
                            std::int64_t count) {
  auto rows = make_buffer<int>(exec, static_cast<std::size_t>(count));
  if (count > 0) expand(exec, schedule_for_sums{}, csr_tile_set<Offset>(a.offsets, a.rows), rows.span());
  return rows;
}

/// Entries in a stable order by line: their numbers and their lines.
template <class Line, class Offset> struct ordered_entries {
  buffer<Line> lines;
  buffer<Offset> numbers;
};
template <class Offset, class Line, class Executor>
ordered_entries<Line, Offset> order_entries(const Executor& exec, const Line* lines, std::int64_t count) {
  const auto size = static_cast<std::size_t>(count);
  ordered_entries<Line, Offset> made{make_buffer<Line>(exec, size), make_buffer<Offset>(exec, size)};
  if (count == 0) return made;
  const auto numbers = make_buffer<Offset>(exec, size);
  tabulate(exec, count, same_number{}, numbers.data());
  workspace memory;
  sort_numbers(exec, lines, numbers.data(), count, made.lines.data(), made.numbers.data(), memory);
  exec.synchronize(); // the memory resource may not wait before it frees
  return made;
}
/// The begin of each of `count` lines among sorted entries, and the end of the last line.
template <class Offset, class Line, class Executor>
buffer<Offset> offsets_of_lines(const Executor& exec, const Line* sorted, std::int64_t entries,
                                std::int64_t count) {
  auto offsets = make_buffer<Offset>(exec, static_cast<std::size_t>(count) + 1);
  tabulate(exec, count + 1, entries_before_line<Line, Offset>{sorted, static_cast<Offset>(entries)},
           offsets.data());
  return offsets;
}

template <class Line> struct begins_line {
  const Line* sorted;
  EVENLY_FN bool operator()(std::int64_t i) const { return i == 0 || sorted[i] != sorted[i - 1]; }
};
/// The distinct lines of `count` entries, ascending. Synchronises.
template <class Offset, class Line, class Executor>
buffer<Line> distinct_lines(const Executor& exec, const Line* lines, std::int64_t count) {
  if (count == 0) return make_buffer<Line>(exec, 0);
  const auto ordered = order_entries<Offset>(exec, lines, count);
  const auto firsts = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(count));
  const std::int64_t found =
      select(exec, counting{}, count, begins_line<Line>{ordered.lines.data()}, firsts.data());
  auto distinct = make_buffer<Line>(exec, static_cast<std::size_t>(found));
  tabulate(exec, found, element_of_numbered<Line, std::int64_t>{ordered.lines.data(), firsts.data()},
           distinct.data());
  exec.synchronize();
  return distinct;
}

/// Puts values into slots, and counts values whose slot is already taken.
template <class Value, class SlotOf> struct fill_slots {
  SlotOf slot_of;
  const Value* from;
  Value* to;
  int* taken; ///< one per slot, initially 0
  int* twice;
  EVENLY_FN int operator()(std::int64_t i) const {
    const std::int64_t slot = slot_of(i);
    const bool is_first = atomic_ref(taken[slot]).fetch_or(1, order::relaxed{}) == 0;
    if (is_first)
      to[slot] = from[i];
    else
      atomic_ref(*twice).fetch_or(1, order::relaxed{});
    return 0;
  }
};
/// Throws invalid_argument if two entries have the same slot.
template <class Executor, class Value, class SlotOf>
void fill_own_slots(const Executor& exec, std::string_view format, std::int64_t entries, const Value* from,
                    const SlotOf& slot_of, std::int64_t slots, Value* to) {
  if (slots == 0) return;
  exec.fill_zero(to, static_cast<std::size_t>(slots) * sizeof(Value));
  if (entries == 0) return;
  const auto taken = make_buffer<int>(exec, static_cast<std::size_t>(slots)),
             twice = make_buffer<int>(exec, 1);
  const auto unused = make_buffer<int>(exec, static_cast<std::size_t>(entries));
  exec.fill_zero(taken.data(), taken.size() * sizeof(int));
  exec.fill_zero(twice.data(), sizeof(int));
  tabulate(exec, entries, fill_slots<Value, SlotOf>{slot_of, from, to, taken.data(), twice.data()},
           unused.data());
  int any = 0;
  exec.copy_to_host(&any, twice.data(), sizeof(any));
  require(any == 0, [&] {
    return "a position of the matrix has several entries, but in " + std::string(format) +
           " it must have one: add them up first";
  });
}

} // namespace evenly::detail
