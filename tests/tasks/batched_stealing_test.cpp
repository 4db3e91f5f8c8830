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

/// The first task pushes eight tasks for a warp, which take much longer than a gift.
template <bool SaysSo> struct long_tasks {
  static constexpr int max_children = 8;
  static constexpr bool runs_long = SaysSo;
  using form = tasks::each_warp;
  template <class Team, class Sink> void operator()(Team& warp, int n, Sink& sink) const {
    if (n > 0)
      for (int i = 0; i < 500; ++i) warp.block().backoff();
    else if (warp.rank() == 0)
      for (int i = 1; i <= max_children; ++i) sink.push(i);
  }
};
template <bool SaysSo> task_report run_long_tasks(int warps) {
  simt_options of;
  of.warp_size = 4;
  return run_tasks(simt(of), batched_stealing{}, std::vector<int>{0}, long_tasks<SaysSo>{},
                   blocks_of(16 / warps, 4 * warps));
}
TEST(BatchedStealing, SpreadsLongTasksBeforeTheyRun) {
  for (const int warps : {1, 4}) {
    const task_report report = run_long_tasks<true>(warps);
    ASSERT_EQ(report.workers.size(), 16u);
    for (std::size_t i = 0; i < report.workers.size(); ++i)
      EXPECT_LE(report.workers[i].run, i == 0 ? 3 : 2) << "worker " << i << ", " << warps << " warps";
  }
  EXPECT_EQ(run_long_tasks<false>(1).workers[0].run, 9) << "short tasks are over before a request is read";
}

} // namespace
} // namespace evenly
