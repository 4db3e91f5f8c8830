// SPDX-License-Identifier: Apache-2.0
// bfs on pools of tasks on a GPU: graph/bfs_task_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/ticket_ring.hpp"
#include "graph/bfs_task_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsOnTasksOnCuda, KeepsTheLaws) {
  expect_bfs_on_tasks_everywhere(evenly::cuda(), ticket_ring{});
  expect_bfs_on_tasks_everywhere(evenly::cuda(), batched_stealing{});
}

/// For tools that take long.
TEST(ReducedBfsOnTasksOnCuda, KeepsTheLaws) {
  expect_bfs_on_tasks(evenly::cuda(), ticket_ring{}, uneven_graph(120), 0);
}

} // namespace
} // namespace evenly::graph_tests
