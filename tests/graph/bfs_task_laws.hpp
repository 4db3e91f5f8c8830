// SPDX-License-Identifier: Apache-2.0
// bfs on pools of tasks: what bfs finds, twice.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/graph/bfs_on_tasks.hpp"
#include "graph/search_laws.hpp"

namespace evenly::graph_tests {

template <class Executor, class Pool, class Vertex = int>
void expect_bfs_on_tasks(const Executor& exec, const Pool& pool, const test_graph<int, Vertex>& g,
                         Vertex source) {
  SCOPED_TRACE(g.name + " from " + std::to_string(source));
  std::vector<Vertex> parents;
  for (int run = 0; run < 2; ++run) {
    const auto found =
        found_by<Vertex>(exec, g, [&](const auto& graph, auto levels, auto parents, const auto&) {
          const task_report report = bfs_on_tasks(exec, pool, graph, source, levels, parents);
          EXPECT_EQ(report.left(), 0);
          EXPECT_EQ(report.outcome, tasks::task_outcome::complete);
          return 0;
        });
    EXPECT_EQ(graphs::wrong_with_bfs(g.view().out, source, found.values, found.parents).value_or(""), "");
    EXPECT_EQ(found.values, levels_by_queue(g, source));
    if (run > 0) {
      EXPECT_EQ(found.parents, parents);
    }
    parents = found.parents;
  }
}

template <class Executor, class Pool>
void expect_bfs_on_tasks_everywhere(const Executor& exec, const Pool& pool) {
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_bfs_on_tasks(exec, pool, g, source);
}

} // namespace evenly::graph_tests
