// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one source (SSSP) by one persistent kernel with buckets.
//
//   sssp(roads, source, distances, parents);   // of graph/searches.hpp
//   sssp_buckets search(exec, roads, {.method = path_method::delta_stepping, .delta = 100});   // for several sources
//   search.run(source, distances, parents);
//
// Vertices wait in buckets by their distance: delta-stepping (Meyer & Sanders, J. Algorithms 2003) without a
// distinction of light and heavy edges. All blocks run one loop with one grid barrier per frontier
// (detail/path_worker.hpp; on cores detail/paths_on_cores.hpp). Related methods are settings of the same kernel:
//
//   method          width of a bucket                    opens the next bucket when
//   automatic       the rule below                       fewer vertices are left than keep the executor busy; on cores
//                                                        none is left
//   delta_stepping  maximum weight / mean degree         none is left (Meyer & Sanders)
//   near_far        32 mean weights / mean degree        none is left (Davidson et al., IPDPS 2014: their far pile is
//                                                        the buckets behind the open ones, so it is not searched)
//   bellman_ford    infinite: one bucket                 never
//
// Distances are the smallest sums, added from the source on, so they are the same bits on every run (sssp.hpp). So are
// parents: a distance of 32 bits and its parent are one word, which only falls. The parent of lowest number wins among
// those at smaller distances. For longer distances, and if a weight of 0 leads to a vertex, parents are found
// afterwards (detail/link_parents.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/path_parents.hpp"
#include "evenly/graph/detail/path_rules.hpp"
#include "evenly/graph/detail/paths_forms.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly::detail {

template <class Weight> struct weight_as_number {
  const Weight* weights;
  EVENLY_FN double operator()(std::int64_t e) const { return static_cast<double>(weights[e]); }
};

template <class Edge> struct degree_as_number {
  const Edge* offsets;
  EVENLY_FN double operator()(std::int64_t v) const {
    return static_cast<double>(offsets[v + 1] - offsets[v]);
  }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Searches of one graph, one after the other, with their memory. Allocates only when a search needs more memory than
/// all before. Move-only.
template <class Executor, edge_weight Weight, signed_of_32_or_64_bits Vertex, signed_of_32_or_64_bits Edge>
class sssp_buckets {
 public:
  /// Prepares searches of `graph` by two passes over the weights and one over the degrees; waits for them.
  ///
  /// - graph: lies on `exec`, is valid (check_edges, check_weights), has fewer than 2^31 vertices, and outlives this
  ///   object.
  /// - Throws invalid_argument if there are more vertices, or if a setting is negative or NaN.
  sssp_buckets(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
               const path_settings& settings = {},
               const detail::path_tuning& tuning = detail::path_tuning::of<Executor>())
      : exec_(exec), problem_{graph, settings, tuning, facts_of(exec, graph)}, form_(exec),
        parents_(exec, graph) {
    detail::check_settings(settings);
    detail::require_short_vertices(graph.out);
  }

  /// Shortest paths from `source`.
  ///
  /// - distances, parents: one per vertex, on the executor; parents may be empty. They get the values of sssp_loop
  ///   (sssp.hpp), the same on every run.
  /// - report(frontier_report): called on the host for each frontier, at the end of the search. `vertices` counts the
  ///   entries of the frontier: several for a vertex of many edges, and one more each time its distance falls again.
  ///   `edges` counts the visits until the next grid barrier.
  /// - Returns the number of frontiers.
  /// - Cost: one launch, one number read back. Edges are visited each time the distance of their start falls.
  /// - Synchronisation: waits for the executor.
  /// - Throws as sssp_loop does.
  template <class Distance, class Report = no_reports>
  std::int64_t run(Vertex source, std::span<Distance> distances, std::span<Vertex> parents = {},
                   const Report& report = {}) {
    static_assert(distance_for<Distance, Weight>,
                  "distances must be integers if and only if weights are, and at least as wide as weights");
    require_source(problem_.graph.out, source);
    detail::require_for_vertices("distances", distances, problem_.graph.out);
    if (!parents.empty()) detail::require_for_vertices("parents", parents, problem_.graph.out);
    constexpr bool logs = !std::is_same_v<Report, no_reports>;
    constexpr bool may_be_short = std::integral<Distance> && sizeof(Distance) > sizeof(std::int32_t) &&
                                  sizeof(Weight) == sizeof(std::int32_t);
    detail::path_outcome outcome{.too_far = 1};
    if constexpr (may_be_short) { // sums of 32 bits suffice for most graphs, and share a word with the parent
      outcome = form_.template search<std::int32_t>(problem_, source, distances, parents, logs);
      if (outcome.too_far == 0) parents_.template find<std::int32_t>(outcome, source, distances, parents);
    }
    if (!may_be_short || outcome.too_far != 0) {
      outcome = form_.template search<Distance>(problem_, source, distances, parents, logs);
      parents_.template find<Distance>(outcome, source, distances, parents);
    }
    if constexpr (logs) form_.tell(outcome.frontiers, report);
    return outcome.frontiers;
  }

  /// Bytes in addition to the graph and the result: the largest amount so far.
  std::size_t bytes() const { return form_.bytes() + parents_.bytes(); }

 private:
  static detail::path_facts facts_of(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph) {
    const std::int64_t edges = graph.out.edges;
    if (edges == 0) return {};
    const generated weights{detail::weight_as_number<Weight>{graph.weights}};
    const double sum = reduce(exec, weights, edges, plus<double>{});
    return {.vertices = static_cast<double>(graph.out.vertices),
            .mean_weight = sum / static_cast<double>(edges),
            .max_weight = reduce(exec, weights, edges, maximum<double>{}),
            .mean_degree = static_cast<double>(edges) / static_cast<double>(graph.out.vertices),
            .max_degree = reduce(exec, generated{detail::degree_as_number<Edge>{graph.out.offsets}},
                                 std::int64_t{graph.out.vertices}, maximum<double>{})};
  }

  Executor exec_;
  detail::path_problem<Weight, Vertex, Edge> problem_;
  detail::paths_form<Executor, Weight, Vertex, Edge> form_;
  detail::path_parents<Executor, Weight, Vertex, Edge> parents_;
};

template <class Executor, class Weight, class Vertex, class Edge, class... Settings>
sssp_buckets(const Executor&, const graph_view<Weight, Vertex, Edge>&, const Settings&...)
    -> sssp_buckets<Executor, Weight, Vertex, Edge>;

template <class Executor, class Weight, class Vertex, class Edge, class Distance, class Report = no_reports>
[[deprecated("use search.run(source, distances, parents, report)")]] std::int64_t
sssp(const Executor&, sssp_buckets<Executor, Weight, Vertex, Edge>& search,
     std::type_identity_t<Vertex> source, std::span<Distance> distances,
     std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  return search.run(source, distances, parents, report);
}
template <class Executor, class Weight, class Vertex, class Edge, class Distance, class Report = no_reports>
[[deprecated("use sssp(graph, source, distances, parents, exec) of graph/searches.hpp")]] std::int64_t
sssp(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph, std::type_identity_t<Vertex> source,
     std::span<Distance> distances, std::type_identity_t<std::span<Vertex>> parents = {},
     const path_settings& settings = {}, const Report& report = {}) {
  check_weights(exec, graph);
  return sssp_buckets(exec, graph, settings).run(source, distances, parents, report);
}

} // namespace evenly::graphs

namespace evenly {

using graphs::sssp_buckets, graphs::sssp;

} // namespace evenly
