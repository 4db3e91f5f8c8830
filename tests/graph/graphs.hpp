// SPDX-License-Identifier: Apache-2.0
// Graphs of tests: small ones whose searches have closed forms, and random ones; and serial searches, slow and
// obviously right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/weights.hpp"
#include "support/monoids.hpp"

namespace evenly::graph_tests {

/// A graph on the host. Vertex: int or std::int64_t; Weight as edge_weight.
template <class Weight, class Vertex = int> struct test_graph {
  std::string name;
  std::vector<Vertex> offsets{0}, targets;
  std::vector<Weight> weights;

  Vertex vertices() const { return static_cast<Vertex>(offsets.size()) - 1; }
  graph_view<Weight, Vertex, Vertex> view() const {
    return {{vertices(), static_cast<Vertex>(targets.size()), offsets.data(), targets.data()},
            {},
            weights.data()};
  }
};

struct test_edge {
  int from, to, weight;
};

/// The graph of these edges, in their order at each vertex.
inline test_graph<int> graph_of(const std::string& name, int vertices, std::vector<test_edge> edges,
                                bool both_ways = false) {
  if (both_ways)
    for (std::size_t i = 0, count = edges.size(); i < count; ++i)
      edges.push_back({edges[i].to, edges[i].from, edges[i].weight});
  std::ranges::stable_sort(edges, [](const auto& a, const auto& b) { return a.from < b.from; });
  test_graph<int> made;
  made.name = name;
  made.offsets.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (const test_edge& each : edges) {
    ++made.offsets[each.from + 1];
    made.targets.push_back(each.to);
    made.weights.push_back(each.weight);
  }
  for (int v = 0; v < vertices; ++v) made.offsets[v + 1] += made.offsets[v];
  return made;
}

/// Its weights as another type, by a function of the number.
template <class Weight, class Vertex = int, class Convert>
test_graph<Weight, Vertex> converted(const test_graph<int>& g, const Convert& convert) {
  test_graph<Weight, Vertex> made{
      g.name, {g.offsets.begin(), g.offsets.end()}, {g.targets.begin(), g.targets.end()}, {}};
  for (const int weight : g.weights) made.weights.push_back(convert(weight));
  return made;
}

// --- with closed forms, all of weight 1 where nothing is said ---

inline test_graph<int> path_graph(int vertices) {
  std::vector<test_edge> edges;
  for (int v = 0; v + 1 < vertices; ++v) edges.push_back({v, v + 1, 1});
  return graph_of("path", vertices, edges);
}
inline test_graph<int> star_graph(int vertices) {
  std::vector<test_edge> edges;
  for (int v = 1; v < vertices; ++v) edges.push_back({0, v, v % 7});
  return graph_of("star", vertices, edges, true);
}
inline test_graph<int> complete_graph(int vertices) {
  std::vector<test_edge> edges;
  for (int u = 0; u < vertices; ++u)
    for (int v = 0; v < vertices; ++v)
      if (u != v) edges.push_back({u, v, 1 + (u + v) % 3});
  return graph_of("complete", vertices, edges);
}
/// Vertex y * width + x, with edges to its neighbours in both directions.
inline test_graph<int> grid_graph(int width, int height) {
  std::vector<test_edge> edges;
  for (int v = 0; v < width * height; ++v) {
    if (v % width + 1 < width) edges.push_back({v, v + 1, 1});
    if (v + width < width * height) edges.push_back({v, v + width, 1});
  }
  return graph_of("grid", width * height, edges, true);
}
/// Vertex v has the children 2v + 1 and 2v + 2.
inline test_graph<int> binary_tree(int vertices) {
  std::vector<test_edge> edges;
  for (int v = 1; v < vertices; ++v) edges.push_back({(v - 1) / 2, v, 1});
  return graph_of("binary tree", vertices, edges, true);
}
/// Two complete graphs of `size` vertices, the last of one and the first of the other joined.
inline test_graph<int> two_cliques(int size) {
  std::vector<test_edge> edges{{size - 1, size, 5}};
  for (int clique = 0; clique < 2; ++clique)
    for (int u = 0; u < size; ++u)
      for (int v = u + 1; v < size; ++v) edges.push_back({clique * size + u, clique * size + v, 1});
  return graph_of("two cliques and a bridge", 2 * size, edges, true);
}

// --- others ---

/// Most vertices have none to three edges, a few 300; with loops, edges several times, weights of 0, vertices that are
/// not reached, and a chain.
inline test_graph<int> uneven_graph(int vertices) {
  const auto random = [](int v, int i) { return mixed(static_cast<std::uint64_t>(v) * 1000 + i); };
  const int chain = 12;
  std::vector<test_edge> edges{{5, 5, 0}, {6, 7, 3}, {6, 7, 3}, {6, 7, 1}};
  for (int v = 0; v < vertices; ++v) {
    const int count = v < chain ? 1 : random(v, 0) % 60 == 0 ? 300 : static_cast<int>(random(v, 0) % 4);
    for (int i = 1; i <= count; ++i)
      edges.push_back({v, v < chain ? v + 1 : static_cast<int>(random(v, i) % (vertices * 3 / 4)),
                       static_cast<int>(random(v, i + 500) % 9)});
  }
  return graph_of("uneven", vertices, edges);
}
/// Edges both ways, and few, so that there are a large component and many small ones.
inline test_graph<int> scattered_graph(int vertices) {
  std::vector<test_edge> edges;
  for (int i = 0; i < 2 * vertices; ++i)
    if (const std::uint64_t random = mixed(static_cast<std::uint64_t>(i)); random % 16 < 6)
      edges.push_back({i / 2, static_cast<int>((random >> 8) % static_cast<std::uint64_t>(vertices)),
                       static_cast<int>((random >> 4) % 5)});
  return graph_of("scattered", vertices, edges, true);
}
/// Circles of weight 0 that hang on each other and on the source, entered at a high number.
inline test_graph<int> circles_of_zeros() {
  return graph_of("circles of weight 0", 9,
                  {{8, 5, 2},
                   {5, 4, 0},
                   {4, 3, 0},
                   {3, 5, 0},
                   {3, 4, 0},
                   {3, 2, 0},
                   {2, 1, 0},
                   {1, 2, 0},
                   {1, 8, 0},
                   {8, 7, 0},
                   {7, 8, 0},
                   {7, 6, 2},
                   {6, 5, 0}});
}

/// Few edges leave those that vertex 0 reaches, where in the mean an edge leads to many.
inline test_graph<int> beside_a_clique() {
  constexpr int few = 12, size = 60;
  std::vector<test_edge> edges;
  for (int i = 1; i <= few; ++i) {
    edges.push_back({0, i, 1});
    edges.push_back({i, few + i, 1});
  }
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      if (i != j) edges.push_back({2 * few + 1 + i, 2 * few + 1 + j, 1});
  return graph_of("beside a clique", 2 * few + 1 + size, edges);
}

/// Hubs, at which 90 to 190 edges arrive: the last of these from a vertex of the second level, of the third, or none
/// from any that is reached, by turns; all others from vertices that are not reached. `onwards` edges leave each vertex
/// of the third level beside that. From the last vertex.
inline test_graph<int> late_hubs(int hubs, int onwards) {
  constexpr int never = 200, second = 40, each = 15, ends = 500;
  const int third = never + hubs, last = third + second * each, source = last + second + ends;
  std::vector<test_edge> edges;
  for (int hub = 0; hub < hubs; ++hub) {
    const int many = 90 + hub * 37 % 101;
    for (int i = 0; i < many; ++i) edges.push_back({(hub + i) % never, never + hub, 1});
    if (hub % 3 == 0) edges.push_back({last + hub % second, never + hub, 1});
    if (hub % 3 == 1) edges.push_back({third + hub % (second * each), never + hub, 1});
  }
  for (int v = 0; v < second; ++v) {
    edges.push_back({source, last + v, 1});
    for (int i = 0; i < each; ++i) edges.push_back({last + v, third + v * each + i, 1});
  }
  for (int v = 0; v < second * each; ++v)
    for (int i = 0; i < onwards; ++i) edges.push_back({third + v, last + second + (v * 7 + i) % ends, 1});
  return graph_of("late hubs", source + 1, edges);
}

/// Of all kinds, with a source each.
inline std::vector<std::pair<test_graph<int>, int>> graphs_of_all_kinds() {
  return {{graph_of("one vertex", 1, {}), 0},
          {graph_of("a loop", 1, {{0, 0, 0}}), 0},
          {graph_of("no edges", 5, {}), 3},
          {path_graph(40), 0},
          {path_graph(40), 39},
          {star_graph(700), 0},
          {star_graph(700), 699},
          {complete_graph(40), 17},
          {grid_graph(12, 9), 0},
          {binary_tree(300), 4},
          {two_cliques(20), 3},
          {circles_of_zeros(), 8},
          {beside_a_clique(), 0},
          {uneven_graph(1200), 0}};
}

// --- serial searches ---

/// Levels by a queue; -1 where there is none.
template <class Weight, class Vertex>
std::vector<Vertex> levels_by_queue(const test_graph<Weight, Vertex>& g, Vertex source) {
  std::vector<Vertex> levels(static_cast<std::size_t>(g.vertices()), -1), queue{source};
  levels[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (Vertex e = g.offsets[queue[i]]; e < g.offsets[queue[i] + 1]; ++e)
      if (levels[g.targets[e]] < 0) {
        levels[g.targets[e]] = levels[queue[i]] + 1;
        queue.push_back(g.targets[e]);
      }
  return levels;
}

/// The smallest vertex number in each vertex's component, where edges go both ways, by union and find.
template <class Weight, class Vertex>
std::vector<Vertex> components_by_union(const test_graph<Weight, Vertex>& g) {
  std::vector<Vertex> parents(static_cast<std::size_t>(g.vertices()));
  for (Vertex v = 0; v < g.vertices(); ++v) parents[v] = v;
  const auto root_of = [&](Vertex v) {
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
  };
  for (Vertex v = 0; v < g.vertices(); ++v)
    for (Vertex e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
      const auto [less, more] = std::minmax({root_of(v), root_of(g.targets[e])});
      parents[more] = less;
    }
  for (Vertex v = 0; v < g.vertices(); ++v) parents[v] = root_of(v);
  return parents;
}

/// Distances by Dijkstra's algorithm.
template <class Distance, class Weight, class Vertex>
std::vector<Distance> distances_by_dijkstra(const test_graph<Weight, Vertex>& g, Vertex source) {
  std::vector<Distance> distances(static_cast<std::size_t>(g.vertices()), unreached<Distance>);
  using entry = std::pair<Distance, Vertex>;
  std::priority_queue<entry, std::vector<entry>, std::greater<>> queue;
  distances[source] = 0;
  queue.push({0, source});
  while (!queue.empty()) {
    const auto [distance, v] = queue.top();
    queue.pop();
    if (distance > distances[v]) continue;
    for (Vertex e = g.offsets[v]; e < g.offsets[v + 1]; ++e) {
      const Distance sum = distance + g.weights[e];
      if (!(sum < distances[g.targets[e]])) continue;
      distances[g.targets[e]] = sum;
      queue.push({sum, g.targets[e]});
    }
  }
  return distances;
}

} // namespace evenly::graph_tests
