// SPDX-License-Identifier: Apache-2.0
// bfs and sssp on any executor, under one schedule: the laws of src/graphs/laws.hpp hold, serial searches find the
// same, and repeated runs have the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/sssp.hpp"
#include "graph/graphs.hpp"
#include "graphs/laws.hpp"

namespace evenly::graph_tests {

/// The weights of a graph, unchanged.
inline constexpr auto as_it_is = [](int weight) { return weight; };

/// What a search finds, and the vertices and edges of its frontiers.
template <class Value, class Vertex = int> struct found_values {
  std::vector<Value> values;
  std::vector<Vertex> parents;
  std::vector<std::pair<std::int64_t, std::int64_t>> frontiers;
  std::int64_t frontiers_reported = 0; ///< as the search returns them
};

template <class Value, class Weight = int, class Vertex = int>
using search = std::function<found_values<Value, Vertex>(const test_graph<Weight, Vertex>&, Vertex source)>;

/// Runs find(graph, values, parents, report) on the executor's memory.
template <class Value, class Executor, class Weight, class Vertex, class Find>
found_values<Value, Vertex> found_by(const Executor& exec, const test_graph<Weight, Vertex>& g,
                                     const Find& find) {
  const graph on(exec, g.view());
  const auto size = static_cast<std::size_t>(g.vertices());
  const auto values = make_buffer<Value>(exec, size);
  const auto parents = make_buffer<Vertex>(exec, size);
  found_values<Value, Vertex> found;
  found.frontiers_reported =
      find(on.view(), values.span(), parents.span(), [&](const graphs::frontier_report& each) {
        EXPECT_EQ(each.number, static_cast<std::int64_t>(found.frontiers.size()));
        found.frontiers.emplace_back(each.vertices, each.edges);
      });
  found.values = to_host(exec, values);
  found.parents = to_host(exec, parents);
  return found;
}

template <class Executor, class Schedule>
search<int> bfs_under(const Executor& exec, const Schedule& schedule) {
  return [=](const test_graph<int>& g, int source) {
    return found_by<int>(exec, g, [&](const auto& graph, auto levels, auto parents, const auto& report) {
      frontier_loop loop(exec, schedule, graph.out);
      return bfs(exec, loop, source, levels, parents, report);
    });
  };
}

template <class Distance, class Weight, class Executor, class Schedule>
search<Distance, Weight> sssp_search(const Executor& exec, const Schedule& schedule) {
  return [=](const test_graph<Weight>& g, int source) {
    return found_by<Distance>(
        exec, g, [&](const auto& graph, auto distances, auto parents, const auto& report) {
          graphs::check_weights(exec, graph);
          return sssp_loop(exec, schedule, graph).run(source, distances, parents, report);
        });
  };
}

/// Of levels the frontiers follow: so many vertices on each, and the edges that leave them.
template <class Vertex, class Weight>
std::vector<std::pair<std::int64_t, std::int64_t>> frontiers_of(const test_graph<Weight, Vertex>& g,
                                                                const std::vector<Vertex>& levels) {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (std::size_t v = 0; v < levels.size(); ++v) {
    if (levels[v] < 0) continue;
    if (found.size() <= static_cast<std::size_t>(levels[v]))
      found.resize(static_cast<std::size_t>(levels[v]) + 1);
    found[levels[v]].first += 1;
    found[levels[v]].second += g.offsets[v + 1] - g.offsets[v];
  }
  return found;
}

template <class Weight, class Vertex>
void expect_bfs(const std::string& name, const search<Vertex, Weight, Vertex>& run,
                const test_graph<Weight, Vertex>& g, Vertex source) {
  SCOPED_TRACE(name + ", " + g.name + " from " + std::to_string(source));
  const auto found = run(g, source), again = run(g, source);
  EXPECT_EQ(graphs::wrong_with_bfs(g.view().out, source, found.values, found.parents).value_or(""), "");
  EXPECT_EQ(found.values, levels_by_queue(g, source));
  EXPECT_EQ(found.frontiers, frontiers_of(g, found.values));
  EXPECT_EQ(found.frontiers_reported, static_cast<std::int64_t>(found.frontiers.size()));
  EXPECT_EQ(found.parents, again.parents);
  EXPECT_EQ(found.values, again.values);
}

template <class Distance, class Weight, class Vertex>
void expect_sssp(const std::string& name, const search<Distance, Weight, Vertex>& run,
                 const test_graph<Weight, Vertex>& g, Vertex source) {
  SCOPED_TRACE(name + ", " + g.name + " from " + std::to_string(source));
  const auto found = run(g, source), again = run(g, source);
  EXPECT_EQ(graphs::wrong_with_sssp(g.view(), source, found.values, found.parents).value_or(""), "");
  EXPECT_EQ(found.values, distances_by_dijkstra<Distance>(g, source));
  EXPECT_EQ(found.frontiers_reported, static_cast<std::int64_t>(found.frontiers.size()));
  EXPECT_EQ(found.parents, again.parents);
  EXPECT_EQ(found.values, again.values);
}

/// What sums of whole weights are where they can be written down. side: of a grid, which has 3/2 as many columns.
inline void expect_closed_forms(const search<int>& run, int path_length, int side) {
  const auto distances = [&](const test_graph<int>& g, int source) { return run(g, source).values; };
  const test_graph<int> path = converted<int>(path_graph(path_length), [](int) { return 250; });
  const std::vector<int> along = distances(path, 0);
  for (const int v : {0, 1, 17, path_length - 1}) EXPECT_EQ(along[v], 250 * v);
  EXPECT_EQ(distances(path, 39)[38], unreached<int>);
  EXPECT_EQ(distances(star_graph(100), 5)[13], 5 + 6);
  EXPECT_EQ(distances(complete_graph(9), 3), (std::vector<int>{1, 2, 3, 0, 2, 3, 1, 2, 3}));
  EXPECT_EQ(distances(two_cliques(8), 0)[15], 1 + 5 + 1);
  EXPECT_EQ(distances(binary_tree(1023), 0)[1022], 9);
  const int width = side * 3 / 2;
  const std::vector<int> grid = distances(grid_graph(width, side), 0);
  for (int v = 0; v < width * side; ++v) ASSERT_EQ(grid[v], v % width + v / width);
}

/// A way that is too long for a distance is refused only where there is no other. refused(graph): what is said.
template <class Refused> void expect_overflow_refused(const search<int>& run, const Refused& refused) {
  constexpr int far = std::numeric_limits<int>::max() - 2;
  test_graph<int> g = graph_of("", 3, {{0, 1, far}, {1, 2, 2}});
  EXPECT_EQ(refused(g), "edge 1, from 1 to 2: distance 2147483645 and weight 2 overflow a distance, which "
                        "must be less than 2147483647");
  g = graph_of("", 3, {{0, 1, far}, {1, 2, 1}});
  EXPECT_EQ(run(g, 0).values, (std::vector<int>{0, far, far + 1}));
  g = graph_of("", 3, {{0, 1, far}, {0, 2, 5}, {1, 2, 100}});
  EXPECT_EQ(run(g, 0).values, (std::vector<int>{0, far, 5}));
}

/// On graphs of all kinds.
inline void expect_bfs_everywhere(const std::string& name, const search<int>& run) {
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_bfs(name, run, g, source);
}
template <class Distance, class Weight, class Convert>
void expect_sssp_everywhere(const std::string& name, const search<Distance, Weight>& run,
                            const Convert& convert) {
  for (const auto& [g, source] : graphs_of_all_kinds())
    expect_sssp(name, run, converted<Weight>(g, convert), source);
}

} // namespace evenly::graph_tests
