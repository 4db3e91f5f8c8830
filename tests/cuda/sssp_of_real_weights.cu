// SPDX-License-Identifier: Apache-2.0
// sssp by buckets on a GPU, with distances that have no room for a parent beside them; and some that are lost in a sum.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/bucket_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ReducedSsspInBucketsOnCuda, KeepsTheLawsOfRealWeights) {
  const auto lost = [](int weight) { return weight == 1 ? 1e17 : static_cast<double>(weight) * 1e-3; };
  for (const auto& [g, source] : graphs_of_all_kinds())
    expect_sssp("automatic", bucket_search<double, double>(evenly::cuda()), converted<double>(g, lost),
                source);
}

} // namespace
} // namespace evenly::graph_tests
