// SPDX-License-Identifier: Apache-2.0
// The balance of tasks that commands print: counts, and the share of time in which groups of workers were busy.

#include "tasks/balance.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/tasks/report.hpp"

namespace evenly {
namespace {

using tasks::worker_timeline;

TEST(TaskBalance, CountsLateAndAbsentWorkersAsIdle) {
  task_report report;
  report.run = 12;
  report.spins = 3;
  report.failed_cas = 2;
  const std::int64_t length = worker_timeline{}.part_length();
  report.workers = {{.run = 8}, {.run = 4}, {.run = 0}};
  report.timelines = {
      {.begin = 1000, .end = 1000 + 8 * length}, {.begin = 1000 + 4 * length, .end = 1000 + 8 * length}, {}};
  report.timelines[1].add_idle(1000 + 6 * length, 1000 + 8 * length);
  const tasks::task_balance found = tasks::balance_of(report);
  EXPECT_EQ(found.workers, 3);
  EXPECT_EQ(found.tasks_min, 0);
  EXPECT_EQ(found.tasks_mean, 4);
  EXPECT_EQ(found.tasks_max, 8);
  ASSERT_TRUE(found.profiled);
  EXPECT_EQ(found.profiled->spins, 3);
  EXPECT_EQ(found.profiled->failed_cas, 2);
  EXPECT_DOUBLE_EQ(found.profiled->idle, (0 + 6 + 8) / 24.0);
  EXPECT_EQ(found.busy, (std::vector<std::vector<int>>{{100, 100, 100, 100, 100, 100, 100, 100},
                                                       {0, 0, 0, 0, 100, 100, 0, 0},
                                                       {0, 0, 0, 0, 0, 0, 0, 0}}));
  EXPECT_EQ(found.ms_of_part, static_cast<double>(length) * 1e-6);
}

TEST(TaskBalance, HasRowsOfSeveralWorkers) {
  task_report report;
  report.workers.resize(40);
  report.timelines.resize(40, {.begin = 1000, .end = 5000});
  for (int worker = 0; worker < 20; ++worker) report.timelines[worker].add_idle(1000, 5000);
  const tasks::task_balance found = tasks::balance_of(report);
  ASSERT_EQ(found.busy.size(), std::size_t{tasks::task_balance::max_rows});
  EXPECT_EQ(found.busy.front().front(), 0);
  EXPECT_EQ(found.busy.back().front(), 100);
  EXPECT_DOUBLE_EQ(found.profiled->idle, 0.5);
}

TEST(TaskBalance, OfAPlainRunHasOnlyCounts) {
  task_report report;
  report.run = 3;
  report.workers = {{.run = 1}, {.run = 2}};
  const tasks::task_balance found = tasks::balance_of(report);
  EXPECT_EQ(found.tasks_max, 2);
  EXPECT_FALSE(found.profiled);
  EXPECT_TRUE(found.busy.empty());
  json::value result{{"ok", true}};
  tasks::add_balance(result, found);
  EXPECT_TRUE(result.contains("balance"));
  EXPECT_FALSE(result["balance"].contains("spins"));
  EXPECT_FALSE(result.contains("timeline"));
}

} // namespace
} // namespace evenly
