// SPDX-License-Identifier: Apache-2.0
// Matrices on ranks, of arrays that Python owns.
#pragma once

#include "python/products.hpp"
#include "ranks/ranked_matrix.hpp"

namespace evenly::python {

/// Distributes a matrix of float64.
ranks::ranked_matrix distribute(const ranks::world& ranks, const matrix_arrays& a);

} // namespace evenly::python
