// SPDX-License-Identifier: Apache-2.0
// The rows of a matrix that a picture shows: a range that the user names, and a sample of it where it is too large.
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

/// `5:80`. Throws usage_error unless it is two counts, the first of which is less.
row_range parse_row_range(const std::string& text);

/// How much a picture can show. `chunk`: neighboring rows that stay together.
struct picture_limits {
  std::int64_t max_rows;
  std::int64_t min_rows; ///< so many are kept, with smaller sizes if need be
  std::int64_t max_atoms;
  std::int64_t chunk = 1;
};

struct drawn_rows {
  std::vector<int> offsets; ///< of the rows that are drawn, from 0
  std::string note;         ///< which they are, in words; empty: all rows, as they are
};

/// The rows of `range`, which must lie in the matrix of these offsets (rows + 1). If these are too many, or have too
/// many atoms: evenly spaced chunks of them. If `min_rows` still have too many atoms, their sizes are divided by the
/// same number, and only empty rows stay empty. `input` is its name, for messages. Throws invalid_argument for a range
/// beyond the last row.
drawn_rows choose_rows(std::span<const int> offsets, const std::optional<row_range>& range,
                       const picture_limits& limits, const std::string& input);

/// The range, or all rows. Throws as choose_rows does.
row_range checked_range(std::int64_t rows, const std::optional<row_range>& range, const std::string& input);

} // namespace evenly::draw
