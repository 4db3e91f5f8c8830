// SPDX-License-Identifier: Apache-2.0
// Matrices from Matrix Market files.
//
// The format is that of Boisvert, Pozo and Remington, "The Matrix Market Exchange Formats", NISTIR 5935
// (1996), with what others have added to it since: docs/inputs.md has all that is read and all that is refused. A file
// costs memory for the entries that it holds, never for those that its header announces.
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
  std::int64_t entries = 2147483647; ///< after symmetric storage is expanded
};

/// Reads a Matrix Market file, plain or compressed by gzip, bzip2, xz or Zstandard (told by its first bytes), in
/// parallel. Its values are to be real.
///
/// Understood: `matrix` and `vector`, `coordinate` and `array`; `real`, `double`, `integer` (64 bits),
/// `unsigned-integer` and `pattern` (each value 1); `general`, `symmetric`, `skew-symmetric`, and `hermitian`, which
/// for real values is symmetric. The banner's case does not matter. Lines may end in \n, \r\n or \r, have any length,
/// and start and end in blanks. After the banner, lines may be blank or comments (%), and comments may stand behind
/// sizes and entries. Exponents may be written with D.
///
/// The result holds both triangles of symmetric storage, whichever of them the file gives. Entries at the
/// same place are added in the file's order (for symmetric storage (i, j) and (j, i) are the same place), so
/// columns are sorted and distinct in each row. Explicit zeros are kept, and so are all places of an array. Real
/// values may be infinite and NaN. `say` gets at most one remark of each kind: values beyond the range of a double are
/// read as infinity or zero; integers beyond 2^53 are rounded to double; a third number on the lines of a pattern is
/// ignored.
///
/// Throws file_error for anything else: see there for the message. Takes O(entries + rows) time unless rows
/// come unsorted, 16 bytes per entry of the matrix on top of the result; what is not there (memory_shortage) is refused
/// before it is taken.
csr_matrix<double> read_matrix_market(const std::filesystem::path& path, const matrix_limits& limits = {},
                                      const host::remark_handler& say = host::print_remark);

/// The same from a stream, compressed or not. `name` stands for the path in messages.
csr_matrix<double> read_matrix_market(std::istream& stream, const std::string& name,
                                      const matrix_limits& limits = {},
                                      const host::remark_handler& say = host::print_remark);

/// The same, but complex values are read, and each counts as 1: for the positions of entries only.
csr_matrix<double> read_structure(byte_source source, const matrix_limits& limits = {},
                                  const host::remark_handler& say = host::print_remark);

/// The same with the file's own values: complex ones if it has such. Those of `hermitian` are real on the diagonal, and
/// each other's conjugates beside it.
using any_matrix = std::variant<csr_matrix<double>, csr_matrix<std::complex<double>>>;
any_matrix read_any_matrix(byte_source source, const matrix_limits& limits = {},
                           const host::remark_handler& say = host::print_remark);

/// A matrix with the file's own values.
struct exact_matrix {
  std::variant<csr_matrix<double>, csr_matrix<std::complex<double>>, csr_matrix<std::int64_t>,
               csr_matrix<std::uint64_t>>
      matrix;
  bool is_pattern =
      false; ///< of std::int64_t: the file has no values; each is the number of entries at its place
};

/// The same with integers as integers, none of them rounded. Entries at the same place are added exactly: throws
/// file_error if the sum is beyond 64 bits.
exact_matrix read_exact_matrix(byte_source source, const matrix_limits& limits = {},
                               const host::remark_handler& say = host::print_remark);

struct matrix_file {
  csr_matrix<double> matrix;
  bool has_values = false; ///< whether it is no pattern
};

/// The same as read_matrix_market(path), and whether the file has values.
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

/// The same as read_matrix_market for matrices that 32 bits do not count: entries beyond 2^31, columns and rows beyond
/// 2^32. Value: double or std::complex<double>, which takes real values, too.
template <class Value>
matrix_rows<Value, std::int64_t, std::int64_t>
read_wide_matrix(byte_source source, const host::remark_handler& say = host::print_remark);

/// A dense matrix.
template <class Value> struct dense_matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<Value> values; ///< column by column: that of (row, col) at col * rows + row
};

/// Reads a Matrix Market file of the format `array`; both triangles of symmetric storage are there. Value: double, or
/// std::complex<double>, which takes real values, too. Remarks and errors as above.
template <class Value>
dense_matrix<Value> read_dense_market(byte_source source,
                                      const host::remark_handler& say = host::print_remark);

/// The sizes of the rows that read_structure would give, and the same errors. Costs 8 bytes for each row
/// that has entries and row_counter's memory, whatever is announced. That is all for entries that come by row
/// and column or by column and row, of a symmetric matrix in one triangle, and for arrays; otherwise each entry costs 8
/// bytes more, and a file is read twice. If the source can be read only once, all places cost 8 bytes.
generate::row_profile read_row_profile(byte_source source, const matrix_limits& limits = {},
                                       const host::remark_handler& say = host::print_remark);

/// Reads no further than the sizes. Throws file_error, as read_matrix_market does.
void check_matrix_market(byte_source source, const matrix_limits& limits = {});

} // namespace evenly::io
