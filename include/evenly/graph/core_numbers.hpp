// SPDX-License-Identifier: Apache-2.0
// core_numbers: the k-core decomposition. The k-core of a graph is its largest subgraph in which each vertex has at
// least k neighbours. The core number of a vertex is the greatest k whose k-core has it.
//
//   const auto numbers = evenly::core_numbers(evenly::simple_graph(g));
//
// Method. Peeling (Seidman 1983; Matula and Beck 1983): for each k in ascending order, vertices of degree k are removed
// until none is left. An edge of a removed vertex lowers the degree of its other end by an atomic operation, but never
// below k. So the degree of a removed vertex remains its core number, and the result is exact for any order of threads.
// On cpu one thread peels small graphs, with vertices sorted by degree (Batagelj and Zaversnik 2003).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/frontier_report.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/usual.hpp"

namespace evenly::detail {

template <class Vertex, class Edge> struct degree_of {
  const Edge* offsets;
  EVENLY_FN Vertex operator()(std::int64_t v) const {
    return static_cast<Vertex>(offsets[v + 1] - offsets[v]);
  }
};

/// The degree of a vertex that is not yet removed; the greatest number of a removed one.
template <class Vertex> struct remaining_degree {
  const Vertex* degrees;
  Vertex removed; ///< the greatest degree of removed vertices
  EVENLY_FN Vertex operator()(std::int64_t v) const {
    return degrees[v] > removed ? degrees[v] : std::numeric_limits<Vertex>::max();
  }
};

template <class Vertex> struct has_degree {
  const Vertex* degrees;
  Vertex k;
  EVENLY_FN bool operator()(Vertex v) const { return degrees[v] == k; }
};

/// Lowers the degree at the end of an edge of a removed vertex. Returns the end if its degree becomes k.
template <class Frontier, class Vertex> struct core_visit {
  Frontier frontier;
  const Vertex* targets;
  Vertex* degrees;
  Vertex k;

  EVENLY_FN std::optional<Vertex> operator()(tile_type<Frontier> tile, atom_type<Frontier> atom) const {
    const Vertex to = read_only(targets + frontier.source_atom(tile, atom));
    const atomic_ref degree(degrees[to]);
    if (degree.load(order::relaxed{}) <= k) return {};
    const Vertex before = degree.fetch_sub(1, order::relaxed{});
    if (before == k + 1) return to;
    if (before <= k) degree.fetch_add(1, order::relaxed{}); // another thread was first
    return {};
  }
};

} // namespace evenly::detail

namespace evenly::graphs {

/// Finds the core numbers of one graph, any number of times. Move-only.
template <class Executor, class Schedule, signed_of_32_or_64_bits Vertex, signed_of_32_or_64_bits Edge>
class core_peeling {
 public:
  /// Allocates two numbers per vertex and the memory of a plan; synchronises. The graph is symmetric, without parallel
  /// edges and self-loops (simple_graph), which is not checked. It lies on `exec` and outlives this object.
  core_peeling(const Executor& exec, const Schedule& schedule, const adjacency<Vertex, Edge>& graph)
      : exec_(exec), graph_(graph), loop_(exec, schedule, graph), min_(make_buffer<Vertex>(exec, 1)) {}

  /// Writes the core number of each vertex: one per vertex, on the executor.
  ///
  /// - report(frontier_report): called on the host for each round.
  /// - Returns the number of rounds.
  /// - Complexity: O(vertices + edges), in addition to two passes over the vertices for each different core number.
  /// - Synchronisation: waits for the executor at each round.
  /// - Throws invalid_argument if the size is wrong.
  template <class Report = no_reports>
  std::int64_t run(std::span<Vertex> numbers, const Report& report = {}) {
    detail::require_for_vertices("numbers", numbers, graph_);
    tabulate(exec_, graph_.vertices, detail::degree_of<Vertex, Edge>{graph_.offsets}, numbers.data());
    std::int64_t rounds = 0;
    for (Vertex k = -1;;) {
      k = min_degree_above(k, numbers);
      if (k == std::numeric_limits<Vertex>::max()) return rounds;
      loop_.start_where(detail::has_degree<Vertex>{numbers.data(), k});
      const auto visit = [&](const frontier& now, std::int64_t) {
        return detail::core_visit<frontier, Vertex>{now, graph_.ends, numbers.data(), k};
      };
      rounds += loop_.run(visit, [&](const frontier_report& each) {
        report(frontier_report{rounds + each.number, each.vertices, each.edges});
      });
    }
  }

 private:
  using frontier = typename frontier_loop<Executor, Schedule, Vertex, Edge>::frontier_type;

  /// The minimum degree of the vertices that are not removed; the greatest number if all are.
  Vertex min_degree_above(Vertex removed, std::span<Vertex> degrees) {
    const detail::remaining_degree<Vertex> remaining{degrees.data(), removed};
    reduce(exec_, generated{remaining}, graph_.vertices, minimum<Vertex>{}, min_.data(), memory_);
    Vertex min{};
    exec_.copy_to_host(&min, min_.data(), sizeof(min));
    return min;
  }

  Executor exec_;
  adjacency<Vertex, Edge> graph_;
  frontier_loop<Executor, Schedule, Vertex, Edge> loop_;
  buffer<Vertex> min_;
  workspace memory_;
};

template <class Executor, class Schedule, class Vertex, class Edge>
core_peeling(const Executor&, const Schedule&, const adjacency<Vertex, Edge>&)
    -> core_peeling<Executor, Schedule, Vertex, Edge>;

} // namespace evenly::graphs

namespace evenly::detail {

/// core_peeling::run by one thread. O(vertices + edges); two numbers per vertex and one per degree.
template <class Executor, class Vertex, class Edge>
std::int64_t peel_serially(const Executor& exec, const graphs::adjacency<Vertex, Edge>& graph,
                           std::span<Vertex> numbers) {
  require_for_vertices("numbers", numbers, graph);
  const Vertex vertices = graph.vertices;
  Vertex max_degree = 0;
  for (Vertex v = 0; v < vertices; ++v) {
    numbers[v] = static_cast<Vertex>(graph.offsets[v + 1] - graph.offsets[v]);
    max_degree = std::max(max_degree, numbers[v]);
  }
  // sorted: the vertices by the degree that is left; those of degree d begin at first[d].
  const auto sorted = make_buffer<Vertex>(exec, vertices), place = make_buffer<Vertex>(exec, vertices);
  const auto first = make_buffer<Vertex>(exec, max_degree + std::size_t{2});
  std::fill_n(first.data(), first.size(), Vertex{0});
  for (Vertex v = 0; v < vertices; ++v) ++first.data()[numbers[v] + 1];
  for (Vertex d = 0; d <= max_degree; ++d) first.data()[d + 1] += first.data()[d];
  for (Vertex v = 0; v < vertices; ++v) {
    place.data()[v] = first.data()[numbers[v]]++;
    sorted.data()[place.data()[v]] = v;
  }
  for (Vertex d = max_degree; d >= 0; --d) first.data()[d + 1] = first.data()[d];
  first.data()[0] = 0;

  std::int64_t rounds = 0;
  Vertex round_end = 0;
  for (Vertex i = 0; i < vertices; ++i) {
    const Vertex v = sorted.data()[i], k = numbers[v];
    if (i == round_end) { // a round has the vertices of degree k that the round before left
      round_end = first.data()[k + 1];
      ++rounds;
    }
    for (Edge e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const Vertex to = graph.ends[e];
      if (numbers[to] <= k) continue;
      Vertex& begin = first.data()[numbers[to]--];
      const Vertex other = sorted.data()[begin];
      std::swap(sorted.data()[begin], sorted.data()[place.data()[to]]);
      std::swap(place.data()[other], place.data()[to]);
      ++begin;
    }
  }
  return rounds;
}

/// Directed edges up to which one thread is faster than two, measured on uniform and skewed graphs.
inline constexpr std::int64_t few_edges_to_peel = 1 << 19;

template <class Executor, class Weight, class Vertex, class Edge, class... Schedule>
std::int64_t core_numbers_under(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& g,
                                std::span<Vertex> numbers, const Schedule&... schedule) {
  if constexpr (sizeof...(Schedule) != 0) {
    return graphs::core_peeling(exec, schedule..., g.out).run(numbers);
  } else {
    if constexpr (Executor::serial_blocks)
      if (g.out.edges <= few_edges_to_peel) return peel_serially(exec, g.out, numbers);
    return graphs::core_peeling(exec, schedule_for_sums{}, g.out).run(numbers);
  }
}

} // namespace evenly::detail

namespace evenly::graphs {

/// The core numbers of a symmetric graph without parallel edges and self-loops (simple_graph): result[v] is that of v.
///
/// - g, env: as for bfs (searches.hpp).
/// - Complexity: O(vertices + edges), in addition to two passes over the vertices for each different core number.
/// - Allocates and synchronises. Throws as bfs does for edges that do not end at a vertex.
template <graph_like G, environment_argument Env = environment<>>
auto core_numbers(const G& g, Env&& env = {}) {
  return detail::with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    auto numbers = detail::make_values<detail::vertex_of<G>>(exec, view.out.vertices);
    detail::core_numbers_under(exec, view, detail::span_of_output(numbers), schedule...);
    return numbers;
  });
}
/// The same in existing memory: `numbers` has one element per vertex. Returns the number of rounds.
template <graph_like G, detail::contiguous_values Numbers, environment_argument Env = environment<>>
std::int64_t core_numbers(const G& g, Numbers&& numbers, Env&& env = {}) {
  static_assert(detail::is_output_of<Numbers, detail::vertex_of<G>>,
                "numbers must not be const and must have the vertex type of the graph");
  return detail::with_graph(g, env, [&](const auto& exec, const auto& view, const auto&... schedule) {
    return detail::core_numbers_under(exec, view, detail::span_of_output(numbers), schedule...);
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::core_numbers;

} // namespace evenly
