// SPDX-License-Identifier: Apache-2.0
// C = A B with a dense B: the input and the reference result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "io/matrix_market.hpp"

namespace evenly::sparse {

/// Maximum number of columns of B.
inline constexpr int max_dense_columns = 1 << 30;

/// B has as many rows as A has columns. B and C have the same layout, without gaps.
template <class Value> struct dense_problem {
  csr_matrix<Value> a;
  std::vector<Value> b;
  int width;
  dense_layout layout;
};

/// The index of (row, column) in a matrix without gaps.
std::size_t place_in(dense_layout layout, std::int64_t rows, std::int64_t cols, std::int64_t row,
                     std::int64_t column);

/// B is random in [-1, 1) and depends on the seed only, not on the layout. Throws host::memory_error if B and C do not
/// fit into memory.
template <class Value>
dense_problem<Value> with_random_b(const csr_matrix<double>& a, int width, dense_layout layout,
                                   std::uint64_t seed);

/// B is `b`, which must fit A. Throws host::memory_error likewise.
template <class Value>
dense_problem<Value> with_b(const csr_matrix<double>& a, const io::dense_matrix<double>& b,
                            dense_layout layout);

/// Lower bound of the bytes that move between memory and processor: every array once; only the rows of B that A can
/// use.
template <class Value> std::int64_t bytes_moved(const dense_problem<Value>& p);

/// Compares C with sums in double precision within error bounds: all rows, or for a large product many rows and the
/// longest one. The problem must outlive the checker.
template <class Value> class product_checker {
 public:
  explicit product_checker(const dense_problem<Value>& of);
  std::size_t rows() const { return rows_.size(); }

  /// The first error of C.
  std::optional<std::string> first_error(const std::vector<Value>& c) const;

 private:
  int size(int row) const;
  void add_row(std::size_t i);

  const dense_problem<Value>& of_;
  std::vector<int> rows_;
  std::vector<double> sums_, bounds_;
};

} // namespace evenly::sparse
