// SPDX-License-Identifier: Apache-2.0
// Searches that stay, on a GPU: graph/bfs_search_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/bfs_search_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ReducedBfsSearchOnCuda, KeepsTheLaws) {
  for (const search_rule& rule : {search_rule{}, together_and_up, top_down})
    expect_searches_everywhere(cuda(), {rule, {}, rule.alpha > 0});
}

TEST(ReducedBfsSearchOnCuda, KeepsTheLawsInOtherShapes) {
  for (const search_shape& shape : {search_shape{1, 0}, search_shape{7, 0}, search_shape{5, 256}})
    expect_searches_everywhere(cuda(), {together_and_up, shape});
}

TEST(BfsSearchOnCuda, DoesLargerGraphs) {
  for (const search_rule& rule : {search_rule{}, together_and_up, top_down}) {
    expect_searches(cuda(), uneven_graph(200000), {0, 17}, {rule});
    expect_searches(cuda(), grid_graph(600, 500), {0, 150300}, {rule});
    expect_searches(cuda(), star_graph(300000), {0, 5}, {rule});
  }
}

} // namespace
} // namespace evenly::graph_tests
