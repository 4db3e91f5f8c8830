// SPDX-License-Identifier: Apache-2.0
// Breadth-first search and shortest paths in one line.
//
//   const auto [levels, parents] = evenly::bfs(g, source);
//   const auto [distances, parents] = evenly::sssp(g, source);
//   evenly::bfs(g, source, levels, parents);                       // in existing memory; sssp likewise
//
// - g: an evenly::graph, a graph_view, or a square csr_matrix or csr_view, in which an entry in row u and column v is
//   an edge from u to v.
// - Optional last argument: the environment (execution/environment.hpp). By default a search runs where the graph is,
//   by one persistent kernel; with a schedule it goes level by level under it. The results are the same bits.
// - Results: std::vectors on the host, otherwise evenly::vectors.
// - Allocates and synchronises.
// - Throws invalid_argument if the source is not a vertex or a size is wrong; in sssp also for weights that are
//   negative, NaN or infinite. Throws distance_overflow if a distance does not fit.
// - Edges: a graph has checked them in its constructor. Of a csr_matrix or csr_view each call checks them, because the
//   arrays can change, and throws invalid_argument for one that does not end at a vertex. Of a graph_view they must be
//   valid; graphs::check_edges checks them.
//
// If you search one graph many times, use bfs_search and sssp_buckets.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

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
#include "evenly/graph/weights.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/matrix_like.hpp"

namespace evenly::detail {

template <class Executor, class Weight, class Vertex, class Edge>
const graph_view<Weight, Vertex, Edge>& as_graph(const Executor&, const graph_view<Weight, Vertex, Edge>& g) {
  return g;
}
template <class On, class Weight, class Vertex, class Edge, class Executor>
const graph_view<Weight, Vertex, Edge>& as_graph(const On&, const graph<Weight, Vertex, Edge, Executor>& g) {
  return g.view();
}
template <class On, class Weight, class Edge, class Executor>
graph_view<Weight, int, Edge> as_graph(const On&, const csr_matrix<Weight, Edge, Executor>& g) {
  return graph_view_of(g);
}
template <class Executor, class Weight, class Edge>
graph_view<Weight, int, Edge> as_graph(const Executor& exec, const csr_view<Weight, Edge>& g) {
  return graph_view_of(exec, g);
}
/// The type of the graph_view.
template <class G>
using graph_view_type =
    std::remove_cvref_t<decltype(as_graph(std::declval<const cpu&>(), std::declval<const G&>()))>;

template <class G> using vertex_of = decltype(graph_view_type<G>{}.out.vertices);
template <class Weight> using distance_of = std::conditional_t<std::integral<Weight>, std::int64_t, Weight>;
template <class G> using weight_of = typename graph_view_type<G>::weight_type;

/// Calls body(exec, view, schedule...) with the executor of `env` and the graph. The schedule is passed if `env` has
/// one.
template <class G, class Env, class Body> auto with_graph(const G& g, Env&& env, const Body& body) {
  const auto where = environment_of(env);
  static_assert(
      !requires { where.schedule().of->exec(); },
      "a search makes its own plans: pass a schedule instead of a plan");
  const auto exec = executor_for(where, g);
  const auto& view = as_graph(exec, g);
  if constexpr (csr_like<G>) graphs::check_edges(exec, view.out);
  if constexpr (std::is_same_v<decltype(where.schedule()), const unset&>)
    return body(exec, view);
  else
    return body(exec, view, where.schedule());
}

template <class R> auto span_of_output(R& out) { return std::span(std::data(out), std::size(out)); }

/// Allocates a tree with values of type Value, and calls run(exec, view, values, parents, schedule...) to fill it.
/// Waits.
template <template <class...> class Tree, class Value, class G, class Env, class Run>
auto searched(const G& g, Env&& env, const Run& run) {
  return with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    auto values = make_values<Value>(exec, view.out.vertices);
    auto parents = make_values<vertex_of<G>>(exec, view.out.vertices);
    run(exec, view, span_of_output(values), span_of_output(parents), schedule...);
    exec.synchronize();
    return Tree<decltype(values), decltype(parents)>{std::move(values), std::move(parents)};
  });
}

template <class Executor, class Weight, class Vertex, class Edge, class... Schedule>
std::int64_t find_levels(const Executor& exec, const graph_view<Weight, Vertex, Edge>& g, Vertex source,
                         std::span<Vertex> levels, std::span<Vertex> parents, graphs::parent_rule rule,
                         const Schedule&... schedule) {
  if constexpr (sizeof...(Schedule) == 0) {
    bfs_search search(exec, g);
    search.run(source, levels, parents, rule);
    return search.totals().levels;
  } else {
    frontier_loop loop(exec, schedule..., g.out);
    return graphs::bfs(exec, loop, source, levels, parents);
  }
}

template <class Executor, class Weight, class Vertex, class Edge, class Distance, class... Schedule>
std::int64_t find_paths(const Executor& exec, const graph_view<Weight, Vertex, Edge>& g, Vertex source,
                        std::span<Distance> distances, std::span<Vertex> parents,
                        const Schedule&... schedule) {
  graphs::check_weights(exec, g);
  if constexpr (sizeof...(Schedule) == 0)
    return sssp_buckets(exec, g).run(source, distances, parents);
  else
    return sssp_loop(exec, schedule..., g).run(source, distances, parents);
}

/// Whether the elements of R can be written and have the type T.
template <class R, class T>
inline constexpr bool is_output_of = std::is_same_v<decltype(std::data(std::declval<R&>())), T*>;

} // namespace evenly::detail

namespace evenly::graphs {

/// An evenly::graph, a graph_view, or a square csr_matrix or csr_view.
template <class G>
concept graph_like = requires { typename detail::graph_view_type<G>; };

/// The result of bfs.
///
/// - levels[v]: the smallest number of edges on a path from the source to v; -1 if there is no path.
/// - parents[v]: the neighbour of lowest number before v on such a path (with parent_rule::any some such neighbour); -1
///   if there is no path. The source is its own parent.
template <class Levels, class Vertices = Levels> struct bfs_tree {
  Levels levels;
  Vertices parents;
};
/// Breadth-first search. Complexity: O(vertices + edges), less if the search goes bottom-up. For that call
/// make_in_edges or set_undirected on an evenly::graph. parent_rule::any is faster on cpu; with a schedule, on simt
/// and on cuda it has no effect.
template <graph_like G, environment_argument Env = environment<>>
auto bfs(const G& g, detail::vertex_of<G> source, parent_rule rule, Env&& env = {}) {
  return detail::searched<bfs_tree, detail::vertex_of<G>>(
      g, env, [&](const auto& exec, const auto& view, auto levels, auto parents, const auto&... schedule) {
        detail::find_levels(exec, view, source, levels, parents, rule, schedule...);
      });
}
/// The same with parent_rule::least.
template <graph_like G, environment_argument Env = environment<>>
auto bfs(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  return graphs::bfs(g, source, parent_rule::least, env);
}
/// The same in existing memory: levels and parents have one element per vertex; parents may be empty. Returns the
/// number of levels.
template <graph_like G, detail::contiguous_values Levels, detail::contiguous_values Parents,
          environment_argument Env = environment<>>
std::int64_t bfs(const G& g, detail::vertex_of<G> source, Levels&& levels, Parents&& parents,
                 parent_rule rule, Env&& env = {}) {
  static_assert(detail::is_output_of<Levels, detail::vertex_of<G>> &&
                    detail::is_output_of<Parents, detail::vertex_of<G>>,
                "levels and parents must not be const and must have the vertex type of the graph");
  return detail::with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    return detail::find_levels(exec, view, source, detail::span_of_output(levels),
                               detail::span_of_output(parents), rule, schedule...);
  });
}
/// The same with parent_rule::least.
template <graph_like G, detail::contiguous_values Levels,
          detail::contiguous_values Parents = std::span<detail::vertex_of<G>>,
          environment_argument Env = environment<>>
std::int64_t bfs(const G& g, detail::vertex_of<G> source, Levels&& levels, Parents&& parents = {},
                 Env&& env = {}) {
  return graphs::bfs(g, source, levels, parents, parent_rule::least, env);
}

/// The result of sssp.
///
/// - distances[v]: the smallest sum of weights on a path from the source to v; unreached<Distance> if there is no path.
///   The type is std::int64_t for integer weights, otherwise the weights' type.
/// - parents[v]: the neighbour before v on a shortest path; -1 if there is no path. Of several such neighbours with
///   smaller distances than v, the one of lowest number. The source is its own parent.
template <class Distances, class Vertices> struct path_tree {
  Distances distances;
  Vertices parents;
};
/// Shortest paths. Complexity: sssp_in_buckets.hpp; with a schedule sssp.hpp.
template <graph_like G, environment_argument Env = environment<>>
auto sssp(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  return detail::searched<path_tree, detail::distance_of<detail::weight_of<G>>>(
      g, env, [&](const auto& exec, const auto& view, auto distances, auto parents, const auto&... schedule) {
        detail::find_paths(exec, view, source, distances, parents, schedule...);
      });
}
/// The same in existing memory: distances and parents have one element per vertex; parents may be empty. Distances are
/// integers if and only if weights are, and at least as wide. Returns the number of frontiers.
template <graph_like G, detail::contiguous_values Distances,
          detail::contiguous_values Parents = std::span<detail::vertex_of<G>>,
          environment_argument Env = environment<>>
std::int64_t sssp(const G& g, detail::vertex_of<G> source, Distances&& distances, Parents&& parents = {},
                  Env&& env = {}) {
  static_assert(
      detail::is_output_of<Distances, detail::value_of<Distances>> &&
          detail::is_output_of<Parents, detail::vertex_of<G>>,
      "distances and parents must not be const, and parents must have the vertex type of the graph");
  return detail::with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    return detail::find_paths(exec, view, source, detail::span_of_output(distances),
                              detail::span_of_output(parents), schedule...);
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::bfs_tree, graphs::bfs, graphs::path_tree, graphs::sssp;

} // namespace evenly
