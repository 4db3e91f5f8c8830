// SPDX-License-Identifier: Apache-2.0
// Searches that go together, on the simulated GPU: the code of the GPU, in several interleavings.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/together_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsTogetherOnSimt, FindsWhatSearchesFindOneByOne) {
  for (const together_rule& rule : {together_rule{}, only_down, only_up})
    expect_together_everywhere(simt(), {rule, {2, 64}, rule.alpha > 0});
}

TEST(BfsTogetherOnSimt, FindsTheSameInAnyInterleaving) {
  for (const int warp_size : {1, 4, 64})
    for (const std::uint64_t seed : {1, 2}) {
      const simt exec({.warp_size = warp_size, .seed = seed});
      for (const together_rule& rule : {only_down, only_up})
        expect_together<std::int8_t>(exec, uneven_graph(500), 30, {rule, {3, 40}});
    }
}

TEST(BfsTogetherOnSimt, DoesGiants) {
  for (const together_rule& rule : {only_down, only_up})
    expect_together<std::int8_t>(simt(), graph_of_giants(1500), 64, {rule, {2, 100}});
}

TEST(BfsTogetherOnSimt, FindsTheSameWhereThreadsChangeAtAtomics) {
  const simt exec({.warp_size = 8, .seed = 4, .switch_at_atomics = true});
  for (const together_rule& rule : {only_down, only_up})
    expect_together<std::int8_t>(exec, uneven_graph(200), 64, {rule, {3, 24}});
}

} // namespace
} // namespace evenly::graph_tests
