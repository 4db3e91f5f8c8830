// SPDX-License-Identifier: Apache-2.0
// Properties of correct numbers of triangles and of correct betweenness, for any algorithm; serially on the host.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evenly/graph/graph_view.hpp"
#include "graphs/laws.hpp"

namespace evenly::graphs {

/// The triangles of each vertex of a simple undirected graph: the edges between its neighbours. Vertices are checked in
/// order, until `max_steps` edges have been visited; label(vertex) is the name of a vertex in messages.
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_triangles(const adjacency<Vertex, Edge>& edges, const std::vector<std::int64_t>& counts,
                               std::int64_t max_steps, const Label& label = {}) {
  const auto size = static_cast<std::size_t>(edges.vertices);
  if (counts.size() != size) return say("there are ", counts.size(), " numbers for ", size, " vertices");
  std::vector<bool> is_neighbour(size);
  for (Vertex v = 0; v < edges.vertices && max_steps > 0; ++v) {
    const Edge first = edges.offsets[v], last = edges.offsets[v + 1];
    for (Edge e = first; e < last; ++e) is_neighbour[edges.ends[e]] = true;
    std::int64_t between = 0; // each counts twice
    for (Edge e = first; e < last; ++e) {
      const Vertex at = edges.ends[e];
      max_steps -= edges.offsets[at + 1] - edges.offsets[at];
      for (Edge i = edges.offsets[at]; i < edges.offsets[at + 1]; ++i)
        between += is_neighbour[edges.ends[i]] ? 1 : 0;
    }
    for (Edge e = first; e < last; ++e) is_neighbour[edges.ends[e]] = false;
    if (between != 2 * counts[v])
      return say("vertex ", label(v), " has ", between / 2, " triangles, but the result is ", counts[v]);
  }
  return {};
}

/// The sum of all scores: each shortest path from a source contributes the number of vertices between its ends. The
/// scores are sums times `factor`, and none is negative.
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_betweenness(const adjacency<Vertex, Edge>& out, const std::vector<Vertex>& sources,
                                 const std::vector<double>& scores, double factor, const Label& label = {}) {
  const auto size = static_cast<std::size_t>(out.vertices);
  if (scores.size() != size) return say("there are ", scores.size(), " scores for ", size, " vertices");
  double sum = 0, expected = 0;
  for (Vertex v = 0; v < out.vertices; ++v) {
    if (!std::isfinite(scores[v]) || scores[v] < 0)
      return say("vertex ", label(v), " has the score ", scores[v]);
    sum += scores[v];
  }
  std::vector<Vertex> levels, queue;
  for (const Vertex source : sources) {
    levels.assign(size, -1);
    queue.assign(1, source);
    levels[source] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Vertex from = queue[i];
      expected += i == 0 ? 0 : levels[from] - 1;
      for (Edge e = out.offsets[from]; e < out.offsets[from + 1]; ++e)
        if (levels[out.ends[e]] == -1) {
          levels[out.ends[e]] = levels[from] + 1;
          queue.push_back(out.ends[e]);
        }
    }
  }
  constexpr double tolerance = 1e-9;
  if (std::abs(sum - expected * factor) > tolerance * expected * factor)
    return say("the scores sum to ", sum, ", but the vertices between all ends of paths to ",
               expected * factor);
  return {};
}

} // namespace evenly::graphs
