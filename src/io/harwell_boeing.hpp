// SPDX-License-Identifier: Apache-2.0
// Matrices from Harwell-Boeing and Rutherford-Boeing files.
//
// Formats: Duff, Grimes and Lewis, "Users' Guide for the Harwell-Boeing Sparse Matrix Collection" (1992) and "The
// Rutherford-Boeing Sparse Matrix Collection" (1997). A header of 4 or 5 lines precedes the pointers, row indices and
// values of compressed columns in fixed-width fields. Memory depends on the contents of a file,
// not on its header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"
#include "io/matrix_entries.hpp"
#include "io/matrix_market.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {

// Fixed-width fields as Fortran's formats describe them: `(16I5)`, `(1P,4D20.12)`, `(4(1X,E20.12))`.
//
// A format gives the columns of each field of a line, so fields may touch. Numbers are read by the rules of Fortran's
// formatted input: a real number without a point has an implied point before its last `decimals` digits, and a number
// without an exponent is divided by 10^scale.

struct fortran_field {
  std::size_t begin; ///< 0-based column
  std::size_t width; ///< columns
  bool is_integer;   ///< I, not F, E, D or G
  int decimals;      ///< digits behind an implied point
  int scale;         ///< of P
};

/// The fields of a line; lines repeat until all numbers are read. Returns nothing if the text is not a format, for
/// descriptors other than I, F, E, ES, EN, D, G, X and P, and if the second line would have other fields than the
/// first.
std::optional<std::vector<fortran_field>> parse_fortran_format(std::string_view text);

/// Reads a real number: `1.5`, `1.5E+03`, `1.5D3`, `1.5-103`, `NaN`, `Infinity`. `text` has no blanks. For a number
/// beyond the range of a double, sets `value` to infinity or zero and returns std::errc::result_out_of_range.
/// Overwrites `scratch`.
std::errc read_fortran_real(std::string_view text, const fortran_field& field, std::string& scratch,
                            double& value);

/// Whether the start of a file is such a header: its third line begins with a type, its fourth with a format.
bool begins_harwell_boeing(std::string_view text);

class harwell_boeing_file {
 public:
  /// Reads the header. Throws file_error for a broken header, elemental matrices, unsupported Fortran formats, and more
  /// rows, columns or entries than the limits allow.
  explicit harwell_boeing_file(byte_source source, const matrix_limits& limits = {});

  matrix_field values() const { return values_; }

  /// Reads the matrix. Call it once.
  ///
  /// - Value: double (for real values), std::complex<double>, or std::int64_t (for integers and patterns).
  /// - Symmetric storage is expanded. Entries at the same position are added in file order. Values of patterns are 1.
  ///   Right-hand sides are skipped.
  /// - `say` receives the remarks of read_matrix_market.
  /// - Throws file_error for contents that do not match the header, indices out of range, and insufficient memory.
  template <class Value> csr_matrix<Value> read(const host::remark_handler& say = host::print_remark);

 private:
  /// A format of the header.
  struct section {
    std::string format;
    std::vector<fortran_field> fields;
  };

  void read_counts();
  void read_type();
  void read_formats();
  section parse_section(std::string_view text) const;
  template <class Take>
  void read_section(const section& of, std::int64_t count, std::string_view what, std::string_view plural,
                    const Take& take);
  std::int64_t integer(std::string_view text, std::string_view what, std::int64_t min,
                       std::int64_t max) const;
  std::vector<int> read_pointers();
  std::vector<int> read_rows();
  template <class Value> std::vector<Value> read_values(const host::remark_handler& say);
  template <class Value> Value read_value(const std::string_view* parts, const fortran_field& field);
  void check_end();
  template <class Value>
  void check_diagonal(const std::vector<int>& pointers, const std::vector<int>& rows,
                      const std::vector<Value>& values);
  template <class Value>
  csr_matrix<Value> compress(const std::vector<int>& pointers, const std::vector<int>& rows,
                             const std::vector<Value>& values);

  text_blocks blocks_;
  matrix_limits limits_;
  matrix_field values_ = matrix_field::real;
  matrix_symmetry storage_ = matrix_symmetry::general;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::int64_t entries_ = 0;
  bool has_values_ = false;           ///< the header announces lines of values
  bool has_right_hand_sides_ = false; ///< after the matrix
  section pointer_section_, row_section_, value_section_;
  host::remark rounded_, inexact_;
  std::string scratch_;
};

} // namespace evenly::io
