// SPDX-License-Identifier: Apache-2.0
// Strongly connected components: two vertices are in the same one if there are paths both ways between them.
//
//   const auto labels = evenly::strong_components(g);             // labels[v]: the least vertex of v's component
//   evenly::strong_components(g, labels);                         // in existing memory
//
// The labels are the same on every run and every executor. In an undirected graph they are those of the connected
// components.
//
// A GPU, and a CPU with many cores, trim, search forward and backward, and colour the rest
// (detail/components_by_colour.hpp). Otherwise one core does one depth-first search (detail/components_on_cores.hpp),
// since the parallel algorithm visits each edge several times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/execution/environment.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/detail/components_by_colour.hpp"
#include "evenly/graph/detail/components_on_cores.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/report.hpp"

namespace evenly::graphs {

/// Finds strong components in parallel, on any executor.
///
/// - labels: one per vertex, on `exec`. labels[v] becomes the least vertex of v's component.
/// - options: those of run_tasks. Without room for its tasks the search begins again with a larger pool.
/// - Memory: in addition to the graph and the labels, about 36 bytes per vertex with 32-bit numbers, a vertex per edge
///   if the graph has no edges that arrive, and the pool.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument if the size is wrong. The edges are not checked (check_edges).
template <class Executor, class Weight, class Vertex, class Edge>
void strong_components_on_tasks(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                                std::type_identity_t<std::span<Vertex>> labels,
                                const tasks::task_options& options = {},
                                const batched_stealing& pool = detail::search_pool) {
  detail::require_for_vertices("labels", labels, graph.out);
  detail::with_room_for_tasks(
      detail::room_for_vertices<Executor>(options, graph.out.vertices), [&](const tasks::task_options& with) {
        detail::components_by_colour<Executor, Vertex, Edge>(exec, graph, with, pool).run(labels.data());
        return 0;
      });
}

/// Finds strong components: on tasks, or on one core if `exec` has few. The contract is that of
/// strong_components_on_tasks; one core needs 16 bytes per vertex with 32-bit numbers.
template <class Executor, class Weight, class Vertex, class Edge>
void find_strong_components(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                            std::type_identity_t<std::span<Vertex>> labels) {
  if constexpr (Executor::serial_blocks) {
    constexpr int many_threads = 16;
    if (exec.threads() < many_threads) {
      detail::require_for_vertices("labels", labels, graph.out);
      return detail::find_components_on_cores(exec, graph.out, labels.data());
    }
  }
  strong_components_on_tasks(exec, graph, labels);
}

/// The strong components: result[v] is the least vertex of v's component.
template <graph_like G, environment_argument Env = environment<>>
auto strong_components(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    auto labels = detail::make_values<detail::vertex_of<G>>(exec, view.out.vertices);
    find_strong_components(exec, view, {std::data(labels), std::size(labels)});
    return labels;
  });
}
/// The same in existing memory: `labels` has one element per vertex.
template <graph_like G, detail::contiguous_values Labels, environment_argument Env = environment<>>
void strong_components(const G& g, Labels&& labels, Env&& env = {}) {
  static_assert(std::is_same_v<decltype(std::data(labels)), detail::vertex_of<G>*>,
                "labels need elements of the type of vertices");
  const auto where = detail::environment_without_schedule(env);
  detail::with_graph(g, where, [&](const auto& exec, const auto& view) {
    find_strong_components(exec, view, {std::data(labels), std::size(labels)});
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::strong_components;

} // namespace evenly
