// SPDX-License-Identifier: Apache-2.0
// Searches that go together, on a GPU: graph/together_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/together_laws.hpp"

namespace evenly::graph_tests {
namespace {

/// For tools that take long.
TEST(ReducedBfsTogetherOnCuda, FindsWhatSearchesFindOnSmallGraphs) {
  for (const graphs::together_rule& rule : {only_down, only_up})
    expect_together<std::int8_t>(cuda(), uneven_graph(200), 20, {rule, {2, 0}});
}

TEST(BfsTogetherOnCuda, FindsWhatSearchesFindOneByOne) {
  for (const graphs::together_rule& rule : {graphs::together_rule{}, only_down, only_up})
    expect_together_everywhere(cuda(), {rule, {}, rule.alpha > 0});
}

TEST(BfsTogetherOnCuda, FindsTheSameInOtherShapes) {
  for (const graphs::together_rule& rule : {only_down, only_up})
    expect_together<std::int8_t>(cuda(), graph_of_giants(3000), 64, {rule, {3, 0}});
}

TEST(BfsTogetherOnCuda, DoesLargerGraphs) {
  for (const graphs::together_rule& rule : {graphs::together_rule{}, only_down, only_up}) {
    expect_together<std::int8_t>(cuda(), uneven_graph(200000), 64, {rule});
    expect_together<std::int8_t>(cuda(), graph_of_giants(100000), 63, {rule});
    expect_together<std::int16_t>(cuda(), grid_graph(400, 300), 64, {rule});
  }
}

} // namespace
} // namespace evenly::graph_tests
