// SPDX-License-Identifier: Apache-2.0
#include "generate/row_profile.hpp"

#include <algorithm>
#include <cstddef>

namespace evenly::generate {

std::vector<filled_row> filled_rows(std::span<const int> offsets) {
  std::size_t count = 0;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) count += offsets[row + 1] > offsets[row];
  std::vector<filled_row> filled;
  filled.reserve(count);
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
    if (const int size = offsets[row + 1] - offsets[row]; size > 0)
      filled.push_back({static_cast<int>(row), size});
  return filled;
}

namespace {

/// `counts`: the size of every row.
std::vector<filled_row> filled_rows_by(const std::vector<int>& counts) {
  std::vector<filled_row> filled;
  filled.reserve(counts.size() - static_cast<std::size_t>(std::ranges::count(counts, 0)));
  for (std::size_t row = 0; row < counts.size(); ++row)
    if (counts[row] > 0) filled.push_back({static_cast<int>(row), counts[row]});
  return filled;
}

/// `rows`: the row of each entry.
std::vector<filled_row> filled_rows_of(std::vector<int> rows) {
  std::ranges::sort(rows);
  std::size_t count = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) count += k == 0 || rows[k] != rows[k - 1];
  std::vector<filled_row> filled;
  filled.reserve(count);
  for (const int row : rows)
    if (!filled.empty() && filled.back().row == row)
      ++filled.back().size;
    else
      filled.push_back({row, 1});
  return filled;
}

} // namespace

void row_counter::add_pending(int row) {
  pending_.push_back(row);
  if (static_cast<std::int64_t>(pending_.size()) < rows_) return;
  counts_.resize(static_cast<std::size_t>(rows_));
  pending_.for_each([&](int each) { ++counts_[static_cast<std::size_t>(each)]; });
  pending_ = {};
}

std::int64_t row_counter::growth() const {
  constexpr std::int64_t a_piece = sizeof(int); // all pending entries in one piece, or a count per row
  return pending_.growth() + (a_piece + static_cast<std::int64_t>(sizeof(filled_row))) *
                                 std::min(pending_.next_capacity(), rows_);
}

std::vector<filled_row> row_counter::finish() {
  return counts_.empty() ? filled_rows_of(pending_.gather()) : filled_rows_by(counts_);
}

} // namespace evenly::generate
