// SPDX-License-Identifier: Apache-2.0
// Breadth-first search and shortest paths in one line.
//
//   const auto [levels, parents] = evenly::bfs(g, source);
//   const auto [distances, parents] = evenly::sssp(g, source);
//   evenly::bfs(g, source, levels, parents);                       // in existing memory
//
// - g: an evenly::graph, or a square csr_matrix in which an entry in row u and column v is an edge from u to v.
// - Optional last argument: the environment (execution/environment.hpp). By default a search runs where the graph is,
//   by one persistent kernel; with a schedule it goes level by level under it. The results are the same bits.
// - Results: std::vectors on the host, otherwise evenly::vectors.
// - Allocates and synchronises.
// - Throws invalid_argument if the source or the end of an edge is not a vertex; in sssp also for weights that are
//   negative, NaN or infinite. Throws distance_overflow if a distance does not fit.
//
// If you search one graph many times, use bfs_search and sssp_buckets.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/sssp.hpp"
#include "evenly/graph/sssp_in_buckets.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::detail {

template <class Weight, class Vertex, class Edge>
const graph_view<Weight, Vertex, Edge>& as_graph(const graph_view<Weight, Vertex, Edge>& g) {
  return g;
}
template <class Weight, class Vertex, class Edge, class Executor>
const graph_view<Weight, Vertex, Edge>& as_graph(const graph<Weight, Vertex, Edge, Executor>& g) {
  return g.view();
}
template <class Weight, class Edge, class Executor>
graph_view<Weight, int, Edge> as_graph(const csr_matrix<Weight, Edge, Executor>& g) {
  return graph_view_of(g);
}
template <class G> inline constexpr bool is_checked_graph = false; ///< by its constructor
template <class Weight, class Vertex, class Edge, class Executor>
inline constexpr bool is_checked_graph<graph<Weight, Vertex, Edge, Executor>> = true;

template <class E>
using vertex_of = std::remove_cvref_t<decltype(as_graph(std::declval<const E&>()).out.vertices)>;
template <class Weight> using distance_of = std::conditional_t<std::integral<Weight>, std::int64_t, Weight>;

template <class G>
using weight_of = typename std::remove_cvref_t<decltype(as_graph(std::declval<const G&>()))>::weight_type;

/// Calls body(exec, view, schedule...) with the executor of `env` and the graph. The schedule is passed if `env` has
/// one. Throws invalid_argument for edges with an end that is not a vertex.
template <class G, class Env, class Body> auto with_graph(const G& g, Env&& env, const Body& body) {
  const auto where = environment_of(env);
  static_assert(
      !requires { where.schedule().of->exec(); },
      "a search makes its own plans: pass a schedule instead of a plan");
  const auto exec = executor_for(where, g);
  const auto& view = as_graph(g);
  if constexpr (!is_checked_graph<G>) graphs::check_edges(exec, view.out);
  if constexpr (std::is_same_v<decltype(where.schedule()), const unset&>)
    return body(exec, view);
  else
    return body(exec, view, where.schedule());
}

/// Allocates a tree with values of type Value, and calls run(exec, view, values, parents, schedule...) to fill it.
/// Waits.
template <template <class...> class Tree, class Value, class G, class Env, class Run>
auto searched(const G& g, Env&& env, const Run& run) {
  using vertex = vertex_of<G>;
  return with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    auto values = make_values<Value>(exec, view.out.vertices);
    auto parents = make_values<vertex>(exec, view.out.vertices);
    run(exec, view, std::span<Value>(std::data(values), std::size(values)),
        std::span<vertex>(std::data(parents), std::size(parents)), schedule...);
    exec.synchronize();
    return Tree<decltype(values), decltype(parents)>{std::move(values), std::move(parents)};
  });
}

template <class Executor, class Weight, class Vertex, class Edge, class... Schedule>
std::int64_t find_levels(const Executor& exec, const graph_view<Weight, Vertex, Edge>& g, Vertex source,
                         std::span<Vertex> levels, std::span<Vertex> parents, const Schedule&... schedule) {
  if constexpr (sizeof...(Schedule) == 0) {
    graphs::require_source(g.out, source);
    bfs_search search(exec, g);
    search.run(source, levels, parents);
    return search.totals().levels;
  } else {
    frontier_loop loop(exec, schedule..., g.out);
    return graphs::bfs(exec, loop, source, levels, parents);
  }
}

} // namespace evenly::detail

namespace evenly::graphs {

/// An evenly::graph, a graph_view or a square csr_matrix.
template <class G>
concept graph_like = requires(const G& g) { detail::as_graph(g); };

/// The result of bfs.
///
/// - levels[v]: the smallest number of edges on a path from the source to v; -1 if there is no path.
/// - parents[v]: the neighbour of lowest number before v on such a path; -1 if there is no path. The source is its own
///   parent.
template <class Levels, class Vertices = Levels> struct bfs_tree {
  Levels levels;
  Vertices parents;
};
/// Breadth-first search. Complexity: O(vertices + edges), less if the search goes bottom-up. For that call
/// make_in_edges or set_undirected on an evenly::graph.
template <graph_like G, environment_argument Env = environment<>>
auto bfs(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  return detail::searched<bfs_tree, detail::vertex_of<G>>(
      g, env, [&](const auto& exec, const auto& view, auto levels, auto parents, const auto&... schedule) {
        detail::find_levels(exec, view, source, levels, parents, schedule...);
      });
}
/// The same in existing memory: levels and parents have one element per vertex; parents may be empty. Returns the
/// number of levels.
template <graph_like G, detail::contiguous_values Levels,
          detail::contiguous_values Parents = std::span<detail::vertex_of<G>>,
          environment_argument Env = environment<>>
std::int64_t bfs(const G& g, detail::vertex_of<G> source, Levels&& levels, Parents&& parents = {},
                 Env&& env = {}) {
  using vertex = detail::vertex_of<G>;
  static_assert(std::is_same_v<decltype(std::data(levels)), vertex*> &&
                    std::is_same_v<decltype(std::data(parents)), vertex*>,
                "levels and parents are written: they have elements of the type of vertices");
  return detail::with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    return detail::find_levels(exec, view, source, std::span<vertex>(std::data(levels), std::size(levels)),
                               std::span<vertex>(std::data(parents), std::size(parents)), schedule...);
  });
}

/// The result of sssp.
///
/// - distances[v]: the smallest sum of weights on a path from the source to v; unreached<Distance> if there is no path.
///   The type is std::int64_t for integer weights, otherwise the weights' type.
/// - parents[v]: the neighbour before v on a shortest path, of lowest number if several are nearer than v; -1 if there
///   is no path. The source is its own parent.
template <class Distances, class Vertices> struct path_tree {
  Distances distances;
  Vertices parents;
};
template <graph_like G, environment_argument Env = environment<>>
auto sssp(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  return detail::searched<path_tree, detail::distance_of<detail::weight_of<G>>>(
      g, env, [&](const auto& exec, const auto& view, auto distances, auto parents, const auto&... schedule) {
        graphs::sssp(exec, schedule..., view, source, distances, parents);
      });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::bfs_tree, graphs::bfs, graphs::path_tree, graphs::sssp;

} // namespace evenly
