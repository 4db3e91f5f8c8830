// SPDX-License-Identifier: Apache-2.0
// Random graphs: R-MAT edges as the symmetric matrix of a graph, and the generated graphs of the GAP benchmark suite
// (S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite", 2015), edge for edge as its generator makes them.
#pragma once

#include <cstdint>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "generate/gap_draws.hpp"
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

/// The number that `kron` gives each of its 2^scale vertices: a serial std::shuffle, so the numbers are those of GAP
/// built with the same C++ library.
std::vector<int> gap_labels(int scale);

/// The simple undirected graph of degree * 2^scale edges on 2^scale vertices. Values are GAP's weights, 1 to 255; of
/// several edges between two vertices the lightest is kept. Edges come in blocks of 2^18, each with a Mersenne Twister
/// of its own seed, so blocks are generated in parallel. Needs 12 bytes per edge, then 16, in addition to the result.
csr_matrix<double> make_gap_graph(const parameters& p, const gap_shape& shape);

} // namespace evenly::generate
