// SPDX-License-Identifier: Apache-2.0
// What the cuda executor is compared with: cuSPARSE's ways of multiplying a matrix by a vector, in each format that it
// has, or one in compressed rows by a dense matrix.
#pragma once

#include <functional>

#include "evenly/sparse/bcsr_matrix.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csc_matrix.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/ell_matrix.hpp"

namespace evenly::measure {

/// by_default, alg3: of products by dense matrices; alg3 of those by rows.
enum class cusparse_algorithm { by_default, alg1, alg2, alg3 };

/// Prepares y = A x for cuSPARSE and returns what runs it on the default stream, asynchronously. All arrays are device
/// memory. ALG1 is preprocessed; ALG2 has nothing of the kind. Throws device_error.
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which);

/// Whether the library has a product of dense blocks: from 12.6 on.
bool cusparse_has_blocks();

/// Likewise of other formats, each preprocessed where cuSPARSE does anything for it: compressed columns; coordinates by
/// ALG1 or ALG2, which adds in one order on every run; dense blocks, which must not reach beyond the matrix.
template <class Value>
std::function<void()> prepare_cusparse(const csc_view<Value>& a, const Value* x, Value* y);
template <class Value>
std::function<void()> prepare_cusparse(const coo_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which);
template <class Value, int R, int C>
std::function<void()> prepare_cusparse(const bcsr_view<Value, R, C>& a, const Value* x, Value* y);
/// cuSPARSE has no ELLPACK for this: the matrix is copied into slices of 32 rows, each as wide as its longest row.
template <class Value>
std::function<void()> prepare_cusparse(const ell_view<Value>& a, const Value* x, Value* y);

/// Likewise C = A B, each algorithm after cuSPARSE's preprocessing for it. B and C have the same layout.
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const dense_view<Value>& b,
                                       const dense_view<Value>& c, cusparse_algorithm which);

} // namespace evenly::measure
