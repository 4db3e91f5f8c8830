// SPDX-License-Identifier: Apache-2.0
// betweenness on the simulated GPU.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/betweenness_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BetweennessOnSimt, KeepsTheLaws) {
  for (const std::uint64_t seed : {0, 3}) {
    const simt exec({.warp_size = 8, .seed = seed});
    for (const test_graph<int>& g :
         {graph_of("one vertex", 1, {}), grid_graph(5, 4), random_graph(40, 200, 1)})
      expect_betweenness(exec, g, {0, g.vertices() - 1});
    expect_betweenness(exec, chain_of_diamonds(20), {0});
    expect_betweenness(exec, star_graph(1200), {3}); // a vertex for a whole block
  }
}

TEST(BetweennessOnSimt, HasTheSameBitsForEverySeed) {
  const test_graph<int> g = uneven_graph(300);
  const std::vector<int> sources{0, 7};
  const std::vector<double> first = betweenness_on(simt({.warp_size = 32, .seed = 1}), g, sources);
  EXPECT_EQ(betweenness_on(simt({.warp_size = 32, .seed = 2}), g, sources), first);
}

} // namespace
} // namespace evenly::graph_tests
