// SPDX-License-Identifier: Apache-2.0
// Baselines of the cuda executor: products of cuSPARSE with a vector, in each of its formats, and of compressed rows
// with a dense matrix.
#pragma once

#include <functional>

#include "evenly/sparse/bcsr_matrix.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csc_matrix.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/ell_matrix.hpp"

namespace evenly::measure {

/// Products with dense matrices support by_default and alg3; alg3 needs the row layout.
enum class cusparse_algorithm { by_default, alg1, alg2, alg3 };

/// Prepares y = A x with cuSPARSE and returns a function that runs it asynchronously on the default stream. All arrays
/// are in device memory. ALG1 is preprocessed; ALG2 has no preprocessing. Throws device_error.
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which);

/// Whether the library supports products of dense blocks, as version 12.6 and newer do.
bool cusparse_has_blocks();

/// The same for other formats, preprocessed if cuSPARSE supports it: compressed columns; coordinates with ALG1 or ALG2,
/// which adds in the same order on every run; dense blocks, which must not extend beyond the matrix.
template <class Value>
std::function<void()> prepare_cusparse(const csc_view<Value>& a, const Value* x, Value* y);
template <class Value>
std::function<void()> prepare_cusparse(const coo_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which);
template <class Value, int R, int C>
std::function<void()> prepare_cusparse(const bcsr_view<Value, R, C>& a, const Value* x, Value* y);
/// cuSPARSE has no ELLPACK product with a vector, so the matrix is copied into slices of 32 rows, each as wide as its
/// longest row.
template <class Value>
std::function<void()> prepare_cusparse(const ell_view<Value>& a, const Value* x, Value* y);

/// The same for C = A B, after the preprocessing of the algorithm. B and C have the same layout.
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const dense_view<Value>& b,
                                       const dense_view<Value>& c, cusparse_algorithm which);

} // namespace evenly::measure
