// SPDX-License-Identifier: Apache-2.0
#include "python/graph_searches.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"

namespace evenly::python {

namespace {

template <class Edge> adjacency<int, Edge> edges_of(const matrix_arrays& a) {
  return {a.rows, static_cast<Edge>(a.columns.rows), a.offsets.as<Edge>().data(), a.columns.as<int>().data()};
}

} // namespace

void bfs(const matrix_arrays& graph, const in_edges& in, int source, const output& levels,
         const output& parents) {
  with_index("indptr", graph.offsets.type, [&]<class Edge>(Edge) {
    graph_view<float, int, Edge> view{edges_of<Edge>(graph)};
    std::vector<Edge> offsets; // of the transposed matrix, where they are of another type
    if (in.is_undirected) {
      view.in = view.out;
    } else if (in.transposed != nullptr) {
      const matrix_arrays& t = *in.transposed;
      with_index("indptr", t.offsets.type, [&]<class Given>(Given) {
        const auto given = t.offsets.as<Given>();
        if constexpr (!std::is_same_v<Given, Edge>) offsets.assign(given.begin(), given.end());
      });
      const Edge* const begins = offsets.empty() ? t.offsets.as<Edge>().data() : offsets.data();
      view.in = {t.rows, view.out.edges, begins, t.columns.as<int>().data()};
    }
    bfs_search search(executor(), view);
    search.run(source, levels.as<int>(), parents.as<int>());
  });
}

void sssp(const matrix_arrays& graph, int source, const output& distances, const output& parents) {
  with_index("indptr", graph.offsets.type, [&]<class Edge>(Edge) {
    with_element<float, double, std::int64_t>("A", graph.values.type, [&]<class Weight>(Weight) {
      graph_view<Weight, int, Edge> view{edges_of<Edge>(graph)};
      view.weights = graph.values.as<Weight>().data();
      evenly::sssp(view, source, distances.as<Weight>(), parents.as<int>(), executor());
    });
  });
}

} // namespace evenly::python
