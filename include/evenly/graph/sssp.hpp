// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one source (SSSP): the Bellman-Ford algorithm on frontiers, as in Osama et al. (PPoPP 2023,
// listing 6).
//
// In each round a schedule distributes the edges of the frontier (frontier_loop.hpp). An edge that leads to a shorter
// path lowers the distance at its end by an atomic minimum, and puts that vertex on the next frontier once. Distances
// only fall, and end at the smallest sums of weights, added from the source on, in any order of threads. So bits
// repeat, for floating-point numbers too. The number of rounds and the sizes of frontiers depend on the order of
// threads.
//
// Parents are found at the end, so they do not depend on it. An edge is tight if its weight is the difference of the
// distances at its ends. The parent is the vertex of lowest number with a tight edge from a smaller distance. If a
// weight is 0, or too small to change a sum, only vertices at the same distance may have a tight edge. Following any of
// those could lead in a circle. Parents of such vertices are found breadth-first, from vertices that have parents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::detail {

/// The action of an edge of the frontier.
enum class sssp_step {
  relax,     ///< lowers the distance at its end
  link,      ///< sets the parent of its end, if it is tight and from a smaller distance
  link_level ///< likewise from an equal distance, if its end is on the current level
};

/// One function for all three steps, so that each schedule is compiled once.
template <class Frontier, class Weight, class Distance, class Vertex> struct sssp_visit {
  Frontier frontier;
  const Vertex* targets;
  const Weight* weights;
  Distance* distances;
  Vertex* parents;
  Vertex* marks; ///< the round in which a vertex was last put on a frontier; in link_level, the levels
  std::int64_t* first_too_far; ///< the lowest edge number whose end is too far for a Distance
  sssp_step step;
  Vertex number; ///< number of the round or the level

  using edge = std::remove_cvref_t<decltype(std::declval<const Frontier&>().source_atom({}, {}))>;

  EVENLY_FN std::optional<Vertex> operator()(tile_type<Frontier> tile, atom_type<Frontier> atom) const {
    const Vertex from = frontier.source(tile);
    const edge e = frontier.source_atom(tile, atom);
    const Vertex to = read_only(targets + e);
    const Distance before = atomic_ref(distances[from]).load(order::relaxed{});
    Distance sum{};
    const bool fits = graphs::add_weight(before, read_only(weights + e), sum);
    if (step == sssp_step::relax) {
      if (!fits) return {};
      return relax(to, sum);
    }
    const Distance at = distances[to];
    if (!fits && at == unreached<Distance>)
      atomic_ref(*first_too_far).fetch_min(static_cast<std::int64_t>(e), order::relaxed{});
    if (!fits || sum != at) return {};
    if (step == sssp_step::link_level) {
      if (before != at) return {};
      return arrive(marks, parents, number, from, to);
    }
    if (before < at && parents != nullptr) lower_parent(parents, to, from);
    return {};
  }

  EVENLY_FN std::optional<Vertex> relax(Vertex to, Distance sum) const {
    const atomic_ref distance(distances[to]);
    if (!(sum < distance.load(order::relaxed{})) || !(sum < distance.fetch_min(sum, order::relaxed{})))
      return {};
    if (atomic_ref(marks[to]).exchange(number, order::relaxed{}) == number) return {};
    return to;
  }
};

template <class Distance> struct distance_at_start {
  std::int64_t source;
  EVENLY_FN Distance operator()(std::int64_t v) const {
    return v == source ? Distance{} : unreached<Distance>;
  }
};

template <class Vertex, class Distance> struct is_reached {
  const Distance* distances;
  EVENLY_FN bool operator()(Vertex v) const { return distances[v] < unreached<Distance>; }
};

template <class Vertex> struct has_number {
  const Vertex* numbers;
  EVENLY_FN bool operator()(Vertex v) const { return numbers[v] >= 0; }
};

template <class Vertex, class Distance> struct lacks_parent {
  is_reached<Vertex, Distance> reached;
  const Vertex* parents;
  EVENLY_FN std::int64_t operator()(std::int64_t v) const {
    return reached(static_cast<Vertex>(v)) && parents[v] < 0 ? 1 : 0;
  }
};

template <class Vertex> struct level_by_parent {
  const Vertex* parents;
  EVENLY_FN Vertex operator()(std::int64_t v) const { return parents[v] >= 0 ? Vertex{0} : Vertex{-1}; }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// The loop and memory of searches for shortest paths in one graph. It serves any number of sources, one search at a
/// time; then it allocates only scratch memory of primitives. Move-only.
template <class Executor, class Schedule, edge_weight Weight, signed_of_32_or_64_bits Vertex,
          signed_of_32_or_64_bits Edge>
class sssp_loop {
 public:
  /// Allocates three numbers per vertex, and the memory of a plan; synchronises. The graph lies on `exec`, is valid
  /// (check_edges, check_weights), and outlives this object.
  sssp_loop(const Executor& exec, const Schedule& schedule, const graph_view<Weight, Vertex, Edge>& graph)
      : exec_(exec), graph_(graph), loop_(exec, schedule, graph.out),
        marks_(make_buffer<Vertex>(exec, static_cast<std::size_t>(graph.out.vertices))),
        first_too_far_(make_buffer<std::int64_t>(exec, 1)) {}

  /// Shortest paths from `source`.
  ///
  /// - distances: one per vertex, on the executor. distances[v] becomes the smallest sum of weights on a path from
  ///   `source` to v; unreached<Distance> if there is no path.
  /// - parents: one per vertex, on the executor, or empty. parents[v] becomes the vertex before v on a shortest path.
  ///   If several are nearer than v, it is the one of lowest number. If all are as near as v, tight edges between equal
  ///   distances are searched breadth-first, from the source and all vertices with a nearer parent; parents[v] is then
  ///   the vertex of lowest number on the level before v. The source is its own parent; unreached vertices get -1.
  /// - report(frontier_report): called on the host for each round.
  /// - Returns the number of rounds.
  /// - Cost: per round two or three launches and one number read back. Edges are visited each time the distance of
  ///   their start falls, and once at the end.
  /// - Synchronisation: waits for the executor at each round.
  /// - Throws invalid_argument if the source is not a vertex, or if a size is wrong. Throws distance_overflow, an
  ///   invalid_argument that names an edge, if a vertex can be reached but its distance does not fit a Distance.
  template <class Distance, class Report = no_reports>
  std::int64_t run(Vertex source, std::span<Distance> distances, std::span<Vertex> parents = {},
                   const Report& report = {}) {
    static_assert(distance_for<Distance, Weight>,
                  "distances must be integers if and only if weights are, and at least as wide as weights");
    const auto& edges = graph_.out;
    require_source(edges, source);
    detail::require_for_vertices("distances", distances, edges);
    if (!parents.empty()) detail::require_for_vertices("parents", parents, edges);
    tabulate(exec_, edges.vertices, detail::distance_at_start<Distance>{source}, distances.data());
    tabulate(exec_, edges.vertices, detail::always<Vertex>{-1}, marks_.data());
    loop_.start_from(source);
    const std::int64_t rounds = loop_.run(visits(detail::sssp_step::relax, distances, parents), report);
    link(source, distances, parents);
    return rounds;
  }

 private:
  using frontier = typename frontier_loop<Executor, Schedule, Vertex, Edge>::frontier_type;

  /// Returns a function that makes the visit of each step.
  template <class Distance>
  auto visits(detail::sssp_step step, std::span<Distance> distances, std::span<Vertex> parents) const {
    return [this, step, distances, parents](const frontier& now, std::int64_t number) {
      return detail::sssp_visit<frontier, Weight, Distance, Vertex>{now,
                                                                    graph_.out.ends,
                                                                    graph_.weights,
                                                                    distances.data(),
                                                                    parents.empty() ? nullptr
                                                                                    : parents.data(),
                                                                    marks_.data(),
                                                                    first_too_far_.data(),
                                                                    step,
                                                                    static_cast<Vertex>(number + 1)};
    };
  }

  /// Visits all outgoing edges of reached vertices once more. Throws distance_overflow if a distance is too large.
  template <class Distance>
  void link(Vertex source, std::span<Distance> distances, std::span<Vertex> parents) {
    const detail::is_reached<Vertex, Distance> reached{distances.data()};
    tabulate(exec_, 1, detail::always<std::int64_t>{detail::all_within_range}, first_too_far_.data());
    if (!parents.empty())
      tabulate(exec_, graph_.out.vertices, detail::first_values<Vertex>{source, source}, parents.data());
    loop_.start_where(reached);
    loop_.step(
        [&](const frontier& now) { return visits(detail::sssp_step::link, distances, parents)(now, 0); });
    detail::require_near(exec_, graph_, distances.data(), first_too_far_.data());
    if (!parents.empty()) link_levels(distances, parents);
  }

  template <class Distance> void link_levels(std::span<Distance> distances, std::span<Vertex> parents) {
    const detail::lacks_parent<Vertex, Distance> lacks{{distances.data()}, parents.data()};
    if (reduce(exec_, generated{lacks}, graph_.out.vertices, plus<std::int64_t>{}) == 0) return;
    tabulate(exec_, graph_.out.vertices, detail::level_by_parent<Vertex>{parents.data()}, marks_.data());
    loop_.start_where(detail::has_number<Vertex>{marks_.data()});
    loop_.run(visits(detail::sssp_step::link_level, distances, parents), no_reports{});
  }

  Executor exec_;
  graph_view<Weight, Vertex, Edge> graph_;
  frontier_loop<Executor, Schedule, Vertex, Edge> loop_;
  buffer<Vertex> marks_;
  buffer<std::int64_t> first_too_far_;
};

template <class Executor, class Schedule, class Weight, class Vertex, class Edge>
sssp_loop(const Executor&, const Schedule&, const graph_view<Weight, Vertex, Edge>&)
    -> sssp_loop<Executor, Schedule, Weight, Vertex, Edge>;

template <class Executor, class Schedule, class Weight, class Vertex, class Edge, class Distance,
          class Report = no_reports>
[[deprecated("use loop.run(source, distances, parents, report)")]] std::int64_t
sssp(const Executor&, sssp_loop<Executor, Schedule, Weight, Vertex, Edge>& loop,
     std::type_identity_t<Vertex> source, std::span<Distance> distances,
     std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  return loop.run(source, distances, parents, report);
}
template <class Executor, class Schedule, class Weight, class Vertex, class Edge, class Distance,
          class Report = no_reports>
[[deprecated(
    "use sssp(graph, source, distances, parents, on(exec).with(schedule)) of graph/searches.hpp")]] std::
    int64_t
    sssp(const Executor& exec, const Schedule& schedule, const graph_view<Weight, Vertex, Edge>& graph,
         std::type_identity_t<Vertex> source, std::span<Distance> distances,
         std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  check_weights(exec, graph);
  return sssp_loop(exec, schedule, graph).run(source, distances, parents, report);
}

} // namespace evenly::graphs

namespace evenly {

using graphs::sssp_loop, graphs::sssp;

} // namespace evenly
