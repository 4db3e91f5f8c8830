// SPDX-License-Identifier: Apache-2.0
// pagerank and core_numbers on the simulated GPU.

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/analysis_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(AnalysisOnSimt, KeepsTheLaws) {
  const simt exec({.warp_size = 32, .seed = 1});
  expect_pageranks(exec, small_graphs());
  expect_cores(exec, small_graphs());
  expect_cores(exec, {{complete_graph(12), 0}, {grid_graph(5, 4), 0}});
}

/// Sums are exact, so the order of threads changes nothing.
TEST(AnalysisOnSimt, FindsTheSameInAnyInterleaving) {
  const test_graph<int> g = uneven_graph(120);
  const auto want = pagerank(graph(cpu(1), g.view()), {.damping = 0.5, .weighted = true});
  for (unsigned seed = 1; seed < 4; ++seed) {
    const simt exec({.warp_size = 32, .seed = seed});
    auto scores = make_buffer<double>(exec, 120);
    const auto totals = pagerank(graph(exec, g.view()), scores.span(), {.damping = 0.5, .weighted = true});
    EXPECT_EQ(totals.iterations, want.iterations);
    const auto got = to_host(exec, scores);
    for (std::size_t v = 0; v < got.size(); ++v) EXPECT_DOUBLE_EQ(got[v], want.scores[v]);
    expect_core_numbers(exec, g);
  }
}

} // namespace
} // namespace evenly::graph_tests
