// SPDX-License-Identifier: Apache-2.0
// pagerank and core_numbers on the simulated GPU.

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/analysis_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(AnalysisOnSimt, KeepsTheLaws) {
  const simt exec({.warp_size = 32, .seed = 1});
  expect_pageranks(exec);
  expect_cores(exec);
}

/// Sums are exact, so the order of threads changes nothing.
TEST(AnalysisOnSimt, FindsTheSameInAnyInterleaving) {
  const test_graph<int> g = uneven_graph(400);
  const auto want = pagerank(graph(cpu(1), g.view()), {.weighted = true});
  for (unsigned seed = 1; seed < 5; ++seed) {
    const simt exec({.warp_size = 32, .seed = seed});
    auto scores = make_buffer<double>(exec, 400);
    const auto totals = pagerank(graph(exec, g.view()), scores.span(), {.weighted = true});
    EXPECT_EQ(totals.iterations, want.iterations);
    const auto got = to_host(exec, scores);
    for (std::size_t v = 0; v < got.size(); ++v) EXPECT_DOUBLE_EQ(got[v], want.scores[v]);
    expect_core_numbers(exec, g);
  }
}

} // namespace
} // namespace evenly::graph_tests
