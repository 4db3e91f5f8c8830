// SPDX-License-Identifier: Apache-2.0
// bfs on the CPU: the laws under a schedule of each form of sharing, closed forms, and refusals; and on the
// simulated GPU, in several interleavings.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/graph/frontier_loop.hpp"
#include "evenly/graph/searches.hpp"
#include "graph/search_laws.hpp"
#include "support/messages.hpp"
#include "support/sanitized.hpp"
#include "support/schedules.hpp"

namespace evenly::graph_tests {
namespace {

TEST(Bfs, KeepsTheLawsUnderEveryFormOfSharing) {
  const cpu exec(3);
  for_each_form_on<cpu>([&]<class Schedule>(const char* name, const Schedule& schedule) {
    if constexpr (graphs::takes_frontiers<Schedule, cpu, int, int>)
      expect_bfs_everywhere(name, bfs_under(exec, schedule));
  });
}

const search<int>& any_bfs() {
  static const search<int> found = bfs_under(cpu(2), merge_path<>{});
  return found;
}

TEST(Bfs, FindsWhatClosedFormsSay) {
  const auto levels = [](const test_graph<int>& g, int source) { return any_bfs()(g, source).values; };
  for (const int v : {0, 1, 17, 39}) EXPECT_EQ(levels(path_graph(40), 0)[v], v);
  EXPECT_EQ(levels(path_graph(40), 39)[38], -1);
  EXPECT_EQ(levels(star_graph(100), 5)[6], 2);
  EXPECT_EQ(levels(complete_graph(9), 3), (std::vector<int>{1, 1, 1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(levels(two_cliques(8), 0)[15], 3);
  const std::vector<int> grid = levels(grid_graph(30, 20), 0), tree = levels(binary_tree(1023), 0);
  for (int v = 0; v < 600; ++v) EXPECT_EQ(grid[v], v % 30 + v / 30);
  for (int v = 0, level = 0; v < 1023; ++v) {
    if (v + 1 == 2 << level) ++level;
    EXPECT_EQ(tree[v], level);
  }
}

/// A level for each vertex.
TEST(Bfs, GoesAlongALongPath) {
  const int vertices = sanitized ? 20'000 : 1'000'000; // each level is a launch
  const auto found = any_bfs()(path_graph(vertices), 0);
  EXPECT_EQ(found.frontiers_reported, vertices);
  for (int v = 0; v < vertices; ++v)
    ASSERT_TRUE(found.values[v] == v && found.parents[v] == std::max(v - 1, 0));
}

TEST(Bfs, ParentsAreThoseOfLowestNumber) {
  EXPECT_EQ(any_bfs()(grid_graph(3, 2), 0).parents, (std::vector<int>{0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(any_bfs()(grid_graph(3, 2), 5).parents, (std::vector<int>{1, 2, 5, 4, 5, 5}));
}

TEST(Bfs, CountsBy64Bits) {
  const auto run = [](const test_graph<int, std::int64_t>& g, std::int64_t source) {
    const cpu exec(2);
    return found_by<std::int64_t>(exec, g,
                                  [&](const auto& graph, auto levels, auto parents, const auto& report) {
                                    frontier_loop loop(exec, merge_path{}, graph.out);
                                    return bfs(exec, loop, source, levels, parents, report);
                                  });
  };
  const auto same = [](int weight) { return weight; };
  expect_bfs<int, std::int64_t>("64 bits", run, converted<int, std::int64_t>(uneven_graph(500), same), 0);
}

/// One loop for many sources, with parents and without.
TEST(Bfs, LoopsServeManySources) {
  const cpu exec(2);
  const test_graph<int> g = uneven_graph(400);
  const graph on(exec, g.view());
  frontier_loop loop(exec, merge_path{}, on.view().out);
  const auto levels = make_buffer<int>(exec, 400);
  for (const int source : {0, 399, 13, 14}) {
    bfs(exec, loop, source, levels.span());
    EXPECT_EQ(to_host(exec, levels), levels_by_queue(g, source));
  }
}

TEST(Bfs, RefusesWhatCannotBe) {
  const cpu exec(1);
  const test_graph<int> g = path_graph(4);
  const auto refused = [&](int source, std::size_t levels, std::size_t parents) {
    const auto a = make_buffer<int>(exec, levels), b = make_buffer<int>(exec, parents);
    return message_of<invalid_argument>(
        [&] { bfs(g.view(), source, a.span(), b.span(), on(exec).with(merge_path{})); });
  };
  EXPECT_EQ(refused(4, 4, 4), "source 4 is not a vertex: vertices are numbered from 0 to 3");
  EXPECT_EQ(refused(-1, 4, 4), "source -1 is not a vertex: vertices are numbered from 0 to 3");
  EXPECT_EQ(refused(0, 3, 4), "levels has 3 elements, but the graph has 4 vertices");
  EXPECT_EQ(refused(0, 4, 5), "parents has 5 elements, but the graph has 4 vertices");
  const test_graph<int> none = graph_of("nothing", 0, {});
  EXPECT_EQ(message_of<invalid_argument>([&] { bfs(none.view(), 0, on(exec).with(merge_path{})); }),
            "source 0 is not a vertex: the graph has none");
}

TEST(BfsOnSimt, KeepsTheLawsUnderEveryFormOfSharing) {
  const simt exec({.warp_size = 32, .seed = 1});
  for_each_form_on<simt>([&]<class Schedule>(const char* name, const Schedule& schedule) {
    if constexpr (graphs::takes_frontiers<Schedule, simt, int, int>) {
      const search<int> run = bfs_under(exec, schedule);
      expect_bfs(name, run, uneven_graph(400), 0);
      expect_bfs(name, run, star_graph(300), 7);
    }
  });
}

TEST(BfsOnSimt, FindsTheSameInAnyInterleaving) {
  for (const std::uint64_t seed : {0, 2, 3}) {
    const simt exec({.warp_size = 8, .seed = seed, .threads = 2});
    expect_bfs_everywhere("merge_path", bfs_under(exec, merge_path<>{}));
  }
}

} // namespace
} // namespace evenly::graph_tests
