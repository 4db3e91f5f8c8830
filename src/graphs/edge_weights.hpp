// SPDX-License-Identifier: Apache-2.0
// Weights of the edges of a search: those of the file, 1, or a hash of the edge.
#pragma once

#include <variant>
#include <vector>

#include "io/graph_input.hpp"

namespace evenly::graphs {

enum class weight_source { file, unit, hash };

/// Whole numbers of 32 bits where all of a file's are, else real ones.
using edge_weights = std::variant<std::vector<int>, std::vector<double>>;

/// 1 + splitmix64(min(u, v) << 32 | max(u, v)) mod 255: the same for both directions of an edge. u, v: from 0 on.
int hash_weight(int u, int v);

/// One for each edge. Throws file_error for a file without weights, and for one with a weight that is negative or no
/// finite number, and names the edge; memory_error if there is too little memory.
edge_weights weights_of(const io::graph_input& graph, weight_source from);

} // namespace evenly::graphs
