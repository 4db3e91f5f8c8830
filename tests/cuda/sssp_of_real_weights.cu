// SPDX-License-Identifier: Apache-2.0
// sssp by buckets on a GPU: distances that leave no bits for a parent, and weights too small to change a sum.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/bucket_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SsspInBucketsOnCuda, KeepsTheLawsOfRealWeights) {
  const auto lost = [](int weight) { return weight == 1 ? 1e17 : static_cast<double>(weight) * 1e-3; };
  for (const auto& [g, source] : graphs_of_all_kinds())
    expect_sssp("automatic", bucket_search<double, double>(evenly::cuda()), converted<double>(g, lost),
                source);
}

/// For tools that take long.
TEST(ReducedSsspInBucketsOnCuda, KeepsTheLawsOfRealWeights) {
  const auto g = converted<double>(uneven_graph(120), [](int weight) { return weight * 0.1; });
  expect_sssp("reduced", bucket_search<double, double>(evenly::cuda()), g, 0);
}

} // namespace
} // namespace evenly::graph_tests
