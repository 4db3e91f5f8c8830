// SPDX-License-Identifier: Apache-2.0
// The rows of a matrix in a picture: a range that the user chooses, and a sample of it if it is too large.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace evenly::draw {

/// Rows first, first + 1, ..., end - 1, counted from 0.
struct row_range {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// Parses `5:80`. Throws usage_error unless it is two counts in ascending order.
row_range parse_row_range(const std::string& text);

/// Limits of a picture. `chunk`: number of consecutive rows that are sampled together.
struct picture_limits {
  std::int64_t max_rows;
  std::int64_t min_rows; ///< minimum number of rows; sizes are reduced if necessary
  std::int64_t max_atoms;
  std::int64_t chunk = 1;
};

struct drawn_rows {
  std::vector<int> offsets; ///< of the drawn rows, from 0
  std::string note;         ///< describes the sample; empty if all rows are drawn with their sizes
};

/// The rows of `range`, which must be in the matrix with these offsets (rows + 1). If they are too many, or have too
/// many atoms: evenly spaced chunks of them. If `min_rows` rows still have too many atoms, all sizes are divided by the
/// same number, and only empty rows stay empty. `input` is the name for messages. Throws invalid_argument for a range
/// beyond the last row.
drawn_rows choose_rows(std::span<const int> offsets, const std::optional<row_range>& range,
                       const picture_limits& limits, const std::string& input);

/// The range, or all rows. Throws like choose_rows.
row_range checked_range(std::int64_t rows, const std::optional<row_range>& range, const std::string& input);

} // namespace evenly::draw
