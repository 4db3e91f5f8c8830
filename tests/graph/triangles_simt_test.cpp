// SPDX-License-Identifier: Apache-2.0
// triangles on the simulated GPU.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/triangle_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(TrianglesOnSimt, KeepTheLaws) {
  for (const std::uint64_t seed : {0, 3}) {
    const simt exec({.warp_size = 8, .seed = seed});
    for (const test_graph<int>& g :
         {graph_of("no vertex", 0, {}), graph_of("one vertex", 1, {}), grid_graph(5, 4), two_cliques(6),
          clique_with_fringe(60, 30), uneven_graph(60)})
      expect_triangles(exec, g);
  }
}

} // namespace
} // namespace evenly::graph_tests
