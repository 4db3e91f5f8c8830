// SPDX-License-Identifier: Apache-2.0
// Breadth-first searches of one graph, each of which is one launch that stays until it is done: persistent_bfs.hpp by
// blocks of many threads, detail/bfs_on_cores.hpp on cores.
//
//   bfs_search search(exec, graph.view());   // allocates, and looks at the edges that arrive
//   search.run(source, levels, parents);     // asynchronous on cuda
//   search.totals().levels;                  // waits
//
// The results are those of bfs under a schedule (bfs.hpp), bit for bit.
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
#include "evenly/work/detail/first_fault.hpp"

namespace evenly {

/// Move-only. One search at a time.
template <class Executor, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int>
class bfs_search {
 public:
  /// The edges lie on `exec`, keep the laws (check_edges), and outlive this. Where the graph has edges that arrive, and
  /// those of each vertex are in the order of their sources, searches also go bottom-up. logs_levels: whether levels()
  /// can be asked for. Allocates and waits. Throws invalid_argument if vertices and edges together take more than 64
  /// bits.
  template <class Weight>
  bfs_search(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
             const search_rule& rule = {}, bool logs_levels = false, const search_shape& shape = {})
      : exec_(exec), out_(graph.out), switches_to_bottom_up_(graph.has_in_edges() && is_in_order(graph.in)),
        totals_(make_buffer<search_totals>(exec, 1)),
        level_log_(
            make_buffer<search_level>(exec, logs_levels ? static_cast<std::size_t>(graph.out.vertices) : 0)),
        form_(exec, graph, switches_to_bottom_up_ ? graph.in : adjacency<Vertex, Edge>{}, rule,
              logs_levels ? level_log_.data() : nullptr, totals_.data(), shape) {}

  /// Whether searches also go bottom-up.
  bool switch_to_bottom_up() const { return switches_to_bottom_up_; }

  /// levels[v] = the least number of edges on a way from `source` to v, -1 if there is none. parents[v] = of the
  /// vertices on the level before v with an edge to v the one of lowest number, -1 for unreached vertices; the source's
  /// is itself. levels, parents: one for each vertex, on the executor; without parents an empty span. Asynchronous on
  /// cuda. Throws invalid_argument if the source is no vertex, or a size is wrong.
  void run(Vertex source, std::span<Vertex> levels, std::span<Vertex> parents = {}) {
    require_source(out_, source);
    detail::require_for_vertices("levels", levels, out_);
    if (!parents.empty()) detail::require_for_vertices("parents", parents, out_);
    form_.run(source, levels.data(), parents.empty() ? nullptr : parents.data());
  }

  /// Of the last search. Waits.
  search_totals totals() const { return to_host(exec_, totals_).front(); }
  /// How each level of the last search was done. Waits. Requires logs_levels.
  std::vector<search_level> levels() const {
    const auto count = static_cast<std::size_t>(totals().levels);
    return to_host(exec_, std::span<const search_level>(level_log_.data(), count));
  }
  /// Bytes that this has beside graph and result, without the level log; on cores what searches have needed so far.
  std::size_t bytes() const { return form_.bytes() + sizeof(search_totals); }

 private:
  bool is_in_order(const adjacency<Vertex, Edge>& in) const {
    if (in.edges == 0) return true;
    return detail::first_fault(exec_, detail::check_order_of_ends<Vertex, Edge>{in}, in.edges).at ==
           detail::no_fault;
  }

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

} // namespace evenly
