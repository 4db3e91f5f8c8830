// SPDX-License-Identifier: Apache-2.0
// bfs_search on any executor: the laws of src/graphs/laws.hpp hold and a serial search finds the same, in launches of
// several shapes and under rules that bring about each way of doing a level; what it tells is what it did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/graph.hpp"
#include "graph/graphs.hpp"
#include "graphs/laws.hpp"

namespace evenly::graph_tests {

/// Blocks go on alone hardly ever, and levels are done bottom-up as soon as that can pay.
inline constexpr graphs::search_rule together_and_up{
    .alpha = 1e6, .beta = 4, .single_block_from = 8, .single_block_until = 16};
/// Never bottom-up.
inline constexpr graphs::search_rule top_down{.alpha = 0};
/// All that one block has room for, it does.
inline constexpr graphs::search_rule alone{
    .alpha = 0, .single_block_from = 1 << 20, .single_block_until = 1 << 20};

struct search_case {
  graphs::search_rule rule = {};
  graphs::search_shape shape = {};
  bool with_in_edges = true;
};

/// The vertices and edges of each level as the levels of vertices have them.
template <class Vertex>
std::vector<graphs::search_level> logged_by_levels(const adjacency<Vertex, Vertex>& out,
                                                   const std::vector<Vertex>& levels) {
  std::vector<graphs::search_level> logged;
  for (std::size_t v = 0; v < levels.size(); ++v) {
    if (levels[v] < 0) continue;
    const auto level = static_cast<std::size_t>(levels[v]);
    if (logged.size() <= level) logged.resize(level + 1);
    logged[level].vertices += 1;
    logged[level].edges += out.offsets[v + 1] - out.offsets[v];
  }
  return logged;
}

inline void expect_logged(const std::vector<graphs::search_level>& logged,
                          const std::vector<graphs::search_level>& expected,
                          const graphs::search_totals& totals) {
  ASSERT_EQ(logged.size(), expected.size());
  graphs::search_totals sums{};
  for (std::size_t i = 0; i < logged.size(); ++i) {
    EXPECT_EQ(logged[i].vertices, expected[i].vertices) << "level " << i;
    EXPECT_EQ(logged[i].edges, expected[i].edges) << "level " << i;
    sums.vertices += logged[i].vertices;
    sums.edges += logged[i].edges;
    sums.levels_of_mode[static_cast<int>(logged[i].mode)] += 1;
  }
  EXPECT_EQ(totals.levels, static_cast<std::int64_t>(logged.size()));
  EXPECT_EQ(totals.vertices, sums.vertices);
  EXPECT_EQ(totals.edges, sums.edges);
  for (int mode = 0; mode < graphs::level_modes; ++mode)
    EXPECT_EQ(totals.levels_of_mode[mode], sums.levels_of_mode[mode]) << "way " << mode;
}

/// Two searches from each source, one after the other. Returns what the last one did.
template <class Executor, class Weight, class Vertex>
graphs::search_totals expect_searches(const Executor& exec, const test_graph<Weight, Vertex>& g,
                                      const std::vector<Vertex>& sources, const search_case& how = {}) {
  graph on(exec, g.view());
  if (how.with_in_edges) on.make_in_edges(exec);
  evenly::bfs_search search(exec, on.view(), how.rule, true, how.shape);
  EXPECT_EQ(search.switch_to_bottom_up(), how.with_in_edges);
  const auto size = static_cast<std::size_t>(g.vertices());
  const auto levels = make_buffer<Vertex>(exec, size), parents = make_buffer<Vertex>(exec, size);
  for (const Vertex source : sources) {
    SCOPED_TRACE(g.name + " from " + std::to_string(source) + ", " + std::to_string(how.shape.blocks) +
                 " blocks of " + std::to_string(how.shape.block_size));
    search.run(source, levels.span(), parents.span());
    const std::vector<Vertex> found = to_host(exec, levels), before = to_host(exec, parents);
    EXPECT_EQ(graphs::wrong_with_bfs(g.view().out, source, found, before).value_or(""), "");
    EXPECT_EQ(found, levels_by_queue(g, source));
    expect_logged(search.levels(), logged_by_levels(g.view().out, found), search.totals());
    search.run(source, levels.span(), parents.span());
    EXPECT_EQ(to_host(exec, levels), found);
    EXPECT_EQ(to_host(exec, parents), before);
    search.run(source, levels.span());
    EXPECT_EQ(to_host(exec, levels), found);
    search.run(source, levels.span(), parents.span(), graphs::parent_rule::any);
    EXPECT_EQ(to_host(exec, levels), found);
    EXPECT_EQ(graphs::wrong_with_bfs(g.view().out, source, found, to_host(exec, parents), {},
                                     graphs::parent_rule::any)
                  .value_or(""),
              "");
  }
  return search.totals();
}

/// Vertices of many edges that are deferred until their block is done, more than it has room for where it is one;
/// levels after that, bottom-up or not; and a level that is foretold to be followed by one bottom-up, and is not.
template <class Executor>
void expect_searches_bottom_up(const Executor& exec, const graphs::search_shape& shape) {
  const auto levels_bottom_up = [&](const graphs::search_rule& rule, const test_graph<int>& g, int source) {
    const graphs::search_totals did = expect_searches(exec, g, {source}, {rule, shape});
    return did.levels_of_mode[static_cast<int>(graphs::level_mode::bottom_up)];
  };
  const graphs::search_rule early{.alpha = 1e6};
  for (const int hubs : {40, 300}) {
    SCOPED_TRACE(std::to_string(hubs) + " hubs");
    const test_graph<int> goes_on = late_hubs(hubs, hubs == 40 ? 4 : 30), ends = late_hubs(hubs, 1);
    EXPECT_GE(levels_bottom_up(early, goes_on, goes_on.vertices() - 1), 2);
    EXPECT_EQ(levels_bottom_up(early, ends, ends.vertices() - 1), 1); // too many lack a level
  }
  EXPECT_EQ(levels_bottom_up({}, beside_a_clique(), 0), 0);
}

template <class Executor> void expect_searches_everywhere(const Executor& exec, const search_case& how) {
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_searches(exec, g, {source}, how);
}

} // namespace evenly::graph_tests
