// SPDX-License-Identifier: Apache-2.0
// Searches that stay, on a GPU: graph/bfs_search_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/bfs_search_laws.hpp"

namespace evenly::graph_tests {
namespace {

/// For tools that take long: each way of doing a level, once.
TEST(ReducedBfsSearchOnCuda, KeepsTheLawsOnSmallGraphs) {
  expect_searches(cuda(), uneven_graph(300), {0}, {together_and_up, {3, 0}});
  expect_searches(cuda(), uneven_graph(300), {0}, {top_down, {2, 256}, false});
  expect_searches(cuda(), path_graph(20), {3}, {{}, {2, 256}});
  expect_searches_bottom_up(cuda(), {2, 0});
}

TEST(BfsSearchOnCuda, KeepsTheLaws) {
  for (const graphs::search_rule& rule : {graphs::search_rule{}, together_and_up, top_down})
    expect_searches_everywhere(cuda(), {rule, {}, rule.alpha > 0});
}

TEST(BfsSearchOnCuda, KeepsTheLawsInOtherShapes) {
  for (const graphs::search_shape& shape :
       {graphs::search_shape{1, 0}, graphs::search_shape{7, 0}, graphs::search_shape{5, 256}})
    expect_searches_everywhere(cuda(), {together_and_up, shape});
}

TEST(BfsSearchOnCuda, PutsVerticesOfManyEdgesOff) {
  for (const graphs::search_shape& shape :
       {graphs::search_shape{}, graphs::search_shape{1, 0}, graphs::search_shape{5, 512}})
    expect_searches_bottom_up(cuda(), shape);
}

TEST(BfsSearchOnCuda, DoesLargerGraphs) {
  for (const graphs::search_rule& rule : {graphs::search_rule{}, together_and_up, top_down}) {
    expect_searches(cuda(), uneven_graph(200000), {0, 17}, {rule});
    expect_searches(cuda(), grid_graph(600, 500), {0, 150300}, {rule});
    expect_searches(cuda(), star_graph(300000), {0, 5}, {rule});
  }
}

} // namespace
} // namespace evenly::graph_tests
