// SPDX-License-Identifier: Apache-2.0
// Segment plans on cores and on the simulated GPU, and refusals.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "sparse/segment_plan_laws.hpp"
#include "support/messages.hpp"

namespace evenly::products {
namespace {

TEST(SegmentPlan, FollowsItsDefinitionsOnCores) {
  expect_segment_laws(cpu(2), {{20'000, 300}, {40, 90}, {0, 3}, {5, 1}}, {1, 3, 8}, "two cores");
}

TEST(SegmentPlan, FollowsItsDefinitionsOnSimt) {
  expect_segment_laws(simt({.warp_size = 32, .seed = 1}), {{900, 40}, {0, 3}}, {1, 5}, "simt");
}

TEST(SegmentPlan, PropagatesWhatIsNotANumber) {
  expect_segments_of_not_numbers(cpu(1));
  expect_segments_of_not_numbers(simt());
}

TEST(SegmentPlan, HasTheSameBitsAgain) {
  auto rows = random_rows(30'000, 50, 3, index_order::any, 8);
  for (float& each : rows.values) each /= 3;
  const cpu exec(3);
  auto plan = segments_by_index(exec, std::span<const std::int64_t>(rows.index), 50);
  const auto first = reduced<float, float>(exec, plan, rows, plus{});
  auto again = segments_by_index(exec, std::span<const std::int64_t>(rows.index), 50);
  EXPECT_EQ((reduced<float, float>(exec, again, rows, plus{})), first);
  EXPECT_EQ(softmax_of(exec, plan, rows), softmax_of(exec, again, rows));
}

TEST(SegmentPlan, RefusesWhatCannotBe) {
  const cpu exec;
  std::array<int, 4> index{0, 2, 1, 2};
  const auto said = [&](std::int64_t size) {
    return message_of<invalid_argument>([&] { segments_by_index(exec, std::span<const int>(index), size); });
  };
  EXPECT_EQ(said(2), "index[1] = 2: it must be in [0, 2), the number of segments");
  EXPECT_EQ(said(-1), "size = -1: it must be in [0, 2147483647)");
  auto plan = segments_by_index(exec, std::span<const int>(index), 3);
  index[3] = -5;
  EXPECT_EQ(said(3), "index[3] = -5: it must be in [0, 3), the number of segments");
  std::array<float, 16> memory{};
  const auto refusal = [&](const dense_view<float>& values, const dense_view<float>& out) {
    return message_of<invalid_argument>([&] { plan.reduce(plus{}, values, out); });
  };
  const auto rows = [&](int first, int count, int width) { return dense_rows(count, width, &memory[first]); };
  EXPECT_EQ(refusal(rows(0, 3, 1), rows(8, 3, 1)), "values has 3 rows: it must have 4");
  EXPECT_EQ(refusal(rows(0, 4, 1), rows(8, 4, 1)), "out has 4 rows: it must have 3");
  EXPECT_EQ(refusal(rows(0, 4, 2), rows(8, 3, 1)),
            "values has 2 columns and out has 1 columns: the numbers must be equal");
  EXPECT_EQ(refusal(rows(0, 4, 1), rows(3, 3, 1)),
            "out begins 12 bytes after the start of values and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal(dense_columns(4, 2, memory.data()), rows(8, 3, 2)),
            "values is by columns: rows of features must be by rows");
  EXPECT_EQ(
      message_of<invalid_argument>([&] { plan.softmax(rows(0, 4, 1), rows(1, 4, 1)); }),
      "out begins 4 bytes after the start of values and overlaps it: they must be the same or disjoint");
  const std::array<int, 3> offsets{0, 2, 5};
  EXPECT_EQ(
      message_of<invalid_argument>([&] { segments_by_offsets(exec, std::span<const int>(offsets), 4); }),
      "the segments go from 0 to 5, but there are 4 values: offsets must be at least 0 and at most the "
      "number of values");
}

} // namespace
} // namespace evenly::products
