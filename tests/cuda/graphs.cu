// SPDX-License-Identifier: Apache-2.0
// Graphs and frontiers on a GPU: graph/graph_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "graph/graph_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ReducedGraphsOnCuda, KeepTheLaws) { expect_graph_laws(cuda_of_any_size()); }

} // namespace
} // namespace evenly::graph_tests
