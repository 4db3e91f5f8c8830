// SPDX-License-Identifier: Apache-2.0
#include "io/row_profile.hpp"

#include <algorithm>
#include <cstddef>

namespace evenly::io {

std::vector<filled_row> filled_rows(std::span<const int> offsets) {
  std::vector<filled_row> filled;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    if (const int size = offsets[row + 1] - offsets[row]; size > 0)
      filled.push_back({static_cast<int>(row), size});
  return filled;
}

void row_counter::add_pending(int row) {
  pending_.push_back(row);
  if (static_cast<std::int64_t>(pending_.size()) < rows_) return;
  counts_.resize(static_cast<std::size_t>(rows_));
  pending_.for_each([&](int each) { ++counts_[static_cast<std::size_t>(each)]; });
  pending_ = {};
}

std::int64_t row_counter::growth() const {
  return pending_.growth() + 12 * std::min(pending_.next_capacity(), rows_);
}

std::vector<filled_row> row_counter::finish() {
  std::vector<filled_row> filled;
  for (std::size_t row = 0; row < counts_.size(); ++row)
    if (counts_[row] > 0) filled.push_back({static_cast<int>(row), counts_[row]});
  std::vector<int> rows = pending_.gather();
  std::ranges::sort(rows);
  for (const int row : rows)
    if (!filled.empty() && filled.back().row == row)
      ++filled.back().size;
    else
      filled.push_back({row, 1});
  return filled;
}

} // namespace evenly::io
