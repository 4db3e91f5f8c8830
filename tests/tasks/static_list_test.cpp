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

EVENLY_TEST_POOL(StaticList, static_list)

TEST(StaticList, LaunchesKeepTheLaws) {
  expect_laws_on_cpu(static_list{.launches = true});
  expect_laws_on_simt(static_list{.launches = true}, 6);
}

TEST(StaticList, LaunchesOnceForEachRound) {
  const std::vector<std::int64_t> first{0};
  EXPECT_EQ(run_tasks(cpu(), static_list{.launches = true}, first, searches::chain{17}).rounds, 17);
}

} // namespace
} // namespace evenly
