// SPDX-License-Identifier: Apache-2.0
// Vertices of 32 bits and edges of 64, in all searches, on the CPU and on the simulated GPU.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/graph/bfs.hpp"
#include "evenly/graph/bfs_search.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/graph/sssp.hpp"
#include "evenly/graph/sssp_in_buckets.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "graph/wide_edges.hpp"

namespace evenly::graph_tests {
namespace {

template <class Executor>
void expect_searches_of_wide_edges(const Executor& exec, const graphs::search_shape& shape) {
  expect_bfs_of_wide_edges(exec, "merge_path", [&](const auto& graph, int source, auto levels, auto parents) {
    bfs(graph, source, levels, parents, on(exec).with(merge_path{}));
  });
  for (const graphs::search_rule& rule :
       {graphs::search_rule{}, graphs::search_rule{.alpha = 1e6}, graphs::search_rule{.alpha = 0}})
    expect_bfs_of_wide_edges(exec, "in one launch",
                             [&](const auto& graph, int source, auto levels, auto parents) {
                               bfs_search search(exec, graph, rule, false, shape);
                               search.run(source, levels, parents);
                             });
  expect_sssp_of_wide_edges(exec, "merge_path",
                            [&](const auto& graph, int source, auto distances, auto parents) {
                              sssp(graph, source, distances, parents, on(exec).with(merge_path{}));
                            });
  expect_sssp_of_wide_edges(exec, "by buckets",
                            [&](const auto& graph, int source, auto distances, auto parents) {
                              sssp(graph, source, distances, parents, exec);
                            });
}

TEST(WideEdges, AreSearchedOnCpu) { expect_searches_of_wide_edges(cpu(2), {2, 0}); }

TEST(WideEdges, AreSearchedOnSimt) {
  expect_searches_of_wide_edges(simt({.warp_size = 8, .seed = 5}), {3, 64});
}

} // namespace
} // namespace evenly::graph_tests
