// SPDX-License-Identifier: Apache-2.0
// Breadth-first search: how many edges each vertex is away from a source, and a vertex before it on the way.
//
// From level to level: the edges of the frontier are shared by a schedule (frontier_loop.hpp), and whoever arrives
// first at a vertex sets its level and puts it on the next frontier. The parent is the neighbour of lowest number on
// the level before, by an atomic minimum; so levels and parents do not depend on who was first, and bits repeat.
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

namespace evenly {

namespace detail {

template <class Vertex> struct first_values {
  Vertex source, at_source;
  EVENLY_FN Vertex operator()(std::int64_t v) const { return v == source ? at_source : Vertex{-1}; }
};

/// The vertex at the end of an edge, of those that have no level yet. It gets `level` and, on the way, its parent.
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

} // namespace detail

/// levels[v] = the least number of edges on a way from `source` to v, -1 if there is none. parents[v] = of the vertices
/// on the level before v with an edge to v the one of lowest number, -1 for unreached vertices; the source's is itself.
/// Returns how many levels there are.
///
/// loop: made on `exec` for the edges that leave. levels, parents: one for each vertex, on `exec`; without parents an
/// empty span. report(frontier_report): called on the host for each level. Waits for the executor at each level. Throws
/// invalid_argument if the source is no vertex, or a size is wrong. Cost: a visit of each edge that leaves a reached
/// vertex, and for each level two or three launches and a number read back.
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

} // namespace evenly
