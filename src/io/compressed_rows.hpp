// SPDX-License-Identifier: Apache-2.0
// Conversion of entries to compressed rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::io {

/// Thrown for integers at the same position whose sum does not fit into 64 bits. Row and column are 0-based.
struct sum_overflow {
  std::int64_t row;
  std::int64_t col;

  /// `base`: the number of the first row and column in the file.
  std::string text(int base) const {
    return fmt::format("the sum of the values in row {} and column {}{} does not fit into 64 bits",
                       row + base, col + base, base == 0 ? ", counted from 0," : "");
  }
};

/// Adds values at the same position. False if the sum of integers overflows.
struct add_values {
  template <class Value> bool operator()(Value& sum, const Value& more) const {
    if constexpr (std::is_integral_v<Value>) return !__builtin_add_overflow(sum, more, &sum);
    sum += more;
    return true;
  }
};

/// Sorts the columns of each row and removes duplicates. add(sum, more) combines values at the same position, in their
/// order, and returns false on overflow. Throws sum_overflow. Takes O(entries) unless rows are unsorted, and memory for
/// the largest unsorted row.
template <class Value, class Add = add_values> void sort_and_add(csr_matrix<Value>& a, const Add& add = {}) {
  struct placed {
    int col;
    int order;
    Value value;
  };
  std::vector<placed> scratch;
  int kept = 0, begin = 0;
  for (std::size_t r = 0; r + 1 < a.offsets.size(); ++r) {
    const int end = a.offsets[r + 1], first = kept;
    const auto columns = a.columns.begin();
    if (!std::is_sorted(columns + begin, columns + end)) {
      scratch.clear();
      for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k)
        scratch.push_back({a.columns[k], static_cast<int>(k), a.values[k]});
      std::ranges::sort(scratch, {}, [](const placed& p) { return std::pair(p.col, p.order); });
      for (std::size_t k = 0; k < scratch.size(); ++k) {
        a.columns[static_cast<std::size_t>(begin) + k] = scratch[k].col;
        a.values[static_cast<std::size_t>(begin) + k] = scratch[k].value;
      }
    }
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const auto to = static_cast<std::size_t>(kept);
      if (kept > first && a.columns[to - 1] == a.columns[k]) {
        if (!add(a.values[to - 1], a.values[k]))
          throw sum_overflow{static_cast<std::int64_t>(r), a.columns[k]};
      } else {
        a.columns[to] = a.columns[k];
        a.values[to] = a.values[k];
        ++kept;
      }
    }
    a.offsets[r + 1] = kept;
    begin = end;
  }
  a.columns.resize(static_cast<std::size_t>(kept));
  a.values.resize(static_cast<std::size_t>(kept));
}

/// The matrix of at most 2^31 - 1 entries; entries at the same position are combined by sort_and_add. for_all(visit)
/// calls visit(row, col, value) for each entry, 0-based and in range. It is called twice and must visit the same
/// entries.
template <class Value, class ForAll, class Add = add_values>
csr_matrix<Value> compress_rows(int rows, int cols, const ForAll& for_all, const Add& add = {}) {
  csr_matrix<Value> a;
  a.rows = rows;
  a.cols = cols;
  // While rows are filled, offsets[r + 1] is the position of the next entry of row r. At the end it is the end of row
  // r.
  a.offsets.assign(static_cast<std::size_t>(rows) + 1, 0);
  for_all([&](int row, int, const Value&) { ++a.offsets[static_cast<std::size_t>(row) + 1]; });
  int atoms = 0;
  for (std::size_t r = 1; r < a.offsets.size(); ++r) atoms += std::exchange(a.offsets[r], atoms);
  a.columns.resize(static_cast<std::size_t>(atoms));
  a.values.resize(static_cast<std::size_t>(atoms));
  for_all([&](int row, int col, const Value& value) {
    const auto place = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]++);
    a.columns[place] = col;
    a.values[place] = value;
  });
  sort_and_add(a, add);
  return a;
}

} // namespace evenly::io
