// SPDX-License-Identifier: Apache-2.0
// dfs, reachable and strong_components on the simulated GPU.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/traversal_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(TraversalsOnSimt, KeepTheLaws) {
  for (const std::uint64_t seed : {0, 3, 5}) {
    const simt exec({.warp_size = 8, .seed = seed});
    for (const test_graph<int>& g :
         {uneven_graph(150), star_graph(90), grid_graph(9, 7), chain_of_rings(12, 3),
          random_graph(80, 120, 1), graph_of("a loop", 1, {{0, 0, 1}})})
      expect_traversals(exec, g, 0);
  }
}

} // namespace
} // namespace evenly::graph_tests
