// SPDX-License-Identifier: Apache-2.0
// Graphs and frontiers (graph_laws.hpp) on the simulated GPU.

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/graph_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(GraphsOnSimt, KeepTheLaws) { expect_graph_laws(simt({.warp_size = 32, .seed = 1})); }

} // namespace
} // namespace evenly::graph_tests
