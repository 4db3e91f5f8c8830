// SPDX-License-Identifier: Apache-2.0
// simple_graph, pagerank and core_numbers on a GPU: graph/simple_graph_laws.hpp, graph/analysis_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/analysis_laws.hpp"
#include "graph/simple_graph_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(AnalysisOnCuda, KeepsTheLaws) {
  expect_simple_graphs(evenly::cuda());
  expect_pageranks(evenly::cuda());
  expect_pageranks(evenly::cuda(), small_graphs());
  expect_cores(evenly::cuda());
  expect_analysis_of_wide_graphs(evenly::cuda());
}

TEST(PagerankOnCuda, HasTheSameBitsWithHubsFirst) { expect_same_bits_with_hubs_first(evenly::cuda()); }

TEST(AnalysisOnCuda, HoldsOnLargerGraphs) {
  const test_graph<int> g = scattered_graph(50'000);
  expect_simple_graph(evenly::cuda(), g);
  expect_pagerank(evenly::cuda(), g, {.tolerance = 1e-9});
  expect_core_numbers(evenly::cuda(), g);
}

TEST(AnalysisOnCuda, RepeatsBits) {
  const evenly::cuda exec;
  const graph g(exec, uneven_graph(20'000).view());
  auto scores = make_buffer<double>(exec, 20'000);
  pagerank(g, scores.span(), {.weighted = true});
  const auto want = to_host(exec, scores);
  for (int run = 0; run < 5; ++run) {
    pagerank(g, scores.span(), {.weighted = true});
    EXPECT_EQ(to_host(exec, scores), want);
  }
}

/// For tools that take long.
TEST(ReducedAnalysisOnCuda, KeepsTheLaws) {
  expect_simple_graph(evenly::cuda(), uneven_graph(120));
  expect_pagerank(evenly::cuda(), uneven_graph(120), {.weighted = true});
  expect_core_numbers(evenly::cuda(), uneven_graph(120));
}

} // namespace
} // namespace evenly::graph_tests
