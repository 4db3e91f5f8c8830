// SPDX-License-Identifier: Apache-2.0
// The generated graphs of the GAP benchmark suite (S. Beamer, K. Asanovic, D. Patterson, "The GAP benchmark suite",
// 2015), edge for edge as its generator makes them.
#pragma once

#include <cstdint>

#include "evenly/sparse/csr_matrix.hpp"
#include "generate/spec.hpp"

namespace evenly::generate {

enum class gap_graph {
  kron, ///< Kronecker: R-MAT edges with the quarters of Graph500, vertices relabelled
  urand ///< uniformly random edges
};

/// The simple undirected graph of degree * 2^scale edges on 2^scale vertices. Values are GAP's weights, 1 to 255; of
/// several edges between two vertices the lightest is kept. Edges come in blocks of 2^18, each with a Mersenne Twister
/// of its own seed, so blocks are generated in parallel. The labels of `kron` are a serial std::shuffle, so they are
/// those of GAP built with the same C++ library. Needs 12 bytes per edge, then 16, in addition to the result.
csr_matrix<double> make_gap_graph(const parameters& p, gap_graph which, int scale, std::int64_t degree);

} // namespace evenly::generate
