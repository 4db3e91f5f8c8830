// SPDX-License-Identifier: Apache-2.0
// Breadth-first search, level by level, under any schedule: the distance in edges from a source to each vertex, and its
// parent.
//
// A schedule distributes the edges of the frontier (frontier_loop.hpp). The first edge to reach a vertex sets its level
// and appends it to the next frontier. The parent is the neighbour of lowest number on the previous level, found by an
// atomic minimum. So levels and parents do not depend on the order of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::detail {

template <class Vertex> struct first_values {
  Vertex source, at_source;
  EVENLY_FN Vertex operator()(std::int64_t v) const { return v == source ? at_source : Vertex{-1}; }
};

/// Sets the level of `at`, the target of an edge, if it has none. If `from` is a smaller parent than the current one,
/// it becomes the parent. Returns `at` if this call set the level.
template <class Vertex>
EVENLY_INLINE_FN std::optional<Vertex> arrive(Vertex* levels, Vertex* parents, Vertex level, Vertex from,
                                              Vertex at) {
  const atomic_ref level_of(levels[at]);
  Vertex seen = level_of.load(order::relaxed{});
  const bool first = seen == -1 && level_of.compare_exchange(seen, level, order::relaxed{});
  if (parents != nullptr && (first || seen == level)) lower_parent(parents, at, from);
  if (!first) return {};
  return at;
}

template <class Frontier, class Vertex> struct bfs_visit {
  Frontier frontier;
  const Vertex* targets;
  Vertex* levels;
  Vertex* parents;
  Vertex level;

  EVENLY_FN std::optional<Vertex> operator()(tile_type<Frontier> tile, atom_type<Frontier> atom) const {
    const Vertex to = read_only(targets + frontier.source_atom(tile, atom));
    return arrive(levels, parents, level, frontier.source(tile), to);
  }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Breadth-first search from `source`.
///
/// - loop: made on `exec` for outgoing edges.
/// - levels: one per vertex, on `exec`. levels[v] becomes the smallest number of edges on a path from `source` to v; -1
///   if there is no path.
/// - parents: one per vertex, on `exec`, or empty. parents[v] becomes the vertex of lowest number among those on the
///   previous level with an edge to v. The source is its own parent; unreached vertices get -1.
/// - report(frontier_report): called on the host for each level.
/// - Returns the number of levels.
/// - Cost: one visit per outgoing edge of a reached vertex; per level two or three launches and one number read back.
/// - Synchronisation: waits for the executor at each level.
/// - Throws invalid_argument if the source is not a vertex, or if a size is wrong.
template <class Executor, class Schedule, class Vertex, class Edge, class Report = no_reports>
std::int64_t bfs(const Executor& exec, frontier_loop<Executor, Schedule, Vertex, Edge>& loop,
                 std::type_identity_t<Vertex> source, std::type_identity_t<std::span<Vertex>> levels,
                 std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  const auto& edges = loop.edges();
  require_source(edges, source);
  detail::require_for_vertices("levels", levels, edges);
  if (!parents.empty()) detail::require_for_vertices("parents", parents, edges);
  tabulate(exec, edges.vertices, detail::first_values<Vertex>{source, 0}, levels.data());
  if (!parents.empty())
    tabulate(exec, edges.vertices, detail::first_values<Vertex>{source, source}, parents.data());
  using frontier = typename frontier_loop<Executor, Schedule, Vertex, Edge>::frontier_type;
  Vertex* const parents_at = parents.empty() ? nullptr : parents.data();
  loop.start_from(source);
  return loop.run(
      [&](const frontier& now, std::int64_t level) {
        return detail::bfs_visit<frontier, Vertex>{now, edges.ends, levels.data(), parents_at,
                                                   static_cast<Vertex>(level + 1)};
      },
      report);
}

template <class Executor, class Schedule, class Weight, class Vertex, class Edge, class Report = no_reports>
[[deprecated(
    "use bfs(graph, source, levels, parents, on(exec).with(schedule)) of graph/searches.hpp")]] std::int64_t
bfs(const Executor& exec, const Schedule& schedule, const graph_view<Weight, Vertex, Edge>& graph,
    std::type_identity_t<Vertex> source, std::type_identity_t<std::span<Vertex>> levels,
    std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  frontier_loop loop(exec, schedule, graph.out);
  return bfs(exec, loop, source, levels, parents, report);
}

} // namespace evenly::graphs

namespace evenly {

using graphs::bfs;

} // namespace evenly
