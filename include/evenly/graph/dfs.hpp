// SPDX-License-Identifier: Apache-2.0
// Unordered depth-first search on a pool of tasks: which vertices can be reached, a tree over them, and the order of
// their discovery.
//
//   const auto [parents, order] = evenly::dfs(g, source);
//   evenly::dfs(g, source, parents, order);                       // in existing memory
//
// A task is a vertex and those of its edges that have not been looked at. It claims the first neighbour without a
// parent by a compare-and-swap, pushes its remaining edges, and pushes the neighbour above them. So a worker goes
// deeper first, and other workers take its oldest tasks, near the root, which lead to the most work: depth-first search
// by stealing on two levels, as in DiggerBees (PPoPP 2026). Here a pool moves the tasks (tasks/batched_stealing.hpp):
// the stack of a warp is in shared memory, older tasks in a ring in memory, and 32 vertices of a warp advance together.
//
// What repeats: the set of reached vertices. Parents and order depend on timing, except on one core: there they are
// those of the serial search that looks at edges in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/detail/edge_tasks.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/run_tasks.hpp"

namespace evenly::detail {

/// A discovered vertex and its edges that have not been looked at.
template <class Vertex, class Edge> struct depth_task {
  Vertex vertex = 0;
  Edge next = 0;
  Edge end = 0;
};

template <class Vertex, class Edge> struct depth_body {
  using form = tasks::in_step;
  using task = depth_task<Vertex, Edge>;
  static constexpr int max_children = 3;
  static constexpr int at_once = 4; ///< edges whose loads are in flight together

  adjacency<Vertex, Edge> out;
  Vertex* parents;
  Vertex* order;
  Vertex* discovered; ///< the number of discovered vertices

  template <class Team, class Sink> EVENLY_FN void operator()(Team& team, const task& now, Sink& sink) const {
    constexpr bool is_serial = std::remove_cvref_t<decltype(team.block())>::is_serial;
    Edge next = now.next;
    const Edge end = team.has_task() ? now.end : next;
    Vertex found = -1;
    if constexpr (is_serial)
      while (found < 0 && next < end) found = claim_one(now.vertex, next, end);
    else if (next < end)
      found = claim_one(now.vertex, next, end);
    task child;
    if (found >= 0) child = {found, read_only(out.offsets + found), read_only(out.offsets + found + 1)};
    if constexpr (is_serial) prefetch_ends(child);
    number(team, found);
    // Many remaining edges are divided where lanes advance together: a single vertex would delay its warp.
    const bool divides = !is_serial && end - next > 16 * at_once;
    const Edge middle = divides ? next + (end - next) / 2 : end;
    sink.push(middle < end, task{now.vertex, middle, end});
    sink.push(next < middle, task{now.vertex, next, middle});
    sink.push(child.next < child.end, child);
  }

 private:
  /// Prefetches the memory that the search reads at the ends of a vertex's first edges.
  EVENLY_FN void prefetch_ends(const task& of) const {
    constexpr Edge some = 2 * at_once;
    for (Edge e = of.next; e < smaller<Edge>(of.end, of.next + some); ++e) {
      prefetch_read(parents + out.ends[e]);
      prefetch_read(out.offsets + out.ends[e]);
    }
  }
  /// Looks at the first edges of [next, end). Returns the first of their ends that this call gives a parent, or -1, and
  /// advances `next` behind it.
  EVENLY_FN Vertex claim_one(Vertex from, Edge& next, Edge end) const {
    Vertex to[at_once];
    bool is_free[at_once];
    EVENLY_UNROLL
    for (int i = 0; i < at_once; ++i) to[i] = next + i < end ? read_only(out.ends + next + i) : -1;
    EVENLY_UNROLL
    for (int i = 0; i < at_once; ++i)
      is_free[i] = to[i] >= 0 && atomic_ref(parents[to[i]]).load(order::relaxed{}) == -1;
    const Edge first = next;
    next = smaller<Edge>(end, first + at_once);
    for (int i = 0; i < at_once; ++i) {
      Vertex none = -1;
      if (!is_free[i] || !atomic_ref(parents[to[i]]).compare_exchange(none, from, order::relaxed{})) continue;
      next = first + i + 1;
      return to[i];
    }
    return -1;
  }
  /// Gives the vertices that the team's lanes have found consecutive numbers. Called by all lanes. A parent has got its
  /// number before its task was pushed, so it is lower.
  template <class Team> EVENLY_FN void number(Team& team, Vertex found) const {
    const lane_mask having = team.ballot(found >= 0);
    if (having == 0) return;
    Vertex first = 0;
    if (team.rank() == 0)
      first = atomic_ref(*discovered).fetch_add(static_cast<Vertex>(lanes_in(having)), order::relaxed{});
    first = team.shuffle(first, 0);
    if (found >= 0) order[found] = first + static_cast<Vertex>(lanes_in(having & first_lanes(team.rank())));
  }
};

template <class Vertex, class Edge> struct first_depth_task {
  adjacency<Vertex, Edge> out;
  Vertex source;
  EVENLY_FN depth_task<Vertex, Edge> operator()(std::int64_t) const {
    return {source, out.offsets[source], out.offsets[source + 1]};
  }
};
template <class Vertex> struct one_discovered {
  EVENLY_FN Vertex operator()(std::int64_t) const { return 1; }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Unordered depth-first search from `source` on a pool of tasks.
///
/// - parents: one per vertex, on `exec`. parents[v] becomes the vertex from which v was discovered; the source is its
///   own parent; unreached vertices get -1.
/// - order: one per vertex, on `exec`. order[v] becomes the number of vertices discovered before v, which is greater
///   than that of its parent; unreached vertices get -1.
/// - options: those of run_tasks. Without room for its tasks the search begins again with a larger pool.
/// - Returns the number of reached vertices.
/// - Cost: O(vertices + edges); memory of the pool.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument if the source is not a vertex, or if a size is wrong. The edges are not checked
///   (check_edges).
template <class Executor, class Weight, class Vertex, class Edge>
Vertex dfs_on_tasks(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                    std::type_identity_t<Vertex> source, std::type_identity_t<std::span<Vertex>> parents,
                    std::type_identity_t<std::span<Vertex>> order, const tasks::task_options& options = {},
                    const batched_stealing& pool = detail::search_pool) {
  const auto& out = graph.out;
  require_source(out, source);
  detail::require_for_vertices("parents", parents, out);
  detail::require_for_vertices("order", order, out);
  using body = detail::depth_body<Vertex, Edge>;
  const auto discovered = make_buffer<Vertex>(exec, 1);
  const auto first = make_buffer<typename body::task>(exec, 1);
  tabulate(exec, 1, detail::first_depth_task<Vertex, Edge>{out, source}, first.data());
  tasks::task_workspace memory;
  detail::with_room_for_tasks(
      detail::room_for_vertices<Executor>(options, out.vertices), [&](const tasks::task_options& with) {
        tabulate(exec, out.vertices, detail::first_values<Vertex>{source, source}, parents.data());
        tabulate(exec, out.vertices, detail::first_values<Vertex>{source, 0}, order.data());
        tabulate(exec, 1, detail::one_discovered<Vertex>{}, discovered.data());
        tasks::run_tasks(exec, pool, first, body{out, parents.data(), order.data(), discovered.data()}, with,
                         memory);
        return tasks::finish(exec, memory).run;
      });
  return to_host(exec, discovered).front();
}

/// The result of dfs.
///
/// - parents[v]: the vertex from which v was discovered; -1 if v cannot be reached. The source is its own parent.
/// - order[v]: the number of vertices discovered before v; -1 if v cannot be reached.
template <class Vertices> struct dfs_tree {
  Vertices parents;
  Vertices order;
};

/// Unordered depth-first search. See the head of this file for what repeats.
///
/// - g, env: as for bfs (searches.hpp), without a schedule.
/// - Complexity: O(vertices + edges). Allocates the result and the memory of a pool; synchronises.
/// - Throws invalid_argument if the source is not a vertex, and as bfs does for edges that do not end at a vertex.
template <graph_like G, environment_argument Env = environment<>>
auto dfs(const G& g, detail::vertex_of<G> source, Env&& env = {}) {
  using vertex = detail::vertex_of<G>;
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto parents = detail::make_values<vertex>(exec, view.out.vertices);
    auto order = detail::make_values<vertex>(exec, view.out.vertices);
    graphs::dfs_on_tasks(exec, view, source, {std::data(parents), std::size(parents)},
                         {std::data(order), std::size(order)});
    return dfs_tree<decltype(parents)>{std::move(parents), std::move(order)};
  });
}
/// The same in existing memory: parents and order have one element per vertex. Returns the number of reached vertices.
template <graph_like G, detail::contiguous_values Parents, detail::contiguous_values Order,
          environment_argument Env = environment<>>
auto dfs(const G& g, detail::vertex_of<G> source, Parents&& parents, Order&& order, Env&& env = {}) {
  using vertex = detail::vertex_of<G>;
  static_assert(std::is_same_v<decltype(std::data(parents)), vertex*> &&
                    std::is_same_v<decltype(std::data(order)), vertex*>,
                "parents and order need elements of the type of vertices");
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    return graphs::dfs_on_tasks(exec, view, source, {std::data(parents), std::size(parents)},
                                {std::data(order), std::size(order)});
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::dfs_tree, graphs::dfs;

} // namespace evenly
