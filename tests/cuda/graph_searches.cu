// SPDX-License-Identifier: Apache-2.0
// Searches of graphs on a GPU: graph/search_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "graph/search_laws.hpp"
#include "graph/wide_edges.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ReducedSearchesOnCuda, KeepTheLawsOfBfs) {
  expect_bfs_everywhere("merge_path", bfs_under(cuda_of_any_size(), merge_path<>{}));
}

TEST(ReducedSearchesOnCuda, KeepTheLawsOfSssp) {
  expect_sssp_everywhere("nonzero_split", sssp_search<int, int>(cuda_of_any_size(), nonzero_split<>{}),
                         [](int weight) { return weight; });
  expect_sssp_everywhere("merge_path", sssp_search<float, float>(cuda_of_any_size(), merge_path<>{}),
                         [](int weight) { return static_cast<float>(weight) * 0.1f; });
}

/// Edges of 64 bits, vertices of 32.
TEST(ReducedSearchesOnCuda, CountsBy64Bits) {
  const cuda_of_any_size exec;
  expect_bfs_of_wide_edges(exec, "merge_path", [&](const auto& graph, int source, auto levels, auto parents) {
    bfs(graph, source, levels, parents, on(exec).with(merge_path{}));
  });
}

} // namespace
} // namespace evenly::graph_tests
