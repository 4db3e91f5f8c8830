// SPDX-License-Identifier: Apache-2.0
// Searches that go together, on the simulated GPU: the code of the GPU, in several interleavings.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/together_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsTogetherOnSimt, FindsWhatSearchesFindOneByOne) {
  for (const graphs::together_rule& rule : {graphs::together_rule{}, only_down, only_up})
    expect_together_everywhere(simt(), {rule, {2, 64}, rule.alpha > 0});
}

TEST(BfsTogetherOnSimt, FindsTheSameInAnyInterleaving) {
  for (const int warp_size : {1, 4, 64})
    for (const std::uint64_t seed : {1, 2}) {
      const simt exec({.warp_size = warp_size, .seed = seed});
      for (const graphs::together_rule& rule : {only_down, only_up})
        expect_together<std::int8_t>(exec, uneven_graph(500), 30, {rule, {3, 40}});
    }
}

TEST(BfsTogetherOnSimt, DoesGiants) {
  for (const graphs::together_rule& rule : {only_down, only_up})
    expect_together<std::int8_t>(simt(), graph_of_giants(1500), 64, {rule, {2, 100}});
}

/// 112 bytes for each vertex with levels of 8 bits, 176 with levels of 16: of a search and a vertex 1.75 and 2.75.
TEST(BfsTogetherOnSimt, TakesAWordForEachBitOfALevel) {
  const simt exec;
  const int vertices = 40'000; // so many that a level of 16 bits needs all of them
  const graph on(exec, star_graph(vertices).view());
  const std::vector<int> sources{0};
  const auto bytes_with = [&]<class Level>(Level) {
    bfs_together searches(exec, on.view(), false, {}, {2, 64});
    const auto levels = make_buffer<Level>(exec, vertices);
    searches.run(std::span(sources), levels.span());
    return searches.bytes();
  };
  constexpr std::size_t else_at_most = 2048;
  for (const auto& [bytes, of_vertex] : {std::pair{bytes_with(std::int8_t{}), std::size_t{112}},
                                         std::pair{bytes_with(std::int16_t{}), std::size_t{176}}}) {
    EXPECT_GE(bytes, of_vertex * vertices);
    EXPECT_LE(bytes, of_vertex * vertices + else_at_most);
  }
}

TEST(BfsTogetherOnSimt, FindsTheSameWhereThreadsChangeAtAtomics) {
  const simt exec({.warp_size = 8, .seed = 4, .switch_at_atomics = true});
  for (const graphs::together_rule& rule : {only_down, only_up})
    expect_together<std::int8_t>(exec, uneven_graph(200), 64, {rule, {3, 24}});
}

} // namespace
} // namespace evenly::graph_tests
