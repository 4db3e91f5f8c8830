// SPDX-License-Identifier: Apache-2.0
// sssp on pools of tasks, on any executor: what sssp finds under a schedule.
#pragma once

#include <gtest/gtest.h>

#include "evenly/graph/sssp_on_tasks.hpp"
#include "graph/search_laws.hpp"

namespace evenly::graph_tests {

/// Frontiers there are none.
template <class Distance, class Weight, class Executor, class Pool>
search<Distance, Weight> task_search(const Executor& exec, const Pool& pool) {
  return [=](const test_graph<Weight>& g, int source) {
    return found_by<Distance>(exec, g, [&](const auto& graph, auto distances, auto parents, const auto&) {
      EXPECT_EQ(sssp_on_tasks(exec, pool, graph, source, distances, parents).left(), 0);
      return 0;
    });
  };
}

} // namespace evenly::graph_tests
