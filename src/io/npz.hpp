// SPDX-License-Identifier: Apache-2.0
// Sparse matrices as SciPy writes them: scipy.sparse.save_npz, compressed or not.
//
// A zip archive of arrays (npy.hpp): `format`, a word, `shape`, `data`, and by the format `indices` and `indptr`, or
// `row` and `col`, or of newer SciPy `coords`, both in one.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "io/matrix_market.hpp"
#include "io/zip_archive.hpp"

namespace evenly::io {

class npz_matrix {
 public:
  /// Reads what the archive says of itself: format, shape, type. Throws file_error for what is no sparse matrix of two
  /// dimensions, for other formats than csr, csc and coo, and for more rows, columns and entries than the limits allow.
  explicit npz_matrix(byte_source source, const matrix_limits& limits = {});

  bool is_complex() const { return is_complex_; }

  /// The matrix, with columns sorted and distinct in each row: entries at the same place are added in the file's order,
  /// explicit zeros are kept. Booleans are 0 and 1. Throws file_error for arrays that do not fit each other, offsets
  /// that decrease, indices outside the shape, damage, and memory that is short; read() also for complex values.
  csr_matrix<double> read() const;
  csr_matrix<std::complex<double>> read_complex() const;

 private:
  template <class Value> csr_matrix<Value> read_as() const;
  template <class Value> std::vector<Value> read_data() const;
  template <class Value> csr_matrix<Value> read_rows() const;
  template <class Value> csr_matrix<Value> read_columns() const;
  template <class Value> csr_matrix<Value> read_entries() const;
  std::vector<int> read_offsets(std::int64_t lines, const char* of) const;
  std::vector<int> read_indices(const char* name, std::int64_t most) const;
  void read_coordinates(std::vector<int>& rows, std::vector<int>& cols) const;
  void require_as_many(const char* name, std::size_t found, std::size_t wanted) const;
  void require_memory(std::int64_t bytes) const;

  zip_archive archive_;
  matrix_limits limits_;
  std::string format_;
  int rows_ = 0;
  int cols_ = 0;
  bool is_complex_ = false;
};

} // namespace evenly::io
