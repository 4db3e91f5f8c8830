// SPDX-License-Identifier: Apache-2.0
// Weights of the edges of a search: from the file, 1, or a hash of the edge.
#pragma once

#include <variant>
#include <vector>

#include "io/graph_input.hpp"

namespace evenly::graphs {

enum class weight_source { file, unit, hash };

/// 32-bit integers if all weights of the file are, else real numbers.
using edge_weights = std::variant<std::vector<int>, std::vector<double>>;

/// 1 + splitmix64(min(u, v) << 32 | max(u, v)) mod 255: equal for both directions of an edge. u, v: 0 or greater.
int hash_weight(int u, int v);

/// One weight per edge. Throws file_error for a file without weights, and for a weight that is negative or not finite,
/// with the edge; memory_error if there is too little memory.
edge_weights weights_of(const io::graph_input& graph, weight_source from);

} // namespace evenly::graphs
