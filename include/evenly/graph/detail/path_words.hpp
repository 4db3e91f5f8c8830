// SPDX-License-Identifier: Apache-2.0
// The state of a vertex in a search for shortest paths: one word of 64 bits that never increases. It is the distance,
// or, if a distance has 32 bits, the distance in the upper half and the parent in the lower. Distances are never
// negative, so their bits, read as integers, have the order of the distances.
//
// Bucket b holds the distances d with floor(d / width) = b.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"

namespace evenly::detail {

template <graphs::edge_weight Distance> struct path_word {
  static constexpr bool has_parent = sizeof(Distance) == 4;
  static constexpr std::uint32_t no_parent = ~std::uint32_t{0}; ///< larger than any vertex

  EVENLY_INLINE_FN static std::uint64_t of(Distance distance, std::uint32_t parent) {
    if constexpr (has_parent) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &distance, sizeof(bits));
      return std::uint64_t{bits} << 32 | parent;
    } else {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &distance, sizeof(bits));
      return bits;
    }
  }
  /// The word of a vertex reached from `start` at distance `from`. Only a vertex at a smaller distance becomes a
  /// parent.
  EVENLY_INLINE_FN static std::uint64_t reached(Distance from, Distance sum, std::uint32_t start) {
    return of(sum, from < sum ? start : no_parent);
  }
  EVENLY_INLINE_FN static std::uint64_t none() { return of(unreached<Distance>, no_parent); }
  EVENLY_INLINE_FN static Distance distance(std::uint64_t word) {
    Distance found{};
    if constexpr (has_parent) {
      const auto bits = static_cast<std::uint32_t>(word >> 32);
      std::memcpy(&found, &bits, sizeof(found));
    } else
      std::memcpy(&found, &word, sizeof(found));
    return found;
  }
  EVENLY_INLINE_FN static std::uint32_t parent(std::uint64_t word) {
    return has_parent ? static_cast<std::uint32_t>(word) : no_parent;
  }
};

/// Throws invalid_argument if there are more vertices than a word can number.
template <class Vertex, class Edge> void require_short_vertices(const adjacency<Vertex, Edge>& edges) {
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  require(std::int64_t{edges.vertices} <= max, [&] {
    return std::to_string(edges.vertices) + " vertices: shortest paths without a schedule support at most " +
           std::to_string(max);
  });
}

/// Writes the distances and parents of vertices `first`, `first` + `step`, and so on. parents: null if not wanted.
/// Returns whether a reached vertex among them has no parent.
template <class Found, class Distance, class Vertex>
EVENLY_FN bool write_paths(const std::uint64_t* words, std::int64_t vertices, Distance* distances,
                           Vertex* parents, std::int64_t first, std::int64_t step) {
  using word = path_word<Found>;
  bool lacks = false;
  for (std::int64_t v = first; v < vertices; v += step) {
    const std::uint64_t found = words[v];
    const bool reached = word::distance(found) < unreached<Found>;
    distances[v] = reached ? static_cast<Distance>(word::distance(found)) : unreached<Distance>;
    if (parents == nullptr) continue;
    const std::uint32_t parent = word::parent(found);
    parents[v] = parent == word::no_parent ? Vertex{-1} : static_cast<Vertex>(parent);
    lacks = lacks || (reached && parent == word::no_parent);
  }
  return lacks;
}

/// A vertex with edges to visit, all or some of its edges.
template <class Distance, class Edge>
struct alignas(sizeof(Distance) + sizeof(Edge) == 8 ? 16 : 8) path_entry {
  Distance distance; ///< of the vertex when the entry was made
  std::uint32_t vertex;
  Edge begin;
  std::uint32_t edges;
};

/// The bucket of a distance: not decreasing with the distance, and at most `last`.
template <graphs::edge_weight Distance> struct path_buckets {
  static constexpr int last = 1 << 30;

  int shift = 0;      ///< for integers: the width is 2^shift
  double inverse = 0; ///< otherwise: 1 / width

  EVENLY_INLINE_FN int of(Distance distance) const {
    if constexpr (std::integral<Distance>)
      return static_cast<int>(smaller<std::int64_t>(std::int64_t{distance} >> shift, last));
    else // double: a float has too few bits for the number of a bucket
      return static_cast<int>(smaller(static_cast<double>(distance) * inverse, static_cast<double>(last)));
  }
};

} // namespace evenly::detail
