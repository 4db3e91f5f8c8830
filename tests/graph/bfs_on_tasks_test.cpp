// SPDX-License-Identifier: Apache-2.0
// bfs on pools of tasks, on the CPU and on the simulated GPU: what bfs finds from level to level.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/tasks/registry.hpp"
#include "graph/bfs_task_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsOnTasks, KeepsTheLawsUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    expect_bfs_on_tasks(cpu(3), pool, uneven_graph(300), 0);
    expect_bfs_on_tasks(cpu(1), pool, grid_graph(30, 20), 7);
  });
  expect_bfs_on_tasks_everywhere(cpu(2), ticket_ring{});
  expect_bfs_on_tasks_everywhere(cpu(2), batched_stealing{});
}

TEST(BfsOnTasks, KeepsTheLawsOnSimt) {
  for (const std::uint64_t seed : {0, 3, 5}) {
    const simt exec({.warp_size = 8, .seed = seed});
    expect_bfs_on_tasks(exec, ticket_ring{}, uneven_graph(150), 0);
    expect_bfs_on_tasks(exec, stealing{}, star_graph(60), 5);
  }
}

TEST(BfsOnTasks, LevelsHaveAClosedForm) {
  const cpu exec(2);
  const auto levels_of = [&](const test_graph<int>& g, int source) {
    return found_by<int>(exec, g,
                         [&](const auto& graph, auto levels, auto, const auto&) { // without parents
                           return bfs_on_tasks(exec, ticket_ring{}, graph, source, levels).left();
                         })
        .values;
  };
  const std::vector<int> path = levels_of(path_graph(20'000), 0), star = levels_of(star_graph(5000), 5),
                         grid = levels_of(grid_graph(60, 40), 0);
  for (int v = 0; v < 20'000; ++v) ASSERT_EQ(path[static_cast<std::size_t>(v)], v);
  EXPECT_EQ(star[6], 2);
  for (int v = 0; v < 2400; ++v) ASSERT_EQ(grid[static_cast<std::size_t>(v)], v % 60 + v / 60);
}

TEST(BfsOnTasks, CountsBy64Bits) {
  const auto same = [](int weight) { return weight; };
  expect_bfs_on_tasks<cpu, ticket_ring, std::int64_t>(
      cpu(2), ticket_ring{}, converted<int, std::int64_t>(uneven_graph(500), same), 0);
}

TEST(BfsOnTasks, RefusesWhatCannotBe) {
  const cpu exec(1);
  const test_graph<int> g = path_graph(4);
  const auto refused = [&](int source, std::size_t levels, std::size_t parents) {
    const auto a = make_buffer<int>(exec, levels), b = make_buffer<int>(exec, parents);
    return message_of<invalid_argument>(
        [&] { bfs_on_tasks(exec, ticket_ring{}, g.view(), source, a.span(), b.span()); });
  };
  EXPECT_EQ(refused(4, 4, 4), "source 4 is not a vertex: vertices are numbered from 0 to 3");
  EXPECT_EQ(refused(0, 3, 4), "levels has 3 elements, but the graph has 4 vertices");
  EXPECT_EQ(refused(0, 4, 5), "parents has 5 elements, but the graph has 4 vertices");
}

} // namespace
} // namespace evenly::graph_tests
