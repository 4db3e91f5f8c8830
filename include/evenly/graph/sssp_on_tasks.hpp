// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one source (SSSP) on a pool of tasks: asynchronous and label-correcting.
//
//   sssp_on_tasks(exec, ticket_ring{}, roads, source, distances, parents);
//
// A task is a vertex with the distance it had when the task was made. It visits the edges of the vertex and makes a
// task for each end whose distance it lowers. A task has no effect if the distance of its vertex has fallen since.
// There are no frontiers, rounds or barriers: the search ends when no task is left. A task with many edges makes two
// tasks of half the edges each.
//
// The order of tasks is that of the pool. In a first-in-first-out pool distances fall about as often as in rounds. A
// last-in-first-out pool follows long paths to their end before short ones, so distances may fall very often. Prefer a
// first-in-first-out pool (task_order::fifo).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/path_parents.hpp"
#include "evenly/graph/detail/path_words.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/run_tasks.hpp"

namespace evenly::detail {

/// Some of the edges of a vertex whose distance was lowered.
template <class Distance, class Edge> struct path_task {
  Distance distance;
  std::uint32_t vertex;
  Edge begin;
  Edge edges;
};

template <class Weight, class Vertex, class Edge, class Distance> struct path_body {
  static constexpr int max_children = 4;
  using task = path_task<Distance, Edge>;
  using word = path_word<Distance>;

  adjacency<Vertex, Edge> out;
  const Weight* weights;
  std::uint64_t* words;
  path_outcome* outcome;

  template <class Team, class Sink> EVENLY_FN void operator()(Team&, const task& now, Sink& sink) const {
    if (!(word::distance(atomic_ref(words[now.vertex]).load(order::relaxed{})) == now.distance)) return;
    if (now.edges > max_children) {
      const Edge half = now.edges / 2;
      sink.push(task{now.distance, now.vertex, now.begin, half});
      sink.push(task{now.distance, now.vertex, now.begin + half, now.edges - half});
      return;
    }
    for (Edge e = now.begin; e < now.begin + now.edges; ++e) {
      Distance sum{};
      if (!graphs::add_weight(now.distance, read_only(weights + e), sum)) {
        atomic_ref(outcome->too_far).store(1, order::relaxed{});
        continue;
      }
      const auto to = static_cast<std::uint32_t>(read_only(out.ends + e));
      const std::uint64_t reached = word::reached(now.distance, sum, now.vertex);
      const atomic_ref at(words[to]);
      if (!(reached < at.load(order::relaxed{}))) continue;
      if (!(sum < word::distance(at.fetch_min(reached, order::relaxed{})))) continue;
      const Edge begin = read_only(out.offsets + to), end = read_only(out.offsets + to + 1);
      if (begin < end) sink.push(task{sum, to, begin, end - begin});
    }
  }
};

/// Makes the first task.
template <class Vertex, class Edge, class Distance> struct first_path_task {
  adjacency<Vertex, Edge> out;
  Vertex source;
  EVENLY_FN path_task<Distance, Edge> operator()(std::int64_t) const {
    const Edge begin = out.offsets[source];
    return {Distance{}, static_cast<std::uint32_t>(source), begin, out.offsets[source + 1] - begin};
  }
};

template <class Distance> struct first_path_word {
  std::int64_t source;
  EVENLY_FN std::uint64_t operator()(std::int64_t v) const {
    using word = path_word<Distance>;
    return v == source ? word::of(Distance{}, static_cast<std::uint32_t>(v)) : word::none();
  }
};

/// Runs write_paths for all vertices.
template <class Distance, class Vertex> struct write_paths_kernel {
  const std::uint64_t* words;
  std::int64_t vertices;
  Distance* distances;
  Vertex* parents;
  path_outcome* outcome;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t thread = std::int64_t{block.index()} * block.size() + block.rank();
    if (write_paths<Distance>(words, vertices, distances, parents, thread,
                              std::int64_t{block.count()} * block.size()))
      atomic_ref(outcome->lacks_parents).store(1, order::relaxed{});
  }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Finds the distances and parents of sssp (sssp.hpp), the same on every run.
///
/// - distances, parents: one per vertex, on `exec`; parents may be empty.
/// - options: those of run_tasks.
/// - Returns the report of the run of tasks.
/// - Allocates, and waits for the executor.
/// - Throws as sssp does. Throws invalid_argument for 2^31 vertices or more, and task_overflow if there is no room for
///   a task.
/// - The edges are not checked (check_edges).
template <class Executor, tasks::task_pool Pool, class Weight, class Vertex, class Edge, class Distance>
task_report sssp_on_tasks(const Executor& exec, const Pool& pool,
                          const graph_view<Weight, Vertex, Edge>& graph, std::type_identity_t<Vertex> source,
                          std::span<Distance> distances, std::type_identity_t<std::span<Vertex>> parents = {},
                          const task_options& options = {}) {
  static_assert(distance_for<Distance, Weight>,
                "distances must be integers if and only if weights are, and at least as wide as weights");
  const auto& out = graph.out;
  check_weights(exec, graph);
  require_source(out, source);
  detail::require_for_vertices("distances", distances, out);
  if (!parents.empty()) detail::require_for_vertices("parents", parents, out);
  detail::require_short_vertices(out);
  using body = detail::path_body<Weight, Vertex, Edge, Distance>;
  const auto words = make_buffer<std::uint64_t>(exec, static_cast<std::size_t>(out.vertices));
  const auto first = make_buffer<typename body::task>(exec, 1);
  const auto outcome_on_device = make_buffer<detail::path_outcome>(exec, 1);
  exec.fill_zero(outcome_on_device.data(), sizeof(detail::path_outcome));
  tabulate(exec, out.vertices, detail::first_path_word<Distance>{source}, words.data());
  tabulate(exec, 1, detail::first_path_task<Vertex, Edge, Distance>{out, source}, first.data());
  const task_report report =
      run_tasks(exec, pool, first, body{out, graph.weights, words.data(), outcome_on_device.data()}, options);
  constexpr int block_size = 256;
  const bool known = detail::path_word<Distance>::has_parent && !parents.empty();
  const detail::write_paths_kernel<Distance, Vertex> write{words.data(), out.vertices, distances.data(),
                                                           known ? parents.data() : nullptr,
                                                           outcome_on_device.data()};
  launch(exec, {resident_blocks(exec, write, block_size), block_size}, write);
  detail::path_parents<Executor, Weight, Vertex, Edge> finder(exec, graph);
  finder.template find<Distance>(to_host(exec, outcome_on_device).front(), source, distances, parents);
  return report;
}

} // namespace evenly::graphs

namespace evenly {

using graphs::sssp_on_tasks;

} // namespace evenly
