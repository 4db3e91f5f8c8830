// SPDX-License-Identifier: Apache-2.0
// The laws of every matrix that src/io makes. Used by the tests and by the fuzz target, which has no
// GoogleTest.
#pragma once

#include <cstddef>
#include <string>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::io::testing {

/// The first broken rule, or nothing: offsets start at 0 and do not decrease, arrays are as long as they say,
/// columns are inside, sorted and distinct in each row.
template <class Value> std::string broken_rule(const csr_matrix<Value>& a) {
  if (a.rows < 0 || a.cols < 0) return "negative size";
  if (a.offsets.size() != static_cast<std::size_t>(a.rows) + 1 || a.offsets.front() != 0) return "offsets";
  const auto atoms = static_cast<std::size_t>(a.offsets.back());
  if (a.columns.size() != atoms || a.values.size() != atoms) return "lengths of columns and values";
  for (int row = 0; row < a.rows; ++row) {
    if (a.offsets[row + 1] < a.offsets[row]) return "offsets decrease at row " + std::to_string(row);
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
      if (a.columns[k] < 0 || a.columns[k] >= a.cols) return "column outside in row " + std::to_string(row);
      if (k > a.offsets[row] && a.columns[k] <= a.columns[k - 1])
        return "order in row " + std::to_string(row);
    }
  }
  return {};
}

} // namespace evenly::io::testing
