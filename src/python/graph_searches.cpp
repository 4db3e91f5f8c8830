// SPDX-License-Identifier: Apache-2.0
#include "python/graph_operations.hpp"

#include <cstdint>
#include <vector>

#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "python/graph_edges.hpp"

namespace evenly::python {

void bfs(const matrix_arrays& graph, const in_edges& in, int source, bool any_parent, const output& levels,
         const output& parents) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    graph_view<float, Vertex, Edge> view{edges};
    std::vector<Edge> offsets; // of the transposed matrix, where they are of another type
    if (in.is_undirected) {
      view.in = view.out;
    } else if (in.transposed != nullptr && in.transposed->columns.type == graph.columns.type) {
      matrix_arrays t = *in.transposed;
      if (t.offsets.type != graph.offsets.type) {
        with_index("indptr", t.offsets.type, [&]<class Given>(Given) {
          const auto given = t.offsets.as<Given>();
          offsets.assign(given.begin(), given.end());
        });
        t.offsets = {t.offsets.name, offsets.data(), graph.offsets.type, t.offsets.rows};
      }
      view.in = edges_of<Vertex, Edge>(t);
    }
    bfs_search search(executor(), view);
    search.run(source, levels.as<Vertex>(), parents.as<Vertex>(),
               any_parent ? parent_rule::any : parent_rule::least);
  });
}

void sssp(const matrix_arrays& graph, int source, const output& distances, const output& parents) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    with_element<float, double, std::int64_t>("A", graph.values.type, [&]<class Weight>(Weight) {
      graph_view<Weight, Vertex, Edge> view{edges};
      view.weights = graph.values.as<Weight>().data();
      evenly::sssp(view, source, distances.as<Weight>(), parents.as<Vertex>(), executor());
    });
  });
}

} // namespace evenly::python
