// SPDX-License-Identifier: Apache-2.0
// C = A B with a dense B: what is multiplied, and what C must be.
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

/// The most columns that B may have.
inline constexpr int max_dense_columns = 1 << 30;

/// B has as many rows as A columns, and C is laid out as B is, both without gaps.
template <class Value> struct dense_problem {
  csr_matrix<Value> a;
  std::vector<Value> b;
  int width;
  dense_layout layout;
};

/// Where (row, column) of a matrix without gaps lies.
std::size_t place_in(dense_layout layout, std::int64_t rows, std::int64_t cols, std::int64_t row,
                     std::int64_t column);

/// B is random in [-1, 1); the same matrix for the same seed, whatever its layout. Throws host::memory_error where B
/// and C are more than there is room for.
template <class Value>
dense_problem<Value> with_random_b(const csr_matrix<double>& a, int width, dense_layout layout,
                                   std::uint64_t seed);

/// B is `b`, which fits A. Throws host::memory_error, likewise.
template <class Value>
dense_problem<Value> with_b(const csr_matrix<double>& a, const io::dense_matrix<double>& b,
                            dense_layout layout);

/// The bytes that must go between memory and processor at least: every array once, of B the rows that A can ask for.
template <class Value> std::int64_t bytes_moved(const dense_problem<Value>& p);

/// Compares C with sums in double precision, of which it keeps bounds: of all rows, or, of a large product, of many
/// rows and the longest one. The problem must outlive it.
template <class Value> class product_checker {
 public:
  explicit product_checker(const dense_problem<Value>& of);
  std::size_t rows() const { return rows_.size(); }

  /// What is wrong with C.
  std::optional<std::string> first_error(const std::vector<Value>& c) const;

 private:
  int size(int row) const;
  void add_row(std::size_t i);

  const dense_problem<Value>& of_;
  std::vector<int> rows_;
  std::vector<double> sums_, bounds_;
};

} // namespace evenly::sparse
