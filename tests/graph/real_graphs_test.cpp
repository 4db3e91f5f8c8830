// SPDX-License-Identifier: Apache-2.0
// Searches compared with independent results: answers of networkx 3.6 for small published graphs, and components by
// union and find.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/bfs_together.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/graph/weights.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "graph/bucket_laws.hpp"
#include "graph/search_laws.hpp"

namespace evenly::graph_tests {
namespace {

/// Edges in both directions, of weight 1 + (7 u + 3 v) mod 11 for u < v.
test_graph<int> weighed(const std::string& name, int vertices,
                        const std::vector<std::pair<int, int>>& pairs) {
  std::vector<test_edge> edges;
  for (const auto& [u, v] : pairs) edges.push_back({u, v, 1 + (7 * u + 3 * v) % 11});
  return graph_of(name, vertices, edges, true);
}

struct known_search {
  test_graph<int> graph;
  int source;
  std::vector<int> levels, distances;
};

/// Marriages among families of Florence (Breiger & Pattison 1986), in the order of their names. And members of a
/// karate club (Zachary 1977).
std::vector<known_search> known_searches() {
  const test_graph<int> families =
      weighed("families", 15,
              {{0, 8},  {1, 5}, {1, 6},  {1, 8},  {2, 4},  {2, 8},  {3, 6},  {3, 10},  {3, 13},  {4, 10},
               {4, 13}, {6, 7}, {6, 14}, {8, 11}, {8, 12}, {8, 14}, {9, 12}, {10, 13}, {11, 13}, {11, 14}});
  const test_graph<int> club = weighed(
      "club", 34,
      {{0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},  {0, 11},
       {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},   {1, 7},   {1, 13},
       {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},   {2, 9},   {2, 13},  {2, 27},
       {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},   {4, 10},  {5, 6},   {5, 10},  {5, 16},
       {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},  {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33},
       {18, 32}, {18, 33}, {19, 33}, {20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29},
       {23, 32}, {23, 33}, {24, 25}, {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31},
       {28, 33}, {29, 32}, {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}});
  return {
      {families,
       0,
       {0, 2, 2, 4, 3, 3, 3, 4, 1, 3, 4, 2, 2, 3, 2},
       {0, 13, 9, 18, 14, 14, 17, 26, 3, 9, 18, 5, 8, 12, 14}},
      {families,
       14,
       {2, 2, 2, 2, 3, 3, 1, 2, 1, 3, 3, 1, 2, 2, 0},
       {14, 12, 17, 15, 19, 13, 8, 17, 11, 17, 23, 10, 16, 17, 0}},
      {club,
       0,
       {0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 3, 3, 2, 1, 3, 1, 3, 1, 3, 3, 2, 2, 3, 2, 2, 3, 2, 1, 2, 2},
       {0, 4,  7, 7,  2, 5, 5, 10, 3,  14, 6, 1,  4,  7, 16, 12, 8,
        8, 11, 3, 14, 9, 6, 9, 13, 11, 12, 8, 10, 11, 7, 6,  8,  5}},
      {club,
       33,
       {2, 2, 2, 2, 3, 3, 3, 3, 1, 1, 3, 3, 3, 1, 1, 1, 4, 3, 1, 1, 1, 3, 1, 1, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0},
       {5,  7, 6, 8, 7,  10, 10, 9,  2,  9, 11, 6,  9, 4, 11, 7, 13,
        11, 6, 2, 9, 12, 1,  4,  11, 10, 7, 3,  10, 6, 2, 9,  5, 0}}};
}

/// Levels of a search in one launch, of one under a schedule, and of several that go together.
template <class Executor>
std::vector<std::vector<int>> levels_in_every_form(const Executor& exec, const test_graph<int>& g,
                                                   int source) {
  graph on(exec, g.view());
  on.make_in_edges(exec);
  const auto size = static_cast<std::size_t>(g.vertices());
  const auto levels = make_buffer<int>(exec, size), parents = make_buffer<int>(exec, size);
  std::vector<std::vector<int>> found{bfs_under(exec, merge_path<>{})(g, source).values};
  bfs(on.view(), source, levels, parents, exec);
  found.push_back(to_host(exec, levels));
  for (const double alpha : {1e6, 0.0}) { // bottom-up as soon as can be, and never
    evenly::bfs_search search(exec, on.view(), graphs::search_rule{.alpha = alpha});
    search.run(source, levels.span(), parents.span());
    found.push_back(to_host(exec, levels));
  }
  const std::vector<int> sources{source, 0, source};
  bfs_together searches(exec, on.view());
  const auto together = make_buffer<std::int16_t>(exec, size * sources.size());
  searches.run(std::span(sources), together.span());
  const std::vector<std::int16_t> all = to_host(exec, together);
  for (const std::size_t search : {0, 2}) {
    found.emplace_back();
    for (std::size_t v = 0; v < size; ++v) found.back().push_back(all[v * sources.size() + search]);
  }
  return found;
}

template <class Executor>
std::vector<std::vector<int>> distances_in_every_form(const Executor& exec, const test_graph<int>& g,
                                                      int source) {
  return {sssp_search<int, int>(exec, merge_path<>{})(g, source).values,
          bucket_search<int, int>(exec)(g, source).values};
}

template <class Executor> void expect_known(const Executor& exec) {
  for (const known_search& each : known_searches()) {
    SCOPED_TRACE(each.graph.name + " from " + std::to_string(each.source));
    for (const auto& levels : levels_in_every_form(exec, each.graph, each.source))
      EXPECT_EQ(levels, each.levels);
    for (const auto& distances : distances_in_every_form(exec, each.graph, each.source))
      EXPECT_EQ(distances, each.distances);
  }
}

TEST(RealGraphs, AreSearchedAsNetworkxDoesOnCpu) { expect_known(cpu(2)); }

TEST(RealGraphs, AreSearchedAsNetworkxDoesOnSimt) { expect_known(simt({.warp_size = 8, .seed = 3})); }

/// Of the greatest component, of a component of two to nine, and of one vertex alone.
std::vector<int> sources_of_different_components(const std::vector<int>& components) {
  std::map<int, int> sizes;
  for (const int each : components) ++sizes[each];
  int greatest = 0, small = -1, alone = -1;
  for (const auto& [component, size] : sizes) {
    if (size > sizes[greatest]) greatest = component;
    if (size > 1 && size < 10) small = component;
    if (size == 1) alone = component;
  }
  EXPECT_TRUE(sizes[greatest] > 100 && small >= 0 && alone >= 0);
  return {greatest, small, alone};
}

/// Where edges go both ways, what is reached is a component.
template <class Executor> void expect_components(const Executor& exec) {
  const test_graph<int> g = scattered_graph(900);
  const std::vector<int> components = components_by_union(g);
  for (const int source : sources_of_different_components(components)) {
    SCOPED_TRACE("from " + std::to_string(source));
    const auto expect_reached = [&](const std::vector<int>& values, const auto& is_reached) {
      for (std::size_t v = 0; v < values.size(); ++v)
        EXPECT_EQ(is_reached(values[v]), components[v] == components[source]) << "vertex " << v;
    };
    for (const auto& levels : levels_in_every_form(exec, g, source))
      expect_reached(levels, [](int level) { return level >= 0; });
    for (const auto& distances : distances_in_every_form(exec, g, source))
      expect_reached(distances, [](int distance) { return distance < unreached<int>; });
  }
}

TEST(RealGraphs, ReachTheirComponentsOnCpu) { expect_components(cpu(2)); }

TEST(RealGraphs, ReachTheirComponentsOnSimt) { expect_components(simt({.warp_size = 8, .seed = 3})); }

} // namespace
} // namespace evenly::graph_tests
