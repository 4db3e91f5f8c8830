// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one source (SSSP): Bellman and Ford's, on frontiers, as Osama et al. (PPoPP 2023, listing 6)
// have it.
//
// From round to round: the edges of the frontier are shared by a schedule (frontier_loop.hpp). An edge that leads to a
// shorter way lowers the distance at its end, by an atomic minimum, and puts that vertex on the next frontier, once.
// Distances only fall and end at the least sums of weights, added from the source on, whoever was first; so bits
// repeat, of floating-point numbers too. How many rounds there are, and how long frontiers, depends on who was first.
//
// Parents are found at the end, so that they do not either: an edge is tight if its weight is all that its end is
// farther away, and the parent is the vertex of lowest number with a tight edge from nearer by. Where a weight is 0, or
// too small to change a sum, only vertices that are as near may have one, and one that follows any of these may go in a
// circle. Such vertices are found breadth-first, from those that have parents.
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

namespace evenly {

namespace detail {

/// What an edge of the frontier does.
enum class sssp_step {
  relax,     ///< lowers the distance at its end
  link,      ///< becomes that of the parent, if it is tight and from nearer by
  link_level ///< likewise, from as near, if its end is on the level that is being found
};

/// All three are one function, so that each schedule is compiled once.
template <class Frontier, class Weight, class Distance, class Vertex> struct sssp_visit {
  Frontier frontier;
  const Vertex* targets;
  const Weight* weights;
  Distance* distances;
  Vertex* parents;
  Vertex* marks; ///< the round in which a vertex was last put on a frontier; of link_level, levels
  std::int64_t* first_too_far; ///< the least edge whose end is too far away for a distance
  sssp_step step;
  Vertex number; ///< of the round, or the level

  using edge = std::remove_cvref_t<decltype(std::declval<const Frontier&>().source_atom({}, {}))>;

  EVENLY_FN std::optional<Vertex> operator()(tile_type<Frontier> tile, atom_type<Frontier> atom) const {
    const Vertex from = frontier.source(tile);
    const edge e = frontier.source_atom(tile, atom);
    const Vertex to = read_only(targets + e);
    const Distance before = atomic_ref(distances[from]).load(order::relaxed{});
    Distance sum{};
    const bool fits = add_weight(before, read_only(weights + e), sum);
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

} // namespace detail

/// The loop of a search for shortest paths, with what it needs beside: made once for a graph, it serves any number of
/// sources and allocates nothing then but scratch of the primitives. Move-only. For one search at a time.
template <class Executor, class Schedule, edge_weight Weight, signed_of_32_or_64_bits Vertex,
          signed_of_32_or_64_bits Edge>
class sssp_loop {
 public:
  /// Takes three numbers for each vertex, and what a plan needs. The graph lies on `exec`, keeps the laws (check_edges,
  /// check_weights), and outlives this.
  sssp_loop(const Executor& exec, const Schedule& schedule, const graph_view<Weight, Vertex, Edge>& graph)
      : exec_(exec), graph_(graph), loop_(exec, schedule, graph.out),
        marks_(make_buffer<Vertex>(exec, static_cast<std::size_t>(graph.out.vertices))),
        first_too_far_(make_buffer<std::int64_t>(exec, 1)) {}

  /// As sssp(exec, loop, ...).
  template <class Distance, class Report>
  std::int64_t run(Vertex source, std::span<Distance> distances, std::span<Vertex> parents,
                   const Report& report) {
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

  /// What makes the visit of each step.
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

  /// Looks at all edges that leave reached vertices once more. Throws distance_overflow if one leads too far.
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

/// distances[v] = the least sum of weights on a way from `source` to v, unreached<Distance> if there is no way.
/// parents[v] = the vertex before v on such a way: of those nearer by the one of lowest number. If all are as near as
/// v, the one of lowest number of those that the fewest edges lead to, from a vertex with a parent nearer by or the
/// source. -1 for unreached vertices; the source's is itself. Returns how many rounds there were.
///
/// loop: made on `exec`. distances, parents: one for each vertex, on `exec`; without parents an empty span.
/// report(frontier_report): called on the host for each round. Waits for the executor at each round. Throws
/// invalid_argument if the source is no vertex or a size is wrong, and distance_overflow, which is one that names an
/// edge, if a vertex can be reached but is too far away for a Distance. Cost: for each round two or three launches and
/// a number read back; edges are visited each time that the vertex they leave comes nearer, and once at the end.
template <class Executor, class Schedule, class Weight, class Vertex, class Edge, class Distance,
          class Report = no_reports>
std::int64_t sssp(const Executor&, sssp_loop<Executor, Schedule, Weight, Vertex, Edge>& loop,
                  std::type_identity_t<Vertex> source, std::span<Distance> distances,
                  std::type_identity_t<std::span<Vertex>> parents = {}, const Report& report = {}) {
  static_assert(distance_for<Distance, Weight>,
                "distances must be integers if and only if weights are, and at least as wide as weights");
  return loop.run(source, distances, parents, report);
}

/// Checks the weights, plans and searches in one call; allocates. The edges are not checked (check_edges).
template <class Executor, class Schedule, class Weight, class Vertex, class Edge, class Distance,
          class Report = no_reports>
std::int64_t sssp(const Executor& exec, const Schedule& schedule,
                  const graph_view<Weight, Vertex, Edge>& graph, std::type_identity_t<Vertex> source,
                  std::span<Distance> distances, std::type_identity_t<std::span<Vertex>> parents = {},
                  const Report& report = {}) {
  check_weights(exec, graph);
  sssp_loop loop(exec, schedule, graph);
  return sssp(exec, loop, source, distances, parents, report);
}

} // namespace evenly
