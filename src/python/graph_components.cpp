// SPDX-License-Identifier: Apache-2.0
#include "python/graph_operations.hpp"

#include <cstdint>

#include "evenly/graph/connected_components.hpp"
#include "evenly/graph/dfs.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/reachable.hpp"
#include "evenly/graph/strong_components.hpp"
#include "python/graph_edges.hpp"

namespace evenly::python {

void dfs(const matrix_arrays& graph, int source, const output& parents, const output& order) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    graphs::dfs_on_tasks(executor(), graph_view<float, Vertex, Edge>{edges}, source, parents.as<Vertex>(),
                         order.as<Vertex>());
  });
}

void reachable(const matrix_arrays& graph, int source, const output& reached) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    graphs::find_reachable(executor(), graph_view<float, Vertex, Edge>{edges}, source,
                           reached.as<std::uint8_t>());
  });
}

void strong_components(const matrix_arrays& graph, const output& labels) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    graphs::find_strong_components(executor(), graph_view<float, Vertex, Edge>{edges}, labels.as<Vertex>());
  });
}

void connected_components(const matrix_arrays& graph, const output& labels) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    graphs::find_connected_components(executor(), graph_view<float, Vertex, Edge>{edges},
                                      labels.as<Vertex>());
  });
}

} // namespace evenly::python
