// SPDX-License-Identifier: Apache-2.0
// What the cuda executor is compared with: cuSPARSE's two ways of multiplying a matrix in compressed rows.
#pragma once

#include <functional>

#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::cli {

enum class cusparse_algorithm { alg1, alg2 };

/// Prepares y = A x for cuSPARSE and returns what runs it on the default stream, asynchronously. All arrays are device
/// memory. ALG1 is preprocessed; ALG2 has nothing of the kind. Throws device_error.
template <class Value>
std::function<void()> prepare_cusparse(const csr_view<Value>& a, const Value* x, Value* y,
                                       cusparse_algorithm which);

} // namespace evenly::cli
