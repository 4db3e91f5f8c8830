// SPDX-License-Identifier: Apache-2.0
// triangles and clustering on any executor: the counts are those of a test of all pairs of neighbours.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/clustering.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/triangles.hpp"
#include "graph/graphs.hpp"
#include "graph/traversal_laws.hpp"

namespace evenly::graph_tests {

/// The triangles of each vertex of the simple graph of g, by a test of each pair of neighbours.
template <class Vertex> std::vector<std::int64_t> triangles_by_pairs(const test_graph<int, Vertex>& g) {
  std::vector<std::set<Vertex>> neighbours(static_cast<std::size_t>(g.vertices()));
  for (Vertex v = 0; v < g.vertices(); ++v)
    for (Vertex e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
      if (g.targets[e] != v) {
        neighbours[v].insert(g.targets[e]);
        neighbours[g.targets[e]].insert(v);
      }
  std::vector<std::int64_t> counts(neighbours.size());
  for (Vertex v = 0; v < g.vertices(); ++v)
    for (const Vertex a : neighbours[v])
      for (const Vertex b : neighbours[v])
        if (a < b && neighbours[a].contains(b)) ++counts[v];
  return counts;
}

template <class Executor, class Vertex>
void expect_triangles(const Executor& exec, const test_graph<int, Vertex>& g) {
  const std::vector<std::int64_t> expected = triangles_by_pairs(g);
  std::int64_t all = 0;
  for (const std::int64_t count : expected) all += count;
  const auto simple = simple_graph(graph(exec, g.view()));
  const auto counts = make_buffer<std::int64_t>(exec, expected.size());
  EXPECT_EQ(triangles(simple, counts.span()), all / 3) << g.name;
  EXPECT_EQ(to_host(exec, counts), expected) << g.name;
  EXPECT_EQ(count_triangles(simple), all / 3) << g.name;
  const auto shares = clustering(simple);
  const auto on_host = simple.to(cpu(1));
  std::vector<double> expected_shares;
  for (std::size_t v = 0; v < expected.size(); ++v) {
    const std::int64_t degree = on_host.view().out.offsets[v + 1] - on_host.view().out.offsets[v];
    const std::int64_t pairs = degree * (degree - 1) / 2;
    expected_shares.push_back(pairs == 0 ? 0 : static_cast<double>(expected[v]) / static_cast<double>(pairs));
  }
  EXPECT_EQ(to_host(exec, std::span<const double>(std::data(shares), std::size(shares))), expected_shares)
      << g.name;
}

/// A clique whose vertices have tables, with a fringe of small lists.
inline test_graph<int> clique_with_fringe(int clique, int fringe) {
  std::vector<test_edge> edges;
  for (int u = 0; u < clique; ++u)
    for (int v = u + 1; v < clique; ++v) edges.push_back({u, v, 1});
  for (int i = 0; i < fringe; ++i)
    for (int j = 1; j <= 1 + i % 3; ++j) edges.push_back({clique + i, i * j % (clique + i), 1});
  return graph_of("clique with a fringe", clique + fringe, std::move(edges));
}

/// Disjoint cliques. With more than 65536 vertices a table has several vertices per entry.
template <class Executor> void expect_triangles_of_cliques(const Executor& exec, int cliques, int size) {
  std::vector<int> offsets{0}, targets;
  for (int v = 0; v < cliques * size; ++v) {
    for (int w = v / size * size; w < (v / size + 1) * size; ++w)
      if (w != v) targets.push_back(w);
    offsets.push_back(static_cast<int>(targets.size()));
  }
  graph g(exec,
          graph_view<>{{cliques * size, static_cast<int>(targets.size()), offsets.data(), targets.data()}});
  g.set_undirected();
  const std::int64_t of_vertex = std::int64_t{size - 1} * (size - 2) / 2;
  const auto counts = make_buffer<std::int64_t>(exec, offsets.size() - 1);
  EXPECT_EQ(triangles(g, counts.span()), of_vertex * cliques * size / 3);
  EXPECT_EQ(to_host(exec, counts), std::vector<std::int64_t>(counts.size(), of_vertex));
  EXPECT_EQ(count_triangles(g), of_vertex * cliques * size / 3);
}

template <class Executor> void expect_triangles_of_all_kinds(const Executor& exec) {
  for (const test_graph<int>& g :
       {graph_of("no vertex", 0, {}), graph_of("one vertex", 1, {}), graph_of("a loop", 1, {{0, 0, 1}}),
        graph_of("isolated vertices", 5, {}),
        graph_of("parallel edges", 3, {{0, 1, 1}, {0, 1, 1}, {1, 2, 1}, {2, 0, 1}}), path_graph(50),
        star_graph(90), complete_graph(70), grid_graph(9, 7), two_cliques(12), uneven_graph(300),
        scattered_graph(400), clique_with_fringe(60, 200), random_graph(150, 3000, 1)})
    expect_triangles(exec, g);
}

} // namespace evenly::graph_tests
