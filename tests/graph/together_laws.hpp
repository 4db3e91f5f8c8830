// SPDX-License-Identifier: Apache-2.0
// bfs_together on any executor: what it finds from many sources is what serial searches find from each, parents keep
// the laws of src/graphs/laws.hpp, under rules that bring about both ways of doing a level; what it tells is so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs_together.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "graph/graphs.hpp"
#include "graphs/laws.hpp"

namespace evenly::graph_tests {

inline constexpr graphs::together_rule only_down{.alpha = 0}, only_up{.alpha = 1e9};

struct together_case {
  graphs::together_rule rule = {};
  graphs::search_shape shape = {};
  bool with_in_edges = true;
};

/// So many vertices, of which some come twice.
template <class Weight, class Vertex>
std::vector<Vertex> some_sources(const test_graph<Weight, Vertex>& g, int count) {
  std::vector<Vertex> sources;
  for (int i = 0; i < count; ++i)
    sources.push_back(static_cast<Vertex>(mixed(static_cast<std::uint64_t>(i) / 2 + 7) %
                                          static_cast<std::uint64_t>(g.vertices())));
  return sources;
}

/// Vertices of all frontiers: on each level those that some search has on it.
template <class Vertex>
std::int64_t vertices_of_frontiers(const std::vector<std::vector<Vertex>>& levels, std::size_t vertices) {
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    std::set<Vertex> on;
    for (const auto& each : levels)
      if (each[v] >= 0) on.insert(each[v]);
    sum += static_cast<std::int64_t>(on.size());
  }
  return sum;
}

/// Two runs of `count` searches.
template <class Level, class Executor, class Weight, class Vertex>
graphs::together_totals expect_together(const Executor& exec, const test_graph<Weight, Vertex>& g, int count,
                                        const together_case& how = {}) {
  SCOPED_TRACE(g.name + ", " + std::to_string(count) + " searches, " + std::to_string(how.shape.blocks) +
               " blocks of " + std::to_string(how.shape.block_size));
  graph on(exec, g.view());
  if (how.with_in_edges) on.make_in_edges(exec);
  bfs_together searches(exec, on.view(), true, how.rule, how.shape);
  const std::vector<Vertex> sources = some_sources(g, count);
  const auto size = static_cast<std::size_t>(g.vertices());
  const auto levels = make_buffer<Level>(exec, size * sources.size());
  searches.run(std::span(sources), levels.span());
  const std::vector<Level> found = to_host(exec, levels);
  std::vector<std::vector<Vertex>> right;
  Vertex deepest = 0;
  for (int s = 0; s < count; ++s) {
    right.push_back(levels_by_queue(g, sources[s]));
    deepest = std::max(deepest, *std::ranges::max_element(right.back()));
    std::vector<Vertex> of_search;
    for (std::size_t v = 0; v < size; ++v) of_search.push_back(found[v * sources.size() + s]);
    EXPECT_EQ(of_search, right.back()) << "from " << sources[s];
  }
  for (const int s : {0, count - 1}) {
    const auto parents = make_buffer<Vertex>(exec, size);
    graphs::parents_from_levels(exec, merge_path{}, on.view(), levels.span(), sources, s, parents.span());
    EXPECT_EQ(graphs::wrong_with_bfs(g.view().out, sources[s], right[s], to_host(exec, parents)).value_or(""),
              "");
  }
  const graphs::together_totals totals = searches.totals();
  EXPECT_EQ(totals.levels, deepest + 1);
  EXPECT_EQ(totals.vertices, vertices_of_frontiers(right, size));
  const std::vector<graphs::search_level> logged = searches.levels();
  std::int64_t vertices = 0, up = 0;
  for (const graphs::search_level& each : logged) {
    vertices += each.vertices;
    up += each.mode == graphs::level_mode::bottom_up;
  }
  EXPECT_EQ(vertices, totals.vertices);
  EXPECT_EQ(up, totals.bottom_up);
  EXPECT_TRUE(how.with_in_edges || up == 0);
  searches.run(std::span(sources), levels.span());
  EXPECT_EQ(to_host(exec, levels), found);
  return totals;
}

template <class Executor> void expect_together_everywhere(const Executor& exec, const together_case& how) {
  for (const auto& [g, source] : graphs_of_all_kinds()) {
    expect_together<std::int8_t>(exec, g, 64, how);
    expect_together<std::int32_t>(exec, g, 5, how);
  }
}

/// Vertices with 3,000 neighbours, which many warps look at, some of them early enough, in front of others with few.
inline test_graph<int> graph_of_giants(int vertices) {
  std::vector<test_edge> edges;
  for (int v = 0; v < vertices; ++v) {
    edges.push_back({v, (v + 1) % vertices, 1});
    if (v % 997 == 3)
      for (int i = 0; i < 3000; ++i)
        edges.push_back({v,
                         static_cast<int>(mixed(static_cast<std::uint64_t>(v) * 5000 + i) %
                                          static_cast<std::uint64_t>(vertices)),
                         1});
  }
  return graph_of("giants", vertices, edges, true);
}

} // namespace evenly::graph_tests
