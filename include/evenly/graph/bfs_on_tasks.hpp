// SPDX-License-Identifier: Apache-2.0
// Breadth-first search from one source on a pool of tasks: asynchronous and label-correcting.
//
//   bfs_on_tasks(exec, ticket_ring{}, graph, source, levels, parents);
//
// A task is a vertex with the level it had when the task was made. It visits the edges of the vertex and makes a task
// for each end whose level it lowers. A task has no effect if its vertex has got a lower level since. There are no
// frontiers and no barriers between levels: levels are final when no task is left. A task with many edges makes two
// tasks of half the edges each.
//
// A vertex has one word, its level above its parent, which is lowered as a whole. So in the end the parent is the
// neighbour of lowest number on the previous level, in any order of tasks.
//
// The pool determines how often levels are lowered. In a first-in-first-out pool most levels are lowered once. A
// last-in-first-out pool follows long paths to their end before short ones and may visit edges very often. Prefer a
// first-in-first-out pool (task_order::fifo).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/run_tasks.hpp"

namespace evenly::detail {

using level_word = path_word<int>; // a level is a distance with weights of 1

/// Some of the edges of a vertex whose level was lowered.
template <class Edge> struct level_task {
  int level;
  std::uint32_t vertex;
  Edge begin;
  Edge edges;
};

template <class Vertex, class Edge> struct level_body {
  static constexpr int max_children = 4;
  using task = level_task<Edge>;

  adjacency<Vertex, Edge> out;
  std::uint64_t* words;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, const task& now, Sink& sink) const {
    if (level_word::distance(atomic_ref(words[now.vertex]).load(order::relaxed{})) != now.level) return;
    if (now.edges > max_children) {
      const Edge half = now.edges / 2;
      sink.push(task{now.level, now.vertex, now.begin, half});
      sink.push(task{now.level, now.vertex, now.begin + half, now.edges - half});
      return;
    }
    const int next = now.level + 1;
    const std::uint64_t reached = level_word::of(next, now.vertex);
    for (Edge e = now.begin; e < now.begin + now.edges; ++e) {
      const auto to = static_cast<std::uint32_t>(read_only(out.ends + e));
      const atomic_ref at(words[to]);
      if (!(reached < at.load(order::relaxed{}))) continue;
      if (!(next < level_word::distance(at.fetch_min(reached, order::relaxed{})))) continue;
      const Edge begin = read_only(out.offsets + to), end = read_only(out.offsets + to + 1);
      if (begin < end) sink.push(task{next, to, begin, end - begin});
    }
  }
};

template <class Vertex, class Edge> struct first_level_task {
  adjacency<Vertex, Edge> out;
  Vertex source;
  EVENLY_FN level_task<Edge> operator()(std::int64_t) const {
    const Edge begin = out.offsets[source];
    return {0, static_cast<std::uint32_t>(source), begin, out.offsets[source + 1] - begin};
  }
};
struct first_level_word {
  std::int64_t source;
  EVENLY_FN std::uint64_t operator()(std::int64_t v) const {
    return v == source ? level_word::of(0, static_cast<std::uint32_t>(v)) : level_word::none();
  }
};
template <class Vertex> struct found_level {
  const std::uint64_t* words;
  EVENLY_FN Vertex operator()(std::int64_t v) const {
    return words[v] == level_word::none() ? Vertex{-1} : static_cast<Vertex>(level_word::distance(words[v]));
  }
};
template <class Vertex> struct found_parent {
  const std::uint64_t* words;
  EVENLY_FN Vertex operator()(std::int64_t v) const {
    return words[v] == level_word::none() ? Vertex{-1} : static_cast<Vertex>(level_word::parent(words[v]));
  }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Finds the levels and parents of bfs (bfs.hpp), the same on every run.
///
/// - levels, parents: one per vertex, on `exec`; parents may be empty.
/// - options: those of run_tasks. If they cancel the run, no level is too low, and vertices not reached yet have -1.
/// - Returns the report of the run of tasks.
/// - Memory: 8 bytes per vertex and the memory of the pool.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument as bfs does, and for 2^31 vertices or more. Throws task_overflow if there is no room for a
///   task.
/// - The edges are not checked (check_edges).
template <class Executor, tasks::task_pool Pool, class Weight, class Vertex, class Edge>
task_report
bfs_on_tasks(const Executor& exec, const Pool& pool, const graph_view<Weight, Vertex, Edge>& graph,
             std::type_identity_t<Vertex> source, std::type_identity_t<std::span<Vertex>> levels,
             std::type_identity_t<std::span<Vertex>> parents = {}, const task_options& options = {}) {
  const auto& out = graph.out;
  require_source(out, source);
  detail::require_for_vertices("levels", levels, out);
  if (!parents.empty()) detail::require_for_vertices("parents", parents, out);
  detail::require_short_vertices(out);
  using body = detail::level_body<Vertex, Edge>;
  const auto words = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>(out.vertices));
  const auto first = make_buffer<typename body::task>(exec, 1);
  tabulate(exec, out.vertices, detail::first_level_word{source}, words.data());
  tabulate(exec, 1, detail::first_level_task<Vertex, Edge>{out, source}, first.data());
  const task_report report = run_tasks(exec, pool, first, body{out, words.data()}, options);
  tabulate(exec, out.vertices, detail::found_level<Vertex>{words.data()}, levels.data());
  if (!parents.empty())
    tabulate(exec, out.vertices, detail::found_parent<Vertex>{words.data()}, parents.data());
  exec.synchronize();
  return report;
}

} // namespace evenly::graphs

namespace evenly {

using graphs::bfs_on_tasks;

} // namespace evenly
