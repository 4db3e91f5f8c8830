// SPDX-License-Identifier: Apache-2.0
// sssp on pools of tasks on a GPU: graph/task_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "evenly/tasks/ticket_ring.hpp"
#include "graph/task_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ReducedSsspOnTasksOnCuda, KeepsTheLaws) {
  expect_sssp_everywhere("ticket_ring", task_search<int, int>(evenly::cuda(), ticket_ring{}),
                         [](int weight) { return weight; });
}

} // namespace
} // namespace evenly::graph_tests
