// SPDX-License-Identifier: Apache-2.0
// The head of a Matrix Market file: its banner and its sizes.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/text_blocks.hpp"

namespace evenly::io {

struct matrix_limits;

inline constexpr std::string_view matrix_comment = "%"; ///< a comment begins with it

enum class matrix_field { real, integer, unsigned_integer, complex, pattern };
enum class matrix_symmetry { general, symmetric, skew, hermitian };

struct matrix_header {
  bool is_array = false;  ///< all places column by column, without their row and column
  bool is_vector = false; ///< of the object `vector`: one column, whose lines do not name it
  matrix_field values = matrix_field::real;
  matrix_symmetry storage = matrix_symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;   ///< how many lines follow: announced, or of an array what its sizes make
  std::int64_t size_line = 0; ///< the line that announced them

  /// The number of entries that an off-diagonal entry represents.
  int expansion() const { return storage == matrix_symmetry::general ? 1 : 2; }
};

/// Reads the banner and the line of sizes. Throws file_error for what is unknown, cannot be, or is beyond the limits.
matrix_header read_matrix_header(text_blocks& blocks, const matrix_limits& limits);

} // namespace evenly::io
