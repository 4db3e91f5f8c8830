// SPDX-License-Identifier: Apache-2.0
// Breadth-first search and shortest paths in one line.
//
//   const auto [levels, parents] = evenly::bfs(g, source);
//   const auto [distances, parents] = evenly::sssp(g, source);
//
// g: an evenly::graph, or a square csr_matrix, whose entry in row u and column v is an edge from u to v. The optional
// last argument is the environment (execution/environment.hpp): by default a search runs where the graph is, as one
// persistent launch; with a schedule, from level to level under it. Results are the same bits either way. On the host
// results are std::vectors, else evenly::vectors. Allocates and synchronises. Throws invalid_argument if the source is
// not a vertex, for edges that end at none, and in sssp for weights that are negative, NaN or infinite;
// distance_overflow if a distance does not fit. Where a graph is searched many times: bfs_search, sssp_buckets.
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
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/sssp.hpp"
#include "evenly/graph/sssp_in_buckets.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly {

namespace detail {

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

/// A tree of the values, of type Value, and parents that run(exec, view, values, parents, schedule...) writes. There is
/// a schedule if `env` has one. Waits.
template <template <class...> class Tree, class Value, class G, class Env, class Run>
auto searched(const G& g, Env&& env, const Run& run) {
  using vertex = vertex_of<G>;
  const auto where = environment_of(env);
  static_assert(
      !requires { where.schedule().of->exec(); },
      "a search makes its own plans: pass a schedule instead of a plan");
  const auto exec = executor_for(where, g);
  const auto& view = as_graph(g);
  if constexpr (!is_checked_graph<G>) check_edges(exec, view.out);
  auto values = make_values<Value>(exec, view.out.vertices);
  auto parents = make_values<vertex>(exec, view.out.vertices);
  const std::span<Value> to_values(std::data(values), std::size(values));
  const std::span<vertex> to_parents(std::data(parents), std::size(parents));
  if constexpr (std::is_same_v<decltype(where.schedule()), const unset&>)
    run(exec, view, to_values, to_parents);
  else
    run(exec, view, to_values, to_parents, where.schedule());
  exec.synchronize();
  return Tree<decltype(values), decltype(parents)>{std::move(values), std::move(parents)};
}

} // namespace detail

/// An evenly::graph, a graph_view or a square csr_matrix.
template <class G>
concept graph_like = requires(const G& g) { detail::as_graph(g); };

/// levels[v]: the fewest edges from the source to v, -1 if there is no way. parents[v]: of the neighbours before v on
/// such ways the one of lowest number; -1 if there is no way; the source's is itself.
template <class Levels, class Vertices = Levels> struct bfs_tree {
  Levels levels;
  Vertices parents;
};
/// O(vertices + edges), or less where searches go bottom-up: make_in_edges or set_undirected on an evenly::graph.
template <graph_like G, environment_argument Env = environment<>>
auto bfs(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  return detail::searched<bfs_tree, detail::vertex_of<G>>(
      g, env, [&](const auto& exec, const auto& view, auto levels, auto parents, const auto&... schedule) {
        evenly::bfs(exec, schedule..., view, source, levels, parents);
      });
}

/// distances[v]: the least sum of weights from the source to v, unreached<Distance> if there is no way;
/// std::int64_t for integer weights, else the weights' type. parents[v]: the neighbour before v on a shortest way, of
/// lowest number where several are nearer than v; -1 if there is no way; the source's is itself.
template <class Distances, class Vertices> struct path_tree {
  Distances distances;
  Vertices parents;
};
template <graph_like G, environment_argument Env = environment<>>
auto sssp(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  return detail::searched<path_tree, detail::distance_of<detail::weight_of<G>>>(
      g, env, [&](const auto& exec, const auto& view, auto distances, auto parents, const auto&... schedule) {
        evenly::sssp(exec, schedule..., view, source, distances, parents);
      });
}

} // namespace evenly
