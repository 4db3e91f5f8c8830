// SPDX-License-Identifier: Apache-2.0
// The header of a Matrix Market file: its banner and its sizes.
#pragma once

#include <cstdint>
#include <string_view>

#include "io/text_blocks.hpp"

namespace evenly::io {

struct matrix_limits;

inline constexpr std::string_view matrix_comment = "%"; ///< starts a comment

enum class matrix_field { real, integer, unsigned_integer, complex, pattern };
enum class matrix_symmetry { general, symmetric, skew, hermitian };

struct matrix_header {
  bool is_array = false;  ///< all values column by column, without row and column numbers
  bool is_vector = false; ///< of the object `vector`: one column, without column numbers
  matrix_field values = matrix_field::real;
  matrix_symmetry storage = matrix_symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;   ///< lines that follow: announced, or the product of an array's sizes
  std::int64_t size_line = 0; ///< the number of the line that announced them

  /// The number of entries that an off-diagonal entry represents.
  int expansion() const { return storage == matrix_symmetry::general ? 1 : 2; }
};

/// Reads the banner and the line of sizes. Throws file_error for unknown words, impossible sizes, and sizes beyond the
/// limits.
matrix_header read_matrix_header(text_blocks& blocks, const matrix_limits& limits);

} // namespace evenly::io
