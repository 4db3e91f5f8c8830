// SPDX-License-Identifier: Apache-2.0
// Sparse matrices from Matrix Market files.
//
// The format is that of Boisvert, Pozo and Remington, "The Matrix Market Exchange Formats", NISTIR 5935
// (1996). Entries are kept as they come and put into rows by counting, so a file costs memory for the entries
// it holds, never for those that its header announces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/byte_source.hpp"
#include "io/row_profile.hpp"

namespace evenly::io {

/// The most that a matrix may have. The defaults are what 32-bit offsets, columns and row numbers can count; whoever
/// reads files that he does not trust may set less, since rows of a matrix cost memory even when they are empty.
struct matrix_limits {
  std::int64_t rows = 2147483646;
  std::int64_t cols = 2147483647;
  std::int64_t entries = 2147483647; ///< after symmetric storage is expanded
};

/// Reads a Matrix Market file, plain or compressed by gzip, bzip2, xz or Zstandard (told by its first bytes).
///
/// Understood: `matrix coordinate`, `real`, `integer` and `pattern` (each value 1), `general`, `symmetric`
/// and `skew-symmetric`. The banner's case does not matter; lines may end in \r\n, start and end in blanks,
/// be blank or be comments (%) anywhere after the banner.
///
/// The result holds both triangles of symmetric storage, whichever of them the file gives. Entries at the
/// same place are added in the file's order (for symmetric storage (i, j) and (j, i) are the same place), so
/// columns are sorted and distinct in each row. Explicit zeros are kept. Integers beyond 2^53 are rounded to
/// double. Real values may be inf and nan.
///
/// Throws file_error for anything else: see there for the message. Takes O(entries + rows) time unless rows
/// come unsorted, 16 bytes per entry of the file on top of the result; what is not there (memory_shortage) is refused
/// before it is taken.
csr_matrix<double> read_matrix_market(const std::filesystem::path& path, const matrix_limits& limits = {});

struct matrix_file {
  csr_matrix<double> matrix;
  bool has_values = false; ///< whether it is no pattern
};

/// The same as read_matrix_market(path), and whether the file has values.
matrix_file read_matrix_file(const std::filesystem::path& path, const matrix_limits& limits = {});
matrix_file read_matrix_file(byte_source source, const matrix_limits& limits = {});

/// The sizes of the rows that read_matrix_market would give, and the same errors. Costs 8 bytes for each row
/// that has entries and row_counter's memory, whatever is announced. That is all for entries that come by row
/// and column or by column and row, of a symmetric matrix in one triangle; otherwise each entry costs 8 bytes
/// more, and a file is read twice.
row_profile read_row_profile(const std::filesystem::path& path, const matrix_limits& limits = {});
/// The same of what can be read but once, which costs 8 bytes for each entry.
row_profile read_row_profile(byte_source source, const matrix_limits& limits = {});

/// Reads no further than the sizes, and of a pipe or device nothing. Throws file_error, as read_matrix_market does.
void check_matrix_market(const std::filesystem::path& path, const matrix_limits& limits = {});

/// The same as read_matrix_market(path) from a stream, compressed or not. `name` stands for the path in messages.
csr_matrix<double> read_matrix_market(std::istream& stream, const std::string& name,
                                      const matrix_limits& limits = {});

} // namespace evenly::io
