// SPDX-License-Identifier: Apache-2.0
// Simultaneous searches on the CPU: the results of serial searches, both kinds of levels, refusals.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "graph/together_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsTogether, FindsWhatSearchesFindOneByOne) {
  for (const int blocks : {0, 1, 3})
    for (const graphs::together_rule& rule : {graphs::together_rule{}, only_down, only_up})
      expect_together_everywhere(cpu(2), {rule, {blocks, 0}, rule.alpha > 0});
}

TEST(BfsTogether, GoesBothWays) {
  const cpu exec(2);
  EXPECT_EQ(expect_together<std::int16_t>(exec, grid_graph(30, 20), 64, {only_down, {2, 0}}).bottom_up, 0);
  const graphs::together_totals up =
      expect_together<std::int16_t>(exec, grid_graph(30, 20), 64, {only_up, {2, 0}});
  EXPECT_EQ(up.bottom_up, up.levels);
  const graphs::together_totals both =
      expect_together<std::int16_t>(exec, uneven_graph(5000), 2, {{}, {2, 0}});
  EXPECT_GT(both.bottom_up, 0);
  EXPECT_LT(both.bottom_up, both.levels);
}

TEST(BfsTogether, DoesGiants) {
  for (const graphs::together_rule& rule : {graphs::together_rule{}, only_down, only_up})
    expect_together<std::int8_t>(cpu(2), graph_of_giants(5000), 64, {rule, {3, 0}});
}

/// Levels that need every plane, and one more.
TEST(BfsTogether, CountsAsFarAsLevelsHold) {
  const cpu exec(2);
  EXPECT_EQ(expect_together<std::int8_t>(exec, path_graph(128), 64).levels,
            expect_together<std::int32_t>(exec, path_graph(128), 64).levels);
  const test_graph<int> g = path_graph(130);
  for (const graphs::together_rule& rule : {only_down, only_up}) {
    graph on(exec, g.view());
    on.make_in_edges(exec);
    bfs_together searches(exec, on.view(), false, rule);
    std::vector<std::int8_t> levels(130);
    const std::vector<int> second{2}, first{0};
    searches.run(std::span(second), std::span(levels));
    EXPECT_EQ(searches.totals().levels, 128);
    EXPECT_EQ(levels[129], 127);
    EXPECT_EQ(levels[1], -1);
    searches.run(std::span(first), std::span(levels));
    EXPECT_EQ(message_of<invalid_argument>([&] { (void)searches.totals(); }),
              "the search has more than 128 levels, too many for their type: use a wider one");
    searches.run(std::span(second), std::span(levels));
    EXPECT_EQ(levels[129], 127);
  }
}

TEST(BfsTogether, CountsBy64Bits) {
  const auto g = converted<int, std::int64_t>(uneven_graph(500), [](int weight) { return weight; });
  for (const graphs::together_rule& rule : {only_down, only_up})
    expect_together<std::int16_t>(cpu(2), g, 64, {rule, {2, 0}});
}

TEST(BfsTogether, RefusesWhatCannotBe) {
  const cpu exec(1);
  const test_graph<int> g = path_graph(4);
  bfs_together searches(exec, g.view());
  std::vector<std::int8_t> levels(8);
  const auto refused = [&](const std::vector<int>& sources) {
    return message_of<invalid_argument>([&] { searches.run(std::span(sources), std::span(levels)); });
  };
  EXPECT_EQ(refused({}), "0 sources: 1 to 64 searches go together");
  EXPECT_EQ(refused(std::vector<int>(65)), "65 sources: 1 to 64 searches go together");
  EXPECT_EQ(refused({0, 4}), "source 4 is not a vertex: vertices are numbered from 0 to 3");
  EXPECT_EQ(refused({0, 1, 2}), "levels has 8 elements: 3 searches of 4 vertices need 12");
  std::vector<int> parents(4);
  const auto no_parents = [&](const std::vector<int>& sources, int which, int size) {
    return message_of<invalid_argument>([&] {
      graphs::parents_from_levels(exec, merge_path{}, g.view(), std::span(levels), sources, which,
                                  std::span(parents).first(static_cast<std::size_t>(size)));
    });
  };
  EXPECT_EQ(no_parents({0, 1}, 2, 4), "search 2: there are 2");
  EXPECT_EQ(no_parents({0, 1}, -1, 4), "search -1: there are 2");
  EXPECT_EQ(no_parents({0, 1}, 0, 3), "parents has 3 elements, but the graph has 4 vertices");
  EXPECT_EQ(no_parents({0}, 0, 4), "levels has 8 elements: 1 searches of 4 vertices have 4");
  const graph_view<> many{{5, std::numeric_limits<int>::max() - 4095}};
  EXPECT_EQ(message_of<invalid_argument>([&] { bfs_together(exec, many); }),
            "2147479552 edges: a search needs 64-bit edge numbers from 2147479552 on");
}

} // namespace
} // namespace evenly::graph_tests
