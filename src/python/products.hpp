// SPDX-License-Identifier: Apache-2.0
// Matrices in compressed rows whose arrays Python owns, and their products.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "evenly/execution/memory.hpp"
#include "python/arrays.hpp"
#include "python/kept_plan.hpp"

namespace evenly::python {

/// offsets: int32 or int64, rows + 1; columns: int32, or int64 with offsets of int64; values: one for each column.
struct matrix_arrays {
  int rows = 0;
  int cols = 0;
  input offsets;
  input columns;
  input values;
};

/// An array that an operation made.
struct made_array {
  std::shared_ptr<void> owner;
  void* data = nullptr;
  std::int64_t size = 0;
};
template <class T> made_array made_of(buffer<T> array) {
  const auto kept = std::make_shared<buffer<T>>(std::move(array));
  return {kept, kept->data(), static_cast<std::int64_t>(kept->size())};
}

/// A matrix that an operation made. Offsets are int64, columns int32, and values of the type of the operands.
struct made_matrix {
  int rows = 0;
  int cols = 0;
  made_array offsets, columns, values;
};

/// Throws invalid_argument unless the arrays fit each other, offsets begin at 0 and do not decrease, and columns are in
/// [0, cols). O(entries).
void check(const matrix_arrays& a);

/// The matrix with columns of int32: columns of int64 are copied to `copy`. They must be in [0, cols).
matrix_arrays with_narrow_columns(const matrix_arrays& a, buffer<int>& copy);

/// y = A x. float32, float64, complex64, complex128, int64; on simt float32, float64 and complex128.
void spmv(kept_plan& plan, const matrix_arrays& a, const input& x, const output& y);
/// C = A B with dense B and C, on cpu. float32, float64.
void spmm(kept_plan& plan, const matrix_arrays& a, const input& b, const output& c);

/// out = alpha X Y^T + beta A at the entries of A, on cpu. float32, float64. Columns of int64 are copied as int32
/// meanwhile.
void sddmm(const matrix_arrays& a, const input& x, const input& y, const output& out, double alpha,
           double beta);

/// A B on cpu. float32, float64, int64. Columns of int64 are copied as int32 meanwhile: products read a column of B
/// many times, so the copy saves more time than it takes.
made_matrix spgemm(const matrix_arrays& a, const matrix_arrays& b);
/// A + B on cpu. float32, float64, int64.
made_matrix add(const matrix_arrays& a, const matrix_arrays& b);
/// On cpu. Values of 4, 8 or 16 bytes.
made_matrix transpose(const matrix_arrays& a);

} // namespace evenly::python
