// SPDX-License-Identifier: Apache-2.0
// sssp by buckets on a GPU: graph/bucket_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/bucket_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SsspInBucketsOnCuda, KeepsTheLaws) {
  for (const auto& [g, source] : graphs_of_all_kinds())
    expect_every_way<int, int>(evenly::cuda(), g, source, [](int weight) { return weight; });
}

/// Small graphs are wide ones here, lists are cut and run out of chunks, and blocks go on by themselves.
TEST(SsspInBucketsOnCuda, KeepsTheLawsWhereAllIsSmall) {
  const auto run = bucket_search<int, int>(evenly::cuda(), {}, detail::path_tuning::small());
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_sssp("small", run, g, source);
}

/// For tools that take long.
TEST(ReducedSsspInBucketsOnCuda, KeepsTheLaws) {
  for (const auto& tuning : {detail::path_tuning::of<evenly::cuda>(), detail::path_tuning::small()}) {
    const auto run = bucket_search<int, int>(evenly::cuda(), {}, tuning);
    expect_sssp("reduced", run, uneven_graph(120), 0);
    expect_sssp("reduced", run, circles_of_zeros(), 8);
  }
}

} // namespace
} // namespace evenly::graph_tests
