// SPDX-License-Identifier: Apache-2.0
// From entries to compressed rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::io {

/// Makes the columns of each row sorted and distinct; values at the same place are added in the order that they have.
/// Takes O(entries) unless rows are unsorted, and memory for the largest of these.
template <class Value> void sort_and_add(csr_matrix<Value>& a) {
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
        a.values[to - 1] += a.values[k];
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

/// The matrix of entries, at most 2^31 - 1, those at the same place added in their order. for_all(visit) calls
/// visit(row, col, value) for each of them, 0-based and in range; it is called twice, and the same each time.
template <class Value, class ForAll>
csr_matrix<Value> compress_rows(int rows, int cols, const ForAll& for_all) {
  csr_matrix<Value> a;
  a.rows = rows;
  a.cols = cols;
  // While rows are filled, offsets[r + 1] is where the next entry of row r goes: it ends where row r ends.
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
  sort_and_add(a);
  return a;
}

} // namespace evenly::io
