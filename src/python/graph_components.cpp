// SPDX-License-Identifier: Apache-2.0
#include "python/graph_components.hpp"

#include <cstdint>

#include "evenly/graph/dfs.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/reachable.hpp"
#include "evenly/graph/strong_components.hpp"

namespace evenly::python {

namespace {

/// Calls body(view) with the matrix as a graph.
template <class Body> void with_graph_of(const matrix_arrays& a, const Body& body) {
  with_index("indptr", a.offsets.type, [&]<class Edge>(Edge) {
    body(graph_view<float, int, Edge>{{a.rows, static_cast<Edge>(a.columns.rows), a.offsets.as<Edge>().data(),
                                       a.columns.as<int>().data()}});
  });
}

} // namespace

void dfs(const matrix_arrays& graph, int source, const output& parents, const output& order) {
  with_graph_of(graph, [&](const auto& view) {
    graphs::dfs_on_tasks(executor(), view, source, parents.as<int>(), order.as<int>());
  });
}

void reachable(const matrix_arrays& graph, int source, const output& reached) {
  with_graph_of(graph, [&](const auto& view) {
    graphs::find_reachable(executor(), view, source, reached.as<std::uint8_t>());
  });
}

void strong_components(const matrix_arrays& graph, const output& labels) {
  with_graph_of(
      graph, [&](const auto& view) { graphs::find_strong_components(executor(), view, labels.as<int>()); });
}

} // namespace evenly::python
