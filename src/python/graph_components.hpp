// SPDX-License-Identifier: Apache-2.0
// Depth-first searches, reachability and components of graphs, on cpu.
#pragma once

#include "python/products.hpp"

namespace evenly::python {

/// The contracts of evenly::dfs (graph/dfs.hpp), evenly::reachable (graph/reachable.hpp), evenly::strong_components
/// (graph/strong_components.hpp) and evenly::connected_components (graph/connected_components.hpp). Parents, order and
/// labels have the type of the columns; reached is uint8.
void dfs(const matrix_arrays& graph, int source, const output& parents, const output& order);
void reachable(const matrix_arrays& graph, int source, const output& reached);
void strong_components(const matrix_arrays& graph, const output& labels);
void connected_components(const matrix_arrays& graph, const output& labels);

} // namespace evenly::python
