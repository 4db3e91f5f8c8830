// SPDX-License-Identifier: Apache-2.0
// Kronecker graphs: R-MAT edges as the symmetric matrix of a graph.
#pragma once

#include <cstdint>

#include "evenly/sparse/csr_matrix.hpp"
#include "generate/spec.hpp"

namespace evenly::generate {

/// Probabilities of the four quarters at each level; their sum is 1.
struct rmat_quarters {
  double a = 0.57;
  double b = 0.19;
  double c = 0.19;
};

/// The graph of `edges` R-MAT edges on 2^scale vertices (D. Chakrabarti, Y. Zhan, C. Faloutsos, "R-MAT: a recursive
/// model for graph mining", 2004) with randomly relabelled vertices: both directions of each edge, no loops, no
/// duplicates. 2 * edges must be at most 2^31 - 1. Needs 16 bytes per edge, then 8, in addition to the result.
csr_matrix<double> make_rmat(const parameters& p, int scale, std::int64_t edges,
                             const rmat_quarters& quarters);

} // namespace evenly::generate
