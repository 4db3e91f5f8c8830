// SPDX-License-Identifier: Apache-2.0
// The row sizes of a matrix without its entries. Memory is proportional to the non-empty rows: empty rows cost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/chunked.hpp"

namespace evenly::generate {

struct filled_row {
  int row;
  int size; ///< at least 1
};

struct row_profile {
  int rows = 0;
  int cols = 0;
  std::vector<filled_row> filled = {}; ///< in ascending order; all other rows are empty
};

/// `offsets`: rows + 1 values.
std::vector<filled_row> filled_rows(std::span<const int> offsets);

/// Counts entries by row, in any order. Needs 4 bytes per entry until there are as many entries as rows, then 4 bytes
/// per row.
class row_counter {
 public:
  explicit row_counter(std::int64_t rows) : rows_(rows) {}

  /// `row` must be in [0, rows).
  void add(int row) {
    if (counts_.empty())
      add_pending(row);
    else
      ++counts_[static_cast<std::size_t>(row)];
  }

  /// Whether the next add() allocates, and the number of bytes that it and finish() need then. finish() releases 4 of
  /// these bytes per entry or row.
  bool is_full() const { return counts_.empty() && pending_.is_full(); }
  std::int64_t growth() const;

  std::vector<filled_row> finish();

 private:
  void add_pending(int row);

  std::int64_t rows_;
  io::chunked<int> pending_;
  std::vector<int> counts_; ///< size of every row, once this needs no more memory than `pending_`
};

} // namespace evenly::generate
