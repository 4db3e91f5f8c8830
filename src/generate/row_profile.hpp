// SPDX-License-Identifier: Apache-2.0
// The sizes of a matrix's rows without its entries, in memory for what there is: rows that are merely announced cost
// nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/chunked.hpp"

namespace evenly::generate {

struct filled_row {
  int row;
  int size; ///< 1 or more
};

struct row_profile {
  int rows = 0;
  int cols = 0;
  std::vector<filled_row> filled = {}; ///< ascending; the other rows are empty
};

/// `offsets`: rows + 1 values.
std::vector<filled_row> filled_rows(std::span<const int> offsets);

/// Counts entries by row, in any order. Holds 4 bytes for each entry until there are as many as rows, then for each
/// row.
class row_counter {
 public:
  explicit row_counter(std::int64_t rows) : rows_(rows) {}

  /// `row` is in [0, rows).
  void add(int row) {
    if (counts_.empty())
      add_pending(row);
    else
      ++counts_[static_cast<std::size_t>(row)];
  }

  /// Whether the next add() allocates, and how many bytes it and finish() need then. Of these, 4 for each entry or row
  /// are back when finish() is done.
  bool is_full() const { return counts_.empty() && pending_.is_full(); }
  std::int64_t growth() const;

  std::vector<filled_row> finish();

 private:
  void add_pending(int row);

  std::int64_t rows_;
  io::chunked<int> pending_;
  std::vector<int> counts_; ///< of every row, once that is no more than `pending_` would hold
};

} // namespace evenly::generate
