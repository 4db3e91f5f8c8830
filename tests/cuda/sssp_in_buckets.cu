// SPDX-License-Identifier: Apache-2.0
// sssp by buckets on a GPU: graph/bucket_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "graph/bucket_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ReducedSsspInBucketsOnCuda, KeepsTheLaws) {
  for (const auto& [g, source] : graphs_of_all_kinds())
    expect_every_way<int, int>(cuda(), g, source, [](int weight) { return weight; });
}

TEST(ReducedSsspInBucketsOnCuda, KeepsTheLawsOf64Bits) {
  const auto lost = [](int weight) { return weight == 1 ? 1e17 : static_cast<double>(weight) * 1e-3; };
  for (const auto& [g, source] : graphs_of_all_kinds())
    expect_sssp("automatic", bucket_search<double, double>(cuda()), converted<double>(g, lost), source);
}

} // namespace
} // namespace evenly::graph_tests
