// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one source (SSSP) by one kernel that stays on the executor until all distances are known.
//
//   sssp(exec, roads, source, distances, parents);
//   sssp(exec, roads, source, distances, parents, {.method = path_method::delta_stepping, .delta = 100});
//
// Vertices wait in buckets by their distance: delta-stepping (Meyer & Sanders, J. Algorithms 2003), without telling
// light edges from heavy ones, as a loop of all blocks with one meeting for each frontier (detail/path_worker.hpp).
// What is known by other names are settings of it:
//
//   method          width of a bucket                    goes on to the next bucket when
//   automatic       the rule below                       fewer vertices are left than keep the executor busy
//   delta_stepping  greatest weight / mean degree        none is left (Meyer & Sanders)
//   near_far        32 mean weights / mean degree        none is left (Davidson et al., IPDPS 2014: their far pile is
//                                                        the buckets behind the open ones, so it is not searched)
//   bellman_ford    all are in one                       never
//
// Distances are the least sums, added from the source on, so their bits repeat (sssp.hpp). So do parents: where
// distances have 32 bits, distance and parent are one word that only falls, and of several parents from nearer by the
// lowest number stays. Else, and where a weight of 0 leads to a vertex, they are found afterwards
// (detail/link_parents.hpp).
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
#include "evenly/execution/workspace.hpp"
#include "evenly/graph/detail/growing_memory.hpp"
#include "evenly/graph/detail/path_parents.hpp"
#include "evenly/graph/detail/path_rules.hpp"
#include "evenly/graph/detail/paths_kernel.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"

namespace evenly {

namespace detail {

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

} // namespace detail

/// Searches of one graph, one after the other, with what they need beside: made once, they allocate nothing but when
/// more memory is needed than ever before. Move-only.
template <class Executor, edge_weight Weight, signed_of_32_or_64_bits Vertex, signed_of_32_or_64_bits Edge>
class sssp_buckets {
 public:
  /// Two passes over the weights and one over the degrees, which say how a search goes; waits for them. The graph lies
  /// on `exec`, keeps the laws (check_edges, check_weights), has fewer than 2^31 vertices, and outlives this. Throws
  /// invalid_argument if there are more, or a setting is negative or NaN.
  sssp_buckets(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
               const path_settings& settings = {},
               const detail::path_tuning& tuning = detail::path_tuning::of<Executor>())
      : exec_(exec), graph_(graph), settings_(settings), tuning_(tuning), facts_(facts_of(exec, graph)),
        parents_(exec, graph) {
    detail::check_settings(settings);
    detail::require_short_vertices(graph.out);
  }

  /// As sssp(exec, search, ...).
  template <class Distance, class Report>
  std::int64_t run(Vertex source, std::span<Distance> distances, std::span<Vertex> parents,
                   const Report& report) {
    require_source(graph_.out, source);
    detail::require_for_vertices("distances", distances, graph_.out);
    if (!parents.empty()) detail::require_for_vertices("parents", parents, graph_.out);
    constexpr bool tells = !std::is_same_v<Report, no_reports>;
    constexpr bool may_be_short = std::integral<Distance> && sizeof(Distance) > sizeof(std::int32_t) &&
                                  sizeof(Weight) == sizeof(std::int32_t);
    detail::path_outcome outcome{.too_far = 1};
    if constexpr (
        may_be_short) { // sums of 32 bits are enough for most graphs, and share a word with the parent
      outcome = search<std::int32_t>(source, distances, parents, tells);
      if (outcome.too_far == 0) parents_.template find<std::int32_t>(outcome, source, distances, parents);
    }
    if (!may_be_short || outcome.too_far != 0) {
      outcome = search<Distance>(source, distances, parents, tells);
      parents_.template find<Distance>(outcome, source, distances, parents);
    }
    if constexpr (tells) tell(outcome.frontiers, report);
    return outcome.frontiers;
  }

  /// Memory beside graph and result, with what its parts have needed so far.
  std::size_t bytes() const {
    return words_.bytes() + entries_.bytes() + table_.bytes() + control_.bytes() + log_.bytes() +
           parents_.bytes();
  }

 private:
  static detail::path_facts facts_of(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph) {
    const std::int64_t edges = graph.out.edges;
    if (edges == 0) return {};
    const generated weights{detail::weight_as_number<Weight>{graph.weights}};
    const double sum = reduce(exec, weights, edges, plus<double>{});
    return {.vertices = static_cast<double>(graph.out.vertices),
            .mean_weight = sum / static_cast<double>(edges),
            .most_weight = reduce(exec, weights, edges, maximum<double>{}),
            .mean_degree = static_cast<double>(edges) / static_cast<double>(graph.out.vertices),
            .most_degree = reduce(exec, generated{detail::degree_as_number<Edge>{graph.out.offsets}},
                                  std::int64_t{graph.out.vertices}, maximum<double>{})};
  }

  /// Searches with distances of type `Found` until there is memory enough, for what is to be told too.
  template <class Found, class Distance>
  detail::path_outcome search(Vertex source, std::span<Distance> distances, std::span<Vertex> parents,
                              bool tells) {
    while (true) {
      const auto outcome = search_once<Found>(source, distances, parents, tells ? log_size_ : 0);
      if (outcome.exhausted != 0)
        room_ *= 2;
      else if (tells && outcome.frontiers > log_size_)
        log_size_ = 2 * outcome.frontiers;
      else
        return outcome;
    }
  }

  template <class Found, class Distance>
  detail::path_outcome search_once(Vertex source, std::span<Distance> distances, std::span<Vertex> parents,
                                   std::uint32_t log_size) {
    using kernel_type = detail::paths_kernel<Weight, Vertex, Edge, Found, Distance>;
    using entry = typename kernel_type::entry;
    const auto planned = detail::plan_buckets<Found>(settings_, tuning_, facts_);
    const std::int64_t vertices = graph_.out.vertices;
    kernel_type kernel{};
    kernel.out = graph_.out;
    kernel.weights = graph_.weights;
    kernel.words = words_.template of<std::uint64_t>(exec_, vertices);
    kernel.buckets = planned.buckets;
    kernel.rules = planned.rules;
    kernel.lists = detail::size_lists<entry>(planned.rules, tuning_, vertices, graph_.out.edges, room_);
    auto& lists = kernel.lists;
    lists.entries = entries_.template of<entry>(exec_, std::int64_t{lists.chunks} << lists.chunk_log);
    const std::int64_t cells = std::int64_t{lists.lists} * lists.row,
                       ring = std::int64_t{lists.ring_mask} + 1;
    lists.table = table_.template of<std::uint32_t>(exec_, cells + ring + lists.count_words() + 2 * line);
    lists.ring = lists.table + cells;
    lists.counts = lists.ring + ring;
    lists.taken = lists.counts + lists.count_words();
    lists.exhausted = lists.taken + line;
    kernel.control = control_.template of<detail::path_control>(exec_, 1);
    kernel.source = source;
    kernel.distances = distances.data();
    kernel.parents = parents.empty() || !kernel_type::word::has_parent ? nullptr : parents.data();
    kernel.log = log_.template of<detail::path_frontier>(exec_, log_size);
    kernel.log_size = log_size;
    detail::launch_staying(exec_, kernel, meetings_);
    return to_host(exec_, std::span<const detail::path_outcome>(&kernel.control->outcome, 1)).front();
  }

  template <class Report> void tell(std::uint32_t frontiers, const Report& report) {
    const auto told = to_host(exec_, std::span<const detail::path_frontier>(
                                         log_.template of<detail::path_frontier>(exec_, 0), frontiers));
    for (std::size_t i = 0; i < told.size(); ++i)
      report(frontier_report{static_cast<std::int64_t>(i), static_cast<std::int64_t>(told[i].entries),
                             static_cast<std::int64_t>(told[i].edges)});
  }

  static constexpr int line = detail::words_of_line;

  Executor exec_;
  graph_view<Weight, Vertex, Edge> graph_;
  path_settings settings_;
  detail::path_tuning tuning_;
  detail::path_facts facts_;
  std::int64_t room_ = 1; ///< how many times as much memory as to begin with
  std::uint32_t log_size_ = 4096;
  detail::growing_memory words_, entries_, table_, control_, log_;
  workspace meetings_;
  detail::path_parents<Executor, Weight, Vertex, Edge> parents_;
};

template <class Executor, class Weight, class Vertex, class Edge, class... Settings>
sssp_buckets(const Executor&, const graph_view<Weight, Vertex, Edge>&, const Settings&...)
    -> sssp_buckets<Executor, Weight, Vertex, Edge>;

/// distances[v] = the least sum of weights on a way from `source` to v, unreached<Distance> if there is no way. parents
/// as by sssp under a schedule (sssp.hpp): the same on every run, and the same as there. Returns how many frontiers
/// there were.
///
/// search: made on `exec`. distances, parents: one for each vertex, on `exec`; without parents an empty span.
/// report(frontier_report): called on the host for each frontier when the search is over; there `vertices` are its
/// entries, of which a vertex of many edges has several and one that came nearer again another, and edges are those
/// that were visited until blocks met again. Waits for the executor. Throws invalid_argument as sssp under a schedule
/// does. Cost: one launch, one number read back; edges are visited each time that the vertex they leave comes nearer.
template <class Executor, class Weight, class Vertex, class Edge, class Distance, class Report = no_reports>
std::int64_t sssp(const Executor&, sssp_buckets<Executor, Weight, Vertex, Edge>& search,
                  std::type_identity_t<Vertex> source, std::span<Distance> distances,
                  std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  static_assert(
      distance_for<Distance, Weight>,
      "distances are integers if weights are, else floating-point numbers, and no shorter than these");
  return search.run(source, distances, parents, report);
}

/// Checks the weights, and searches, in one call; allocates. The edges are not checked (check_edges).
template <class Executor, class Weight, class Vertex, class Edge, class Distance, class Report = no_reports>
std::int64_t sssp(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                  std::type_identity_t<Vertex> source, std::span<Distance> distances,
                  std::type_identity_t<std::span<Vertex>> parents = {}, const path_settings& settings = {},
                  const Report& report = {}) {
  check_weights(exec, graph);
  sssp_buckets search(exec, graph, settings);
  return sssp(exec, search, source, distances, parents, report);
}

} // namespace evenly
