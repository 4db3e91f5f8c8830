// SPDX-License-Identifier: Apache-2.0
// blocking_queue: the laws of pools.

#include "evenly/tasks/blocking_queue.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

TEST(BlockingQueue, KeepsTheLawsOnCpu) { expect_laws_on_cpu(blocking_queue{}); }
TEST(BlockingQueue, KeepsTheLawsOnSimt) {
  expect_laws_on_simt(blocking_queue{}, 24);
  expect_answers_on_simt(blocking_queue{});
}
TEST(BlockingQueue, KeepsTheLawsInManyInterleavings) { expect_interleavings(blocking_queue{}, 1000); }
TEST(BlockingQueue, EndsByExceptions) { expect_exceptions(blocking_queue{}); }
TEST(BlockingQueue, RefusesWhatCannotBe) { expect_refusals(blocking_queue{}); }

} // namespace
} // namespace evenly
