// SPDX-License-Identifier: Apache-2.0
// Timelines of workers: the parts of a run that outlasts them.

#include <cstdint>
#include <iterator>
#include <numeric>

#include <gtest/gtest.h>

#include "evenly/tasks/report.hpp"

namespace evenly {
namespace {

using tasks::worker_timeline;

std::int64_t idle_of(const worker_timeline& timeline) {
  return std::accumulate(std::begin(timeline.idle), std::end(timeline.idle), std::int64_t{0});
}

TEST(WorkerTimeline, PartsDoubleWhenTheRunOutlastsThem) {
  worker_timeline timeline{.begin = 5'000'000};
  const std::int64_t length = timeline.part_length();
  timeline.add_idle(timeline.begin + length / 2, timeline.begin + 3 * length);
  EXPECT_EQ(timeline.idle[0], length / 2);
  EXPECT_EQ(timeline.idle[1], length);
  EXPECT_EQ(timeline.idle[2], length);
  EXPECT_EQ(timeline.idle[3], 0);
  const std::int64_t last = worker_timeline::parts * length;
  timeline.add_idle(timeline.begin + last - 1, timeline.begin + last); // the end of the last part
  EXPECT_EQ(timeline.part_length(), length);
  timeline.add_idle(timeline.begin + 3 * last, timeline.begin + 3 * last + 7);
  EXPECT_EQ(timeline.part_length(), 4 * length);
  EXPECT_EQ(timeline.idle[0], length / 2 + 2 * length);
  EXPECT_EQ(timeline.idle[worker_timeline::parts / 4 - 1], 1);
  EXPECT_EQ(timeline.idle[3 * worker_timeline::parts / 4], 7);
  EXPECT_EQ(idle_of(timeline), length / 2 + 2 * length + 1 + 7);
}

} // namespace
} // namespace evenly
