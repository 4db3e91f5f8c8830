// SPDX-License-Identifier: Apache-2.0
// triangles on a GPU: graph/triangle_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/triangle_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(TrianglesOnCuda, KeepTheLaws) {
  expect_triangles_of_all_kinds(evenly::cuda());
  expect_triangles(evenly::cuda(), clique_with_fringe(300, 20'000));
  expect_triangles(evenly::cuda(), random_graph(20'000, 300'000, 5));
  expect_triangles_of_cliques(evenly::cuda(), 1200, 60);
}

/// For tools that take long.
TEST(ReducedTrianglesOnCuda, KeepTheLaws) { expect_triangles(evenly::cuda(), clique_with_fringe(60, 100)); }

} // namespace
} // namespace evenly::graph_tests
