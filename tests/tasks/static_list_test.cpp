// SPDX-License-Identifier: Apache-2.0
// static_list: the laws of pools, and its rounds.

#include "evenly/tasks/static_list.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

TEST(StaticList, KeepsTheLawsOnCpu) { expect_laws_on_cpu(static_list{}); }
TEST(StaticList, KeepsTheLawsOnSimt) {
  expect_laws_on_simt(static_list{}, 24);
  expect_answers_on_simt(static_list{});
}
TEST(StaticList, LaunchesKeepTheLaws) {
  expect_laws_on_cpu(static_list{.launches = true});
  expect_laws_on_simt(static_list{.launches = true}, 6);
}
TEST(StaticList, KeepsTheLawsInManyInterleavings) { expect_interleavings(static_list{}, 1000); }
TEST(StaticList, EndsByExceptions) { expect_exceptions(static_list{}); }
TEST(StaticList, RefusesWhatCannotBe) { expect_refusals(static_list{}); }

TEST(StaticList, LaunchesOnceForEachRound) {
  const std::vector<std::int64_t> first{0};
  EXPECT_EQ(run_tasks(cpu(), static_list{.launches = true}, first, searches::chain{17}).rounds, 17);
}

} // namespace
} // namespace evenly
