// SPDX-License-Identifier: Apache-2.0
// batched_stealing: the laws of pools.

#include "evenly/tasks/batched_stealing.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

EVENLY_TEST_POOL(BatchedStealing, batched_stealing)
TEST(BatchedStealing, KeepsTheLawsAtEitherInterval) {
  for (const bool each : {false, true})
    expect_laws_on_simt(batched_stealing{.gives_after_each_burst = each}, 6);
}

/// The first task pushes eight tasks for a warp, which take much longer than a gift.
struct long_tasks {
  static constexpr int max_children = 8;
  using form = tasks::each_warp;
  template <class Team, class Sink> void operator()(Team& warp, int n, Sink& sink) const {
    if (n > 0)
      for (int i = 0; i < 500; ++i) warp.block().backoff();
    else if (warp.rank() == 0)
      for (int i = 1; i <= max_children; ++i) sink.push(i);
  }
};
task_report run_long_tasks(const batched_stealing& pool, int warps) {
  simt_options of;
  of.warp_size = 4;
  return run_tasks(simt(of), pool, std::vector<int>{0}, long_tasks{}, blocks_of(16 / warps, 4 * warps));
}
TEST(BatchedStealing, SpreadsLongTasksBeforeTheyRun) {
  for (const int warps : {1, 4}) {
    const task_report report = run_long_tasks({}, warps);
    ASSERT_EQ(report.workers.size(), 16u);
    for (std::size_t i = 0; i < report.workers.size(); ++i)
      EXPECT_LE(report.workers[i].run, i == 0 ? 3 : 2) << "worker " << i << ", " << warps << " warps";
  }
  EXPECT_EQ(run_long_tasks({.gives_after_each_burst = false}, 1).workers[0].run, 9)
      << "no time to read requests";
}

} // namespace
} // namespace evenly
