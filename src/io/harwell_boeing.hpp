// SPDX-License-Identifier: Apache-2.0
// Matrices from Harwell-Boeing and Rutherford-Boeing files.
//
// Formats: Duff, Grimes and Lewis, "Users' Guide for the Harwell-Boeing Sparse Matrix Collection" (1992) and "The
// Rutherford-Boeing Sparse Matrix Collection" (1997). A header of 4 or 5 lines precedes the pointers, row indices and
// values of compressed columns in fixed-width fields (fortran_format.hpp). Memory depends on the contents of a file,
// not on its header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"
#include "io/fortran_format.hpp"
#include "io/matrix_header.hpp"
#include "io/matrix_market.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {

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
