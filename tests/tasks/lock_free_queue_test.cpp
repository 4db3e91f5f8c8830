// SPDX-License-Identifier: Apache-2.0
// lock_free_queue: the laws of pools.

#include "evenly/tasks/lock_free_queue.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

TEST(LockFreeQueue, KeepsTheLawsOnCpu) { expect_laws_on_cpu(lock_free_queue{}); }
TEST(LockFreeQueue, KeepsTheLawsOnSimt) {
  expect_laws_on_simt(lock_free_queue{}, 24);
  expect_answers_on_simt(lock_free_queue{});
}
TEST(LockFreeQueue, KeepsTheLawsInManyInterleavings) { expect_interleavings(lock_free_queue{}, 1000); }
TEST(LockFreeQueue, EndsByExceptions) { expect_exceptions(lock_free_queue{}); }
TEST(LockFreeQueue, RefusesWhatCannotBe) { expect_refusals(lock_free_queue{}); }

} // namespace
} // namespace evenly
