// SPDX-License-Identifier: Apache-2.0
// The atomic operations of pools, as simt counts them: one worker of 8 lanes, whose tasks are all its own.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/fork_join.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "evenly/tasks/scalable_queue.hpp"
#include "evenly/tasks/static_list.hpp"
#include "evenly/tasks/ticket_ring.hpp"
#include "evenly/trace/trace.hpp"
#include "tasks/joined_searches.hpp"
#include "tasks/searches.hpp"

namespace evenly {
namespace {

struct cost {
  std::int64_t tasks;
  std::int64_t atomics;
};
template <class Options, class Run> cost cost_by(const Run& run) {
  trace counts;
  simt_options options;
  options.warp_size = 8;
  options.trace = &counts;
  Options one_worker;
  one_worker.blocks = 1;
  one_worker.block_size = 8;
  const task_report done = run(simt(options), one_worker);
  EXPECT_EQ(done.run, 3193);
  return {done.run, counts.totals().atomics};
}
template <class Pool> cost cost_of(const Pool& pool) {
  return cost_by<task_options>([&](const simt& exec, const task_options& options) {
    return run_tasks(exec, pool, std::vector<int>{16}, searches::fibonacci{}, options);
  });
}

TEST(TaskCosts, KeptTasksCostNoAtomicOperations) {
  const cost of = cost_of(batched_stealing{});
  EXPECT_LT(of.atomics, of.tasks / 16) << "looks at the grid's mask and at the run's outcome, now and then";
}
TEST(TaskCosts, AListCostsTwoForEachBatch) {
  const cost of = cost_of(static_list{});
  EXPECT_LT(of.atomics, of.tasks / 8 * 2 + 1500) << "and each round a few for each thread";
}
TEST(TaskCosts, ARingCostsFourForEachTaskAndAFewForEachBatch) {
  const cost of = cost_of(ticket_ring{});
  EXPECT_LT(of.atomics, of.tasks * 5 + of.tasks / 8 * 10 + 500);
}
TEST(TaskCosts, AScalableQueueCostsSixForEachTaskAndAFewForEachBatch) {
  const cost of = cost_of(scalable_queue{});
  EXPECT_LT(of.atomics, of.tasks * 6 + of.tasks / 8 * 14 + 500);
}
TEST(TaskCosts, AJoinCostsOneForEachChild) {
  const cost of = cost_by<join_options>([](const simt& exec, const join_options& options) {
    std::vector<std::uint64_t> found(1);
    return run_fork_join(exec, batched_stealing{}, std::vector<int>{16}, searches::joined_fibonacci{}, found,
                         options);
  });
  EXPECT_GE(of.atomics, of.tasks - 1);
  EXPECT_LT(of.atomics, of.tasks + of.tasks / 16) << "and batches of frames, and what the pool costs";
}

} // namespace
} // namespace evenly
