// SPDX-License-Identifier: Apache-2.0
// Weights of edges, and distances, which are sums of weights: checks and addition.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/digits.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly::graphs {

/// Types of weights: signed integers of 32 or 64 bits, and floating-point numbers.
template <class T>
concept edge_weight = signed_of_32_or_64_bits<T> || std::same_as<T, float> || std::same_as<T, double>;

/// Whether a Distance can hold any Weight: both are integers or both are floating-point numbers, and Distance is not
/// shorter.
template <class Distance, class Weight>
concept distance_for = edge_weight<Distance> && edge_weight<Weight> &&
                       std::integral<Distance> == std::integral<Weight> && sizeof(Distance) >= sizeof(Weight);

/// The distance of a vertex without a path: infinity, or the largest integer.
template <edge_weight Distance>
inline constexpr Distance unreached =
    std::numeric_limits<Distance>::has_infinity ? std::numeric_limits<Distance>::infinity()
                                                : std::numeric_limits<Distance>::max();

/// Sets sum = distance + weight; neither is negative. Returns false if the sum is too large for a distance.
template <class Distance, class Weight>
EVENLY_INLINE_FN bool add_weight(Distance distance, Weight weight, Distance& sum) {
  if constexpr (std::integral<Distance>)
    if (weight >= unreached<Distance> - distance) return false;
  sum = distance + weight;
  return sum < unreached<Distance>;
}

/// An edge whose end is too far for a distance. Vertices are numbered from 0; the number of the edge is its position
/// among the outgoing edges.
struct far_edge {
  std::int64_t edge, from, to;
  std::string distance; ///< of its start, in as many digits as identify it
  std::string weight;   ///< likewise
};

/// A vertex can be reached, but no path to it has a sum of weights that fits the type of distances.
class distance_overflow : public invalid_argument {
 public:
  distance_overflow(far_edge where, const std::string& message)
      : invalid_argument(message), where_(std::move(where)) {}

  /// The edge, for programs with their own names for vertices.
  const far_edge& where() const { return where_; }

 private:
  far_edge where_;
};

} // namespace evenly::graphs

namespace evenly::detail {

/// An edge for an error message.
template <class Value> struct seen_edge {
  std::int64_t at, from, to;
  Value value;
};

template <class Vertex, class Edge, class Value>
EVENLY_FN seen_edge<Value> see_edge(const adjacency<Vertex, Edge>& out, std::int64_t at, Value value) {
  return {at, source_of(out, at), out.ends[at], value};
}

template <class Value> std::string edge_name(const seen_edge<Value>& edge) {
  return "edge " + std::to_string(edge.at) + ", from " + std::to_string(edge.from) + " to " +
         std::to_string(edge.to);
}

/// Finds weights that are negative, NaN or infinite.
template <class Weight, class Vertex, class Edge> struct check_weight {
  using report = seen_edge<Weight>;

  adjacency<Vertex, Edge> out;
  const Weight* weights;

  EVENLY_FN std::int64_t count() const { return out.edges; }
  EVENLY_FN bool bad(std::int64_t e) const {
    if constexpr (std::integral<Weight>)
      return weights[e] < 0;
    else
      return !(weights[e] >= 0 && weights[e] < graphs::unreached<Weight>);
  }
  EVENLY_FN report report_of(std::int64_t at) const {
    return at == no_fault ? report{at, 0, 0, {}} : see_edge(out, at, weights[at]);
  }
};

/// Stands for the position of the first edge that leads too far if there is none.
inline constexpr std::int64_t all_within_range = std::numeric_limits<std::int64_t>::max();

/// Reports the edge that leads too far to the host.
template <class Weight, class Distance, class Vertex, class Edge> struct write_far_edge {
  struct report {
    seen_edge<Weight> edge;
    Distance distance;
  };

  adjacency<Vertex, Edge> out;
  const Weight* weights;
  const Distance* distances;
  std::int64_t at;

  EVENLY_FN report operator()(std::int64_t) const {
    const auto edge = see_edge(out, at, weights[at]);
    return {edge, distances[edge.from]};
  }
  static graphs::distance_overflow error_of(const report& seen) {
    graphs::far_edge where{seen.edge.at, seen.edge.from, seen.edge.to, digits_of(seen.distance),
                           digits_of(seen.edge.value)};
    const std::string message = edge_name(seen.edge) + ": distance " + where.distance + " and weight " +
                                where.weight + " overflow a distance, which must be less than " +
                                digits_of(graphs::unreached<Distance>);
    return {std::move(where), message};
  }
};

/// Throws distance_overflow unless *first_too_far, which is on the executor, is all_within_range.
template <class Executor, class Weight, class Distance, class Vertex, class Edge>
void require_near(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph,
                  const Distance* distances, const std::int64_t* first_too_far) {
  std::int64_t at = 0;
  exec.copy_to_host(&at, first_too_far, sizeof(at));
  if (at == all_within_range) return;
  using writing = write_far_edge<Weight, Distance, Vertex, Edge>;
  const auto faults = make_buffer<typename writing::report>(exec, 1);
  tabulate(exec, 1, writing{graph.out, graph.weights, distances, at}, faults.data());
  throw writing::error_of(to_host(exec, faults).front());
}

} // namespace evenly::detail

namespace evenly::graphs {

/// Throws invalid_argument if there are no weights, or for a weight that is negative, NaN or infinite. The message
/// names the first such edge. Cost: a pass over the weights. Waits for the executor.
template <class Executor, edge_weight Weight, class Vertex, class Edge>
void check_weights(const Executor& exec, const graph_view<Weight, Vertex, Edge>& graph) {
  require(graph.weights != nullptr || graph.out.edges == 0, [] { return "the graph has no weights"; });
  if (graph.out.edges == 0) return;
  const auto seen = detail::first_fault(
      exec, detail::check_weight<Weight, Vertex, Edge>{graph.out, graph.weights}, graph.out.edges);
  require(seen.at == detail::no_fault, [&] {
    return detail::edge_name(seen) + ", has weight " + std::to_string(seen.value) +
           ": weights must be 0 or greater";
  });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::unreached;

} // namespace evenly
