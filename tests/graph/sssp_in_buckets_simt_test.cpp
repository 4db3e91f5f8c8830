// SPDX-License-Identifier: Apache-2.0
// sssp by buckets on the simulated GPU, in several interleavings, also at atomic operations; and memory that turns
// out to be too little.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/bucket_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SsspInBucketsOnSimt, KeepsTheLawsInAnyInterleaving) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const simt exec({.warp_size = seed == 0 ? 32 : 8, .seed = seed});
    for (const auto& [g, source] : graphs_of_all_kinds())
      if (g.vertices() < 1000) expect_bucket_laws(exec, g, source);
    expect_bucket_laws(exec, uneven_graph(200), 0);
  }
}

TEST(SsspInBucketsOnSimt, ThreadsMayChangeOverAtAtomicOperations) {
  const simt exec({.warp_size = 4, .seed = 5, .switch_at_atomics = true});
  expect_bucket_laws(exec, uneven_graph(120), 0);
  expect_bucket_laws(exec, circles_of_zeros(), 8);
}

/// One search serves any number of sources, and takes more memory when it runs out of it.
TEST(SsspInBucketsOnSimt, BeginsAgainWithMoreMemory) {
  const simt exec;
  const test_graph<int> g = converted<int>(uneven_graph(300), [](int weight) { return weight; });
  auto tuning = detail::path_tuning::small();
  tuning.chunk_log = 0;
  tuning.cut_log = 0;
  tuning.min_room = 1;
  tuning.stage = 4;
  const auto view = g.view();
  sssp_buckets search(exec, view, graphs::path_settings{.delta = 1}, tuning);
  std::vector<int> distances(300), parents(300);
  for (const int source : {0, 11, 0}) {
    search.run(source, std::span(distances), parents);
    EXPECT_EQ(distances, distances_by_dijkstra<int>(g, source));
    EXPECT_EQ(graphs::wrong_with_sssp(g.view(), source, distances, parents).value_or(""), "");
  }
}

} // namespace
} // namespace evenly::graph_tests
