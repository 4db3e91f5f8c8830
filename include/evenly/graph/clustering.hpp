// SPDX-License-Identifier: Apache-2.0
// clustering: of each vertex of an undirected graph, the share of pairs of neighbours that are adjacent.
//
//   const auto shares = evenly::clustering(g);
//
// It is the number of triangles of the vertex (triangles.hpp) by the number of pairs of its neighbours, both exact, so
// shares are the same bits on every executor. Source: Watts and Strogatz (Nature, 1998).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/graph/triangles.hpp"
#include "evenly/schedules/usual.hpp"

namespace evenly::detail {

template <class Vertex, class Edge> struct leads_elsewhere {
  const Vertex* ends;
  EVENLY_FN Edge operator()(Vertex tile, Edge atom) const { return ends[atom] != tile ? 1 : 0; }
};
/// Divides the triangles of a vertex by the pairs of its neighbours.
template <class Vertex, class Edge> struct write_share_of_pairs {
  const std::int64_t* triangles;
  double* shares;
  EVENLY_FN void operator()(Vertex v, Edge degree) const {
    const std::int64_t pairs = std::int64_t{degree} * (std::int64_t{degree} - 1) / 2;
    shares[v] = pairs > 0 ? static_cast<double>(triangles[v]) / static_cast<double>(pairs) : 0;
  }
};

template <class Executor, class Weight, class Vertex, class Edge>
void find_clustering(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& graph,
                     std::span<double> shares) {
  const auto counts = make_buffer<std::int64_t>(exec, shares.size());
  graphs::find_triangles(exec, graph, counts.span());
  if (graph.out.vertices == 0) return;
  reduce_tiles(exec, schedule_for_sums{}, graph.out.tiles(), leads_elsewhere<Vertex, Edge>{graph.out.ends},
               plus<Edge>{}, write_share_of_pairs<Vertex, Edge>{counts.data(), shares.data()});
  exec.synchronize();
}

} // namespace evenly::detail

namespace evenly::graphs {

/// The clustering coefficient of each vertex, in [0, 1]; 0 for fewer than two neighbours.
///
/// - g: as for triangles: undirected, and without parallel edges. Self-loops have no effect.
/// - Cost, synchronisation and errors: those of find_triangles, and a pass over the edges.
/// - Memory: that of find_triangles, and 8 bytes per vertex.
template <graph_like G, environment_argument Env = environment<>>
auto clustering(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto shares = detail::make_values<double>(exec, view.out.vertices);
    detail::find_clustering(exec, view, detail::span_of_output(shares));
    return shares;
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::clustering;

} // namespace evenly
