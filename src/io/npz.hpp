// SPDX-License-Identifier: Apache-2.0
// Sparse matrices in the format of scipy.sparse.save_npz, compressed or not.
//
// A zip archive of arrays (npy.hpp): `format`, a word, `shape`, `data`, and the arrays of that format:
//
//   csr, csc  indices, indptr
//   bsr       indices, indptr; data: blocks x rows of a block x columns of a block
//   coo       row and col, or coords, which newer versions of SciPy write: both in one
//   dia       offsets; data: diagonals x columns
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "host/remarks.hpp"
#include "io/archives.hpp"
#include "io/matrix_market.hpp"
#include "io/npy.hpp"

namespace evenly::io {

class npz_matrix {
 public:
  /// Reads format, shape and type. Throws file_error for archives other than a sparse matrix of two dimensions, and for
  /// more rows or columns than the limits allow.
  explicit npz_matrix(byte_source source, const matrix_limits& limits = {});

  bool is_complex() const { return is_complex_; }

  /// The matrix of SciPy's tocsr() and sum_duplicates(): columns are sorted and distinct in each row. Values at the
  /// same position are added in file order; booleans are combined by or. Explicit zeros are kept, except those of dia.
  /// Booleans are 0 and 1.
  ///
  /// - `say` receives a remark if integers are rounded.
  /// - Throws file_error for arrays that do not match, offsets that decrease, indices outside the shape, damaged data,
  ///   and insufficient memory. read() also throws it for complex values.
  csr_matrix<double> read(const host::remark_handler& say = host::print_remark) const;
  csr_matrix<std::complex<double>> read_complex(const host::remark_handler& say = host::print_remark) const;
  /// The same with exact integers: std::uint64_t for unsigned integers of 8 bytes, otherwise std::int64_t, also for
  /// booleans. Throws file_error for sums beyond 64 bits.
  exact_matrix read_exact() const;

 private:
  template <class Value> csr_matrix<Value> read_as(const host::remark_handler& say) const;
  template <class Value>
  std::vector<Value> read_data(std::size_t dimensions, npy_header& header,
                               const host::remark_handler& say) const;
  template <class Value> csr_matrix<Value> read_rows(const host::remark_handler& say) const;
  template <class Value> csr_matrix<Value> read_columns(const host::remark_handler& say) const;
  template <class Value> csr_matrix<Value> read_entries(const host::remark_handler& say) const;
  template <class Value> csr_matrix<Value> read_blocks(const host::remark_handler& say) const;
  template <class Value> csr_matrix<Value> read_diagonals(const host::remark_handler& say) const;
  template <class Value, class ForAll>
  csr_matrix<Value> compress(std::int64_t entries, const ForAll& for_all) const;
  std::vector<int> read_offsets(std::int64_t lines, const char* of) const;
  std::vector<int> read_indices(const char* name, std::int64_t max) const;
  void read_coordinates(std::vector<int>& rows, std::vector<int>& cols) const;
  void require_as_many(const char* name, std::size_t found, std::size_t wanted) const;
  void require_entries(int end, std::size_t entries) const;

  zip_archive archive_;
  matrix_limits limits_;
  std::string format_;
  int rows_ = 0;
  int cols_ = 0;
  bool is_complex_ = false;
  bool is_boolean_ = false;
  bool is_integer_ = false;       ///< or booleans
  bool is_wide_unsigned_ = false; ///< integers that may exceed 63 bits
};

} // namespace evenly::io
