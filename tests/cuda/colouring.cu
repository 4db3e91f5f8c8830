// SPDX-License-Identifier: Apache-2.0
// Colours and independent sets on a GPU: graph/colouring_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/colouring_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ColouringOnCuda, IsThatOfTheSerialAlgorithm) {
  expect_colours_of_all_kinds(evenly::cuda());
  expect_colours(evenly::cuda(), grid_graph(400, 300), 4);
  expect_colours(evenly::cuda(), uneven_graph(20'000), 5);
}

/// For tools that take long.
TEST(ReducedColouringOnCuda, IsThatOfTheSerialAlgorithm) {
  expect_colours(evenly::cuda(), uneven_graph(200));
  expect_colours(evenly::cuda(), complete_graph(66));
}

} // namespace
} // namespace evenly::graph_tests
