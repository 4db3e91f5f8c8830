// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches of one graph by a persistent kernel: one launch per search. The kernel is persistent_bfs.hpp
// for blocks of many threads, detail/bfs_forms.hpp for cpu.
//
//   bfs_search search(exec, graph.view());   // allocates, and checks the order of the incoming edges
//   search.run(source, levels, parents);     // asynchronous on cuda
//   search.totals().levels;                  // waits
//
// The results have the same bits as those of bfs under a schedule (bfs.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/bfs_forms.hpp"
#include "evenly/graph/frontier_report.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"

namespace evenly::graphs {

/// Searches of one graph, one at a time. Move-only.
template <class Executor, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int>
class bfs_search {
 public:
  /// Prepares searches of `graph`.
  ///
  /// - graph: its edges lie on `exec`, are valid (check_edges), and outlive this object. Searches also go bottom-up if
  ///   the graph has incoming edges, and those of each vertex are in the order of their sources.
  /// - logs_levels: required for levels().
  /// - Allocates and waits.
  /// - Throws invalid_argument if the numbers of vertices and edges together need more than 64 bits.
  template <class Weight>
  bfs_search(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
             const search_rule& rule = {}, bool logs_levels = false, const search_shape& shape = {})
      : exec_(exec), out_(graph.out),
        switches_to_bottom_up_(graph.has_in_edges() && detail::ends_in_order(exec, graph.in)),
        totals_(make_buffer<search_totals>(exec, 1)),
        level_log_(
            make_buffer<search_level>(exec, logs_levels ? static_cast<std::size_t>(graph.out.vertices) : 0)),
        form_(exec, graph, switches_to_bottom_up_ ? graph.in : adjacency<Vertex, Edge>{}, rule,
              logs_levels ? level_log_.data() : nullptr, totals_.data(), shape) {}

  /// Whether searches also go bottom-up.
  bool switch_to_bottom_up() const { return switches_to_bottom_up_; }

  /// Searches from `source`.
  ///
  /// - levels, parents: one per vertex, on the executor; parents may be empty. They get the values of bfs (bfs.hpp).
  /// - parent_rule: with `any`, parents may be other neighbours on the previous level.
  /// - Asynchronous on cuda.
  /// - Throws invalid_argument if the source is not a vertex, or if a size is wrong.
  void run(Vertex source, std::span<Vertex> levels, std::span<Vertex> parents = {},
           graphs::parent_rule parent_rule = graphs::parent_rule::least) {
    require_source(out_, source);
    detail::require_for_vertices("levels", levels, out_);
    if (!parents.empty()) detail::require_for_vertices("parents", parents, out_);
    form_.run(source, levels.data(), parents.empty() ? nullptr : parents.data(), parent_rule);
  }

  /// The totals of the last search. Waits.
  search_totals totals() const { return to_host(exec_, totals_).front(); }
  /// How the last search did each level. Waits. Requires logs_levels.
  std::vector<search_level> levels() const {
    const auto count = static_cast<std::size_t>(totals().levels);
    return to_host(exec_, std::span<const search_level>(level_log_.data(), count));
  }
  /// Bytes in addition to the graph, the result and the level log. On cpu: the largest amount so far.
  std::size_t bytes() const { return form_.bytes() + sizeof(search_totals); }

 private:
  Executor exec_;
  adjacency<Vertex, Edge> out_;
  bool switches_to_bottom_up_;
  buffer<search_totals> totals_;
  buffer<search_level> level_log_;
  detail::bfs_form<Executor, Vertex, Edge> form_;
};

template <class Executor, class Weight, class Vertex, class Edge, class... Rest>
bfs_search(const Executor&, const graph_view<Weight, Vertex, Edge>&, const Rest&...)
    -> bfs_search<Executor, Vertex, Edge>;

template <class Executor, class Weight, class Vertex, class Edge, class Report = no_reports>
[[deprecated("use bfs(graph, source, levels, parents, exec) of graph/searches.hpp")]] std::int64_t
bfs(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph, std::type_identity_t<Vertex> source,
    std::type_identity_t<std::span<Vertex>> levels, std::type_identity_t<std::span<Vertex>> parents = {},
    const Report& report = {}) {
  bfs_search search(exec, graph, search_rule{}, true);
  search.run(source, levels, parents);
  std::int64_t number = 0;
  for (const search_level& each : search.levels())
    report(frontier_report{number++, each.vertices, each.edges});
  return number;
}

} // namespace evenly::graphs

namespace evenly {

using graphs::bfs_search, graphs::bfs, graphs::parent_rule;

} // namespace evenly
