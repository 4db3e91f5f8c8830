// SPDX-License-Identifier: Apache-2.0
// sssp by buckets on the simulated GPU, in several interleavings, also at atomic operations.

#include <cstdint>

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

} // namespace
} // namespace evenly::graph_tests
