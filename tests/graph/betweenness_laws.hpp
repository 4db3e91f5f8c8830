// SPDX-License-Identifier: Apache-2.0
// betweenness on any executor: the scores are those of the serial algorithm in long double, and their bits repeat.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/graph.hpp"
#include "graph/graphs.hpp"
#include "graph/traversal_laws.hpp"

namespace evenly::graph_tests {

/// Brandes' algorithm. Path counts must fit into a long double: less than 2^16384.
template <class Vertex>
std::vector<double> betweenness_by_brandes(const test_graph<int, Vertex>& g,
                                           const std::vector<Vertex>& sources) {
  const auto size = static_cast<std::size_t>(g.vertices());
  std::vector<long double> scores(size);
  for (const Vertex source : sources) {
    std::vector<Vertex> levels(size, -1), queue{source};
    std::vector<long double> paths(size), dependencies(size);
    levels[source] = 0;
    paths[source] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (Vertex e = g.offsets[queue[i]]; e < g.offsets[queue[i] + 1]; ++e) {
        const Vertex to = g.targets[e];
        if (levels[to] == -1) {
          levels[to] = levels[queue[i]] + 1;
          queue.push_back(to);
        }
        if (levels[to] == levels[queue[i]] + 1) paths[to] += paths[queue[i]];
      }
    for (std::size_t i = queue.size(); i-- > 1;) {
      const Vertex v = queue[i];
      for (Vertex e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
        if (levels[g.targets[e]] == levels[v] + 1)
          dependencies[v] += paths[v] / paths[g.targets[e]] * (1 + dependencies[g.targets[e]]);
      scores[v] += dependencies[v];
    }
  }
  return {scores.begin(), scores.end()};
}

template <class Vertex> std::vector<Vertex> all_vertices(Vertex count) {
  std::vector<Vertex> vertices(static_cast<std::size_t>(count));
  std::iota(vertices.begin(), vertices.end(), Vertex{0});
  return vertices;
}

/// The scores on `exec`; without and with edges that arrive the same bits.
template <class Executor, class Vertex>
std::vector<double> betweenness_on(const Executor& exec, const test_graph<int, Vertex>& g,
                                   const std::vector<Vertex>& sources) {
  graph on(exec, g.view());
  const auto scores = make_buffer<double>(exec, static_cast<std::size_t>(g.vertices()));
  graphs::find_betweenness(exec, on.view(), sources, graphs::betweenness_scale::sums, scores.span());
  const std::vector<double> without = to_host(exec, scores);
  on.make_in_edges();
  graphs::find_betweenness(exec, on.view(), sources, graphs::betweenness_scale::sums, scores.span());
  EXPECT_EQ(to_host(exec, scores), without) << g.name;
  return without;
}

template <class Executor, class Vertex>
void expect_betweenness(const Executor& exec, const test_graph<int, Vertex>& g,
                        const std::vector<Vertex>& sources) {
  SCOPED_TRACE("betweenness in " + g.name);
  const std::vector<double> expected = betweenness_by_brandes(g, sources),
                            scores = betweenness_on(exec, g, sources);
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t v = 0; v < scores.size(); ++v)
    ASSERT_NEAR(scores[v], expected[v], 1e-12 * (1 + std::abs(expected[v]))) << v;
}

/// A path whose every second step has two ways: 2^diamonds paths from one end to the other.
inline test_graph<int> chain_of_diamonds(int diamonds) {
  std::vector<test_edge> edges;
  for (int v = 0; v < 3 * diamonds; v += 3)
    for (const auto& [from, to] : {std::pair(v, v + 1), {v, v + 2}, {v + 1, v + 3}, {v + 2, v + 3}})
      edges.push_back({from, to, 1});
  return graph_of("chain of diamonds", 3 * diamonds + 1, std::move(edges), true);
}

template <class Executor> void expect_betweenness_of_all_kinds(const Executor& exec) {
  for (const test_graph<int>& g :
       {graph_of("one vertex", 1, {}), graph_of("a loop", 1, {{0, 0, 1}}),
        graph_of("isolated vertices", 5, {}),
        graph_of("parallel edges", 4, {{0, 1, 1}, {0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}}),
        path_graph(30), star_graph(40), complete_graph(12), grid_graph(9, 7), binary_tree(31), two_cliques(6),
        random_graph(60, 150, 1), chain_of_rings(6, 3)})
    expect_betweenness(exec, g, all_vertices(g.vertices()));
  expect_betweenness(exec, uneven_graph(400), {0, 7, 7, 399});
}

} // namespace evenly::graph_tests
