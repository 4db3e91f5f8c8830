// SPDX-License-Identifier: Apache-2.0
// sssp on pools of tasks, on the CPU and on the simulated GPU: what sssp finds under a schedule.

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/ticket_ring.hpp"
#include "graph/task_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

const auto rounded = [](int weight) { return static_cast<float>(weight) * 0.1f; };
const auto long_sum = [](int weight) { return static_cast<double>(weight) * 0.1; };

TEST(SsspOnTasks, KeepsTheLaws) {
  expect_sssp_everywhere("ticket_ring", task_search<int, int>(cpu(2), ticket_ring{}), as_it_is);
  expect_sssp_everywhere("batched_stealing", task_search<float, float>(cpu(2), batched_stealing{}), rounded);
  expect_sssp_everywhere("ticket_ring", task_search<double, double>(cpu(2), ticket_ring{}), long_sum);
}

TEST(SsspOnTasks, KeepsTheLawsOnSimt) {
  for (const std::uint64_t seed : {0, 3}) {
    const simt exec({.warp_size = 8, .seed = seed});
    expect_sssp("ticket_ring", task_search<int, int>(exec, ticket_ring{}), uneven_graph(200), 0);
    expect_sssp("ticket_ring", task_search<int, int>(exec, ticket_ring{}), circles_of_zeros(), 8);
  }
}

TEST(SsspOnTasks, RefusesDistancesThatOverflow) {
  expect_overflow_refused(task_search<int, int>(cpu(2), ticket_ring{}), [](const test_graph<int>& g) {
    const cpu exec(1);
    const auto distances = make_buffer<int>(exec, static_cast<std::size_t>(g.vertices()));
    return message_of<invalid_argument>(
        [&] { sssp_on_tasks(exec, ticket_ring{}, g.view(), 0, distances.span()); });
  });
}

} // namespace
} // namespace evenly::graph_tests
