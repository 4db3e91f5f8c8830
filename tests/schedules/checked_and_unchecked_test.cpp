// SPDX-License-Identifier: Apache-2.0
// Units of both kinds use one plan and one workspace in turn: none leaves it in use for the other.
#include "schedules/unchecked.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/for_each_atom.hpp"

namespace evenly {
namespace {

TEST(CheckedAndUnchecked, TakeTurnsWithAPlan) {
  const cpu exec;
  const std::vector<int> offsets{0, 3, 3, 8};
  std::vector<int> visits(8);
  shared_plan plan = make_plan(exec, merge_path<>{}, csr_tiles(offsets));
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_NO_THROW(for_each_atom(exec, plan, count_visits{visits.data()}));
    EXPECT_NO_THROW(visit_unchecked(exec, plan, {visits.data()}));
  }
  EXPECT_EQ(visits, std::vector<int>(8, 6));
}

TEST(CheckedAndUnchecked, TakeTurnsWithAWorkspace) {
  const cpu exec;
  const std::vector<int> numbers{1, 2, 3};
  workspace memory;
  for (int turn = 0; turn < 3; ++turn) {
    int sum = 0;
    EXPECT_NO_THROW(reduce(exec, numbers.data(), 3, plus<int>{}, &sum, memory));
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(sum_unchecked(exec, numbers.data(), 3, memory), 6);
  }
}

} // namespace
} // namespace evenly
