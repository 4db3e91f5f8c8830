// SPDX-License-Identifier: Apache-2.0
// What the cuda executor is compared with: cuSPARSE's ways of multiplying a matrix in compressed rows, by a vector or
// by a dense matrix.
#pragma once

#include <functional>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"

namespace evenly::cli {

/// by_default, alg3: of products by dense matrices; alg3 of those by rows.
enum class cusparse_algorithm { by_default, alg1, alg2, alg3 };

/// Prepares y = A x for cuSPARSE and returns what runs it on the default stream, asynchronously. All arrays are device
/// memory. ALG1 is preprocessed; ALG2 has nothing of the kind. Throws device_error.
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which);

/// Likewise C = A B, each algorithm after cuSPARSE's preprocessing for it. B and C have the same layout.
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const dense_view<Value>& b,
                                       const dense_view<Value>& c, cusparse_algorithm which);

} // namespace evenly::cli
