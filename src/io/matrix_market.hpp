// SPDX-License-Identifier: Apache-2.0
// Matrices from Matrix Market files.
//
// Format: Boisvert, Pozo and Remington, "The Matrix Market Exchange Formats", NISTIR 5935 (1996), with later additions;
// docs/inputs.md lists what is read and what is refused. Memory depends on the entries in the file, not on those that
// its header announces.
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "generate/row_profile.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"

namespace evenly::io {

/// Limits of a matrix. The defaults are the maxima for 32-bit offsets, columns and row numbers. Smaller limits protect
/// against untrusted files, because rows cost memory even when they are empty.
struct matrix_limits {
  std::int64_t rows = 2147483646;
  std::int64_t cols = 2147483647;
  std::int64_t entries = 2147483647; ///< after expansion of symmetric storage
};

/// Reads a Matrix Market file with real values, plain or compressed by gzip, bzip2, xz or Zstandard (detected by the
/// first bytes), in parallel.
///
/// Accepted:
/// - `matrix` and `vector`, `coordinate` and `array`; `real`, `double`, `integer` (64 bits), `unsigned-integer` and
///   `pattern` (each value 1); `general`, `symmetric`, `skew-symmetric`, and `hermitian`, which is symmetric for real
///   values. The banner is not case-sensitive.
/// - Lines end in \n, \r\n or \r, have any length, and may start and end with blanks. After the banner, lines may be
///   blank or comments (%). A comment may follow sizes and entries. Exponents may be written with D.
///
/// Result:
/// - It has both triangles of symmetric storage, whichever of them the file contains.
/// - Columns are sorted and distinct in each row. Entries at the same position are added in file order; in symmetric
///   storage (i, j) and (j, i) are the same position. Explicit zeros and all values of an array are kept.
/// - Real values may be infinite and NaN.
///
/// `say` receives at most one remark of each kind: values beyond the range of a double are read as infinity or zero;
/// integers beyond 2^53 are rounded to double; a third number on the lines of a pattern is ignored.
///
/// Throws file_error for any other contents, and before allocation if memory is insufficient (memory_shortage). Time:
/// O(entries + rows) unless rows are unsorted. Memory: 16 bytes per entry of the matrix in addition to the result.
csr_matrix<double> read_matrix_market(const std::filesystem::path& path, const matrix_limits& limits = {},
                                      const host::remark_handler& say = host::print_remark);

/// The same from a stream, compressed or not. `name` replaces the path in messages.
csr_matrix<double> read_matrix_market(std::istream& stream, const std::string& name,
                                      const matrix_limits& limits = {},
                                      const host::remark_handler& say = host::print_remark);

/// The same, but complex values are read, and each counts as 1: for the positions of entries only.
csr_matrix<double> read_structure(byte_source source, const matrix_limits& limits = {},
                                  const host::remark_handler& say = host::print_remark);

/// The same with complex values if the file has them. Values of `hermitian` are real on the diagonal; values at
/// mirrored positions are complex conjugates.
using any_matrix = std::variant<csr_matrix<double>, csr_matrix<std::complex<double>>>;
any_matrix read_any_matrix(byte_source source, const matrix_limits& limits = {},
                           const host::remark_handler& say = host::print_remark);

/// A matrix with the value type of its file.
struct exact_matrix {
  std::variant<csr_matrix<double>, csr_matrix<std::complex<double>>, csr_matrix<std::int64_t>,
               csr_matrix<std::uint64_t>>
      matrix;
  bool is_pattern =
      false; ///< std::int64_t without values in the file: the number of entries at each position
};

/// The same with exact integers. Entries at the same position are added exactly. Throws file_error if the sum exceeds
/// 64 bits.
exact_matrix read_exact_matrix(byte_source source, const matrix_limits& limits = {},
                               const host::remark_handler& say = host::print_remark);

struct matrix_file {
  csr_matrix<double> matrix;
  bool has_values = false; ///< the file is not a pattern
};

/// Like read_matrix_market(path); also returns whether the file has values.
matrix_file read_matrix_file(byte_source source, const matrix_limits& limits = {},
                             const host::remark_handler& say = host::print_remark);

/// Compressed rows with indices of any width, sorted and distinct as in csr_matrix.
template <class Value, class Offset, class Column> struct matrix_rows {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<Offset> offsets; ///< rows + 1 values
  std::vector<Column> columns; ///< 0-based
  std::vector<Value> values;
};

/// Like read_matrix_market, for matrices whose sizes exceed 32 bits: more than 2^31 entries, or more than 2^32 rows or
/// columns. Value: double or std::complex<double>, which also accepts real values.
template <class Value>
matrix_rows<Value, std::int64_t, std::int64_t>
read_wide_matrix(byte_source source, const host::remark_handler& say = host::print_remark);

/// A dense matrix.
template <class Value> struct dense_matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<Value> values; ///< column by column: the value of (row, col) is at col * rows + row
};

/// Reads a Matrix Market file of the format `array`, with both triangles of symmetric storage. Value: double, or
/// std::complex<double>, which also accepts real values. Remarks and errors as above.
template <class Value>
dense_matrix<Value> read_dense_market(byte_source source,
                                      const host::remark_handler& say = host::print_remark);

/// The row sizes of the result of read_structure, with the same errors. Memory: that of row_counter and 8 bytes per row
/// that has entries, independent of the announced sizes. Entries need 8 more bytes each, and the file is read twice,
/// unless it is an array or its entries are ordered by row and column or by column and row; symmetric storage must then
/// be one triangle. If the source can be read only once, each position needs 8 bytes.
generate::row_profile read_row_profile(byte_source source, const matrix_limits& limits = {},
                                       const host::remark_handler& say = host::print_remark);

/// Reads the banner and the sizes only. Throws the exceptions of read_matrix_market.
void check_matrix_market(byte_source source, const matrix_limits& limits = {});

} // namespace evenly::io
