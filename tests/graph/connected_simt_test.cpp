// SPDX-License-Identifier: Apache-2.0
// connected_components on the simulated GPU.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/connected_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ConnectedComponentsOnSimt, KeepTheLaws) {
  for (const std::uint64_t seed : {0, 3, 5, 8}) {
    const simt exec({.warp_size = 8, .seed = seed});
    for (const test_graph<int>& g :
         {uneven_graph(150), star_graph(90), grid_graph(19, 17), chain_of_rings(12, 3),
          chain_of_stars(3, 40, false), chain_of_stars(3, 40, true), random_graph(80, 60, 1),
          graph_of("a loop", 1, {{0, 0, 1}}), graph_of("no vertex", 0, {})})
      expect_connected(exec, g);
  }
}

} // namespace
} // namespace evenly::graph_tests
