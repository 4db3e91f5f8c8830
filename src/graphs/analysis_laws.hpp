// SPDX-License-Identifier: Apache-2.0
// Properties of correct results, for any algorithm: PageRank, core numbers, triangles, betweenness, spanning forests,
// colours. Serially on the host.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/graph/colouring.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/pagerank.hpp"
#include "graphs/laws.hpp"

namespace evenly::graphs {

/// The change of the scores by one more iteration in total (L1 norm), in double precision. The graph has weights if
/// they are to be used. A vertex without edges, or with weights of 0 only, passes its score on like jumps.
template <class Weight, class Vertex, class Edge>
double pagerank_residual(const graph_view<Weight, Vertex, Edge>& graph, double damping,
                         std::span<const double> personalization, const std::vector<double>& scores) {
  const auto& out = graph.out;
  const auto size = static_cast<std::size_t>(out.vertices);
  const auto weight = [&](Edge e) {
    return graph.weights == nullptr ? 1.0 : static_cast<double>(graph.weights[e]);
  };
  std::vector<double> next(size);
  double jumping = 1 - damping, jumps = 0;
  for (const double each : personalization) jumps += each;
  for (Vertex v = 0; v < out.vertices; ++v) {
    double sum = 0;
    for (Edge e = out.offsets[v]; e < out.offsets[v + 1]; ++e) sum += weight(e);
    if (!(sum > 0)) jumping += damping * scores[v];
    for (Edge e = out.offsets[v]; sum > 0 && e < out.offsets[v + 1]; ++e)
      next[out.ends[e]] += damping * scores[v] * weight(e) / sum;
  }
  double residual = 0;
  for (std::size_t v = 0; v < size; ++v) {
    const double share =
        personalization.empty() ? 1.0 / static_cast<double>(size) : personalization[v] / jumps;
    residual += std::abs(next[v] + jumping * share - scores[v]);
  }
  return residual;
}

/// The properties of PageRank; label(vertex) is the name of a vertex in messages:
///   scores are not negative, and sum to 1
///   one more iteration changes them by at most the tolerance
template <class Weight, class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_pagerank(const graph_view<Weight, Vertex, Edge>& graph, const pagerank_options& options,
                              const std::vector<double>& scores, const Label& label = {}) {
  if (scores.size() != static_cast<std::size_t>(graph.out.vertices))
    return say("there is not one score for each vertex");
  if (scores.empty()) return {};
  double sum = 0;
  for (std::size_t v = 0; v < scores.size(); ++v) {
    if (!(scores[v] >= 0))
      return say("the score of vertex ", label(static_cast<Vertex>(v)), " is ", scores[v]);
    sum += scores[v];
  }
  constexpr double rounding_of_sum = 1e-9;
  if (!(std::abs(sum - 1) <= rounding_of_sum)) return say("the scores sum to ", sum, ", not 1");
  const double rounding = detail::takes_wide_contributions(options) ? 1e-13 : 2e-7;
  const double residual = pagerank_residual(graph, options.damping, options.personalization, scores);
  if (!(residual <= options.tolerance + rounding))
    return say("one more iteration changes the scores by ", detail::digits_of(residual),
               ", more than the tolerance ", detail::digits_of(options.tolerance));
  return {};
}

/// Core numbers by serial peeling with buckets of degrees (Batagelj and Zaversnik 2003).
template <class Vertex, class Edge>
std::vector<Vertex> core_numbers_by_buckets(const adjacency<Vertex, Edge>& graph) {
  const auto size = static_cast<std::size_t>(graph.vertices);
  std::vector<Vertex> degrees(size), places(size), order(size);
  Vertex max = 0;
  for (Vertex v = 0; v < graph.vertices; ++v) {
    degrees[v] = static_cast<Vertex>(graph.offsets[v + 1] - graph.offsets[v]);
    max = std::max(max, degrees[v]);
  }
  std::vector<Vertex> first(static_cast<std::size_t>(max) + 2); // place of the first vertex of each degree
  for (const Vertex degree : degrees) ++first[degree + 1];
  for (Vertex k = 0; k <= max; ++k) first[k + 1] += first[k];
  std::vector<Vertex> next = first;
  for (Vertex v = 0; v < graph.vertices; ++v) {
    places[v] = next[degrees[v]]++;
    order[places[v]] = v;
  }
  for (Vertex i = 0; i < graph.vertices; ++i) {
    const Vertex v = order[i];
    for (Edge e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      const Vertex u = graph.ends[e];
      if (degrees[u] <= degrees[v]) continue;
      // u changes places with the first vertex of its degree, which then has one vertex less.
      const Vertex to = std::max(first[degrees[u]], static_cast<Vertex>(i + 1)), other = order[to];
      std::swap(order[places[u]], order[to]);
      std::swap(places[u], places[other]);
      first[degrees[u]] = static_cast<Vertex>(to + 1);
      --degrees[u];
    }
  }
  return degrees;
}

template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_core_numbers(const adjacency<Vertex, Edge>& graph, const std::vector<Vertex>& numbers,
                                  const Label& label = {}) {
  const std::vector<Vertex> right = core_numbers_by_buckets(graph);
  if (numbers.size() != right.size()) return say("there is not one core number for each vertex");
  for (std::size_t v = 0; v < right.size(); ++v)
    if (numbers[v] != right[v])
      return say("the core number of vertex ", label(static_cast<Vertex>(v)), " is ", numbers[v],
                 ", but should be ", right[v]);
  return {};
}

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

/// The edges of the minimum spanning forest by Kruskal's algorithm, by weight and then by number. Each edge is one of
/// its own, whatever its direction. Without weights (null) all are equal.
template <class Weight, class Vertex, class Edge>
std::vector<Edge> forest_by_kruskal(const adjacency<Vertex, Edge>& out, const Weight* weights) {
  std::vector<Edge> order(static_cast<std::size_t>(out.edges)), chosen;
  std::vector<Vertex> sources, roots(static_cast<std::size_t>(out.vertices));
  for (Vertex v = 0; v < out.vertices; ++v)
    sources.insert(sources.end(), out.offsets[v + 1] - out.offsets[v], v);
  std::iota(order.begin(), order.end(), Edge{0});
  if (weights != nullptr)
    std::ranges::stable_sort(order, [&](Edge a, Edge b) { return weights[a] < weights[b]; });
  std::iota(roots.begin(), roots.end(), Vertex{0});
  const auto root = [&](Vertex v) {
    while (roots[v] != v) v = roots[v] = roots[roots[v]];
    return v;
  };
  for (const Edge e : order) {
    const Vertex a = root(sources[e]), b = root(out.ends[e]);
    if (a == b) continue;
    roots[a] = b;
    chosen.push_back(e);
  }
  std::ranges::sort(chosen);
  return chosen;
}

/// The minimum spanning forest is the only one, since edges of equal weight are ordered by number; label(vertex) is the
/// name of a vertex in messages.
template <class Weight, class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_spanning_forest(const graph_view<Weight, Vertex, Edge>& graph,
                                     const std::vector<Edge>& edges, const Label& label = {}) {
  const auto right = forest_by_kruskal(graph.out, graph.weights);
  const auto differ = std::ranges::mismatch(edges, right);
  if (differ.in2 != right.end()) {
    const Edge e = *differ.in2;
    const auto next = std::upper_bound(graph.out.offsets, graph.out.offsets + graph.out.vertices + 1, e);
    return say("the edge from ", label(static_cast<Vertex>(next - graph.out.offsets - 1)), " to ",
               label(graph.out.ends[e]), " is missing");
  }
  if (differ.in1 != edges.end()) return say("there are ", edges.size(), " edges instead of ", right.size());
  return {};
}

/// Colours by the serial greedy algorithm, by descending priority.
template <class Vertex, class Edge>
std::vector<Vertex> greedy_colours(const adjacency<Vertex, Edge>& graph, const colour_options& options) {
  const detail::priority_key<Edge> key{graph.offsets, options};
  std::vector<Vertex> order(static_cast<std::size_t>(graph.vertices)), colours(order.size(), -1);
  std::vector<Vertex> taken_by(order.size() + 1, -1); // for each colour the last vertex that may not have it
  std::iota(order.begin(), order.end(), Vertex{0});
  std::ranges::stable_sort(order, [&](Vertex a, Vertex b) { return key(a) > key(b); });
  for (const Vertex v : order) {
    for (Edge e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
      if (const Vertex colour = colours[graph.ends[e]]; colour >= 0) taken_by[colour] = v;
    Vertex colour = 0;
    while (taken_by[colour] == v) ++colour;
    colours[v] = colour;
  }
  return colours;
}

/// Adjacent vertices have different colours, and each vertex the colour of the greedy algorithm; label(vertex) is the
/// name of a vertex in messages.
template <class Vertex, class Edge, class Label = vertex_number>
complaint wrong_with_colours(const adjacency<Vertex, Edge>& graph, const colour_options& options,
                             const std::vector<Vertex>& colours, const Label& label = {}) {
  if (colours.size() != static_cast<std::size_t>(graph.vertices))
    return say("there is not one colour for each vertex");
  for (Vertex v = 0; v < graph.vertices; ++v)
    for (Edge e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e)
      if (graph.ends[e] != v && colours[graph.ends[e]] == colours[v])
        return say("the neighbours ", label(v), " and ", label(graph.ends[e]), " have the colour ",
                   colours[v]);
  const std::vector<Vertex> right = greedy_colours(graph, options);
  for (Vertex v = 0; v < graph.vertices; ++v)
    if (colours[v] != right[v])
      return say("the colour of vertex ", label(v), " is ", colours[v], ", but should be ", right[v]);
  return {};
}

} // namespace evenly::graphs
