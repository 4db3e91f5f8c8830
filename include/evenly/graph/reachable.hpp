// SPDX-License-Identifier: Apache-2.0
// Reachability: which vertices a path from a source leads to.
//
//   const auto reached = evenly::reachable(g, source);
//   evenly::reachable(g, source, reached);                        // in existing memory
//
// Without levels to keep apart, a search needs no barriers: a task claims the unvisited neighbours of a vertex in a
// bitmap and makes a task for each (detail/edge_tasks.hpp). On a GPU that is fastest where levels are many and narrow,
// as on roads. Graphs with more edges per vertex, and all graphs on cpu, are searched breadth-first (bfs_search.hpp),
// which visits edges in larger groups, and on cpu prefetches along its lists. The result is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/detail/edge_tasks.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/batched_stealing.hpp"

namespace evenly::detail {

/// A set of vertices as words of 32 bits, which a GPU changes by one atomic operation.
struct reached_bits {
  std::uint32_t* words;

  static constexpr std::int64_t words_for(std::int64_t vertices) {
    return ceil_div<std::int64_t>(vertices, 32);
  }
  template <class Vertex> EVENLY_FN static std::uint32_t mask(Vertex v) {
    return std::uint32_t{1} << (v % 32);
  }
  template <class Vertex> EVENLY_FN bool has(Vertex v) const {
    return (atomic_ref(words[v / 32]).load(order::relaxed{}) & mask(v)) != 0;
  }
  /// Returns whether v was absent.
  template <class Vertex> EVENLY_FN bool insert(Vertex v) const {
    return (atomic_ref(words[v / 32]).fetch_or(mask(v), order::relaxed{}) & mask(v)) == 0;
  }
};

/// The rule of edge tasks that claim each vertex once.
template <class Vertex, class Edge> struct reach_rule {
  adjacency<Vertex, Edge> out;
  reached_bits reached;

  EVENLY_FN edge_range<Edge> edges(Vertex v) const {
    using number = std::make_unsigned_t<Edge>;
    const Edge begin = read_only(out.offsets + v);
    return {static_cast<number>(begin), static_cast<number>(read_only(out.offsets + v + 1) - begin)};
  }
  EVENLY_FN edge_range<Edge> start(Vertex v) const {
    reached.insert(v);
    return edges(v);
  }
  EVENLY_FN Vertex end(Vertex, std::make_unsigned_t<Edge> e) const { return read_only(out.ends + e); }
  EVENLY_FN bool admits(Vertex, Vertex to) const { return !reached.has(to); }
  EVENLY_FN bool claim(Vertex, std::make_unsigned_t<Edge>, Vertex to) const { return reached.insert(to); }
};

struct bit_of_vertex {
  reached_bits bits;
  EVENLY_FN std::uint8_t operator()(std::int64_t v) const { return bits.has(v) ? 1 : 0; }
};
template <class Vertex> struct has_level {
  const Vertex* levels;
  EVENLY_FN std::uint8_t operator()(std::int64_t v) const { return levels[v] >= 0 ? 1 : 0; }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Finds the vertices that can be reached from `source`, on a pool of tasks.
///
/// - reached: one per vertex, on `exec`. reached[v] becomes 1 if there is a path from `source` to v, else 0.
/// - options: those of run_tasks. Without room for its tasks the search begins again with a larger pool.
/// - Cost: O(vertices + edges); a bit per vertex and the memory of the pool.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument if the source is not a vertex, or if the size is wrong. The edges are not checked
///   (check_edges).
template <class Executor, class Weight, class Vertex, class Edge>
void reachable_on_tasks(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                        std::type_identity_t<Vertex> source, std::span<std::uint8_t> reached,
                        const tasks::task_options& options = {},
                        const batched_stealing& pool = detail::search_pool) {
  const auto& out = graph.out;
  require_source(out, source);
  detail::require_for_vertices("reached", reached, out);
  const auto bits = make_buffer<std::uint32_t>(
      exec, static_cast<std::size_t>(detail::reached_bits::words_for(out.vertices)));
  const auto first = make_buffer<Vertex>(exec, 1);
  tabulate(exec, 1, detail::same_vertex<Vertex>{source}, first.data());
  detail::edge_task_runs<Vertex, Edge> runs;
  detail::with_room_for_tasks(
      detail::room_for_vertices<Executor>(options, out.vertices), [&](const tasks::task_options& with) {
        runs.options = with;
        exec.fill_zero(bits.data(), bits.size() * sizeof(std::uint32_t));
        return runs.run(exec, first.data(), 1, detail::reach_rule<Vertex, Edge>{out, {bits.data()}}, pool)
            .run;
      });
  tabulate(exec, out.vertices, detail::bit_of_vertex{{bits.data()}}, reached.data());
  exec.synchronize();
}

/// Finds the vertices that can be reached from `source`: on tasks on a GPU if the graph has few edges per vertex, else
/// breadth-first. The contract is that of reachable_on_tasks.
template <class Executor, class Weight, class Vertex, class Edge>
void find_reachable(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                    std::type_identity_t<Vertex> source, std::span<std::uint8_t> reached) {
  constexpr int few_edges = 6; ///< per vertex
  const auto& out = graph.out;
  require_source(out, source);
  if (!Executor::serial_blocks && out.edges / few_edges < out.vertices)
    return reachable_on_tasks(exec, graph, source, reached);
  detail::require_for_vertices("reached", reached, out);
  const auto levels = make_buffer<Vertex>(exec, static_cast<std::size_t>(out.vertices));
  auto searched = graph;
  if constexpr (!Executor::serial_blocks)
    searched.in = {}; // to check their order takes longer than one search
  bfs_search search(exec, searched);
  search.run(source, levels.span());
  tabulate(exec, out.vertices, detail::has_level<Vertex>{levels.data()}, reached.data());
  exec.synchronize();
}

/// Which vertices can be reached: result[v], a std::uint8_t, is 1 if there is a path from `source` to v, else 0.
///
/// - g, env: as for bfs (searches.hpp), without a schedule.
/// - Complexity: O(vertices + edges). Allocates and synchronises.
/// - Throws invalid_argument if the source is not a vertex, and as bfs does for edges that do not end at a vertex.
template <graph_like G, environment_argument Env = environment<>>
auto reachable(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto reached = detail::make_values<std::uint8_t>(exec, view.out.vertices);
    find_reachable(exec, view, source, {std::data(reached), std::size(reached)});
    return reached;
  });
}
/// The same in existing memory: `reached` has one std::uint8_t per vertex.
template <graph_like G, detail::contiguous_values Reached, environment_argument Env = environment<>>
void reachable(const G& g, detail::vertex_of<G> source, Reached&& reached, Env&& env = {}) {
  static_assert(std::is_same_v<decltype(std::data(reached)), std::uint8_t*>,
                "reached needs elements of std::uint8_t");
  const auto where = detail::environment_without_schedule(env);
  detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    find_reachable(exec, view, source, {std::data(reached), std::size(reached)});
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::reachable;

} // namespace evenly
