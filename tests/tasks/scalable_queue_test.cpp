// SPDX-License-Identifier: Apache-2.0
// scalable_queue: the laws of pools.

#include "evenly/tasks/scalable_queue.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

TEST(ScalableQueue, KeepsTheLawsOnCpu) { expect_laws_on_cpu(scalable_queue{}); }
TEST(ScalableQueue, KeepsTheLawsOnSimt) {
  expect_laws_on_simt(scalable_queue{}, 24);
  expect_answers_on_simt(scalable_queue{});
}
TEST(ScalableQueue, KeepsTheLawsInManyInterleavings) { expect_interleavings(scalable_queue{}, 1000); }
TEST(ScalableQueue, EndsByExceptions) { expect_exceptions(scalable_queue{}); }
TEST(ScalableQueue, RefusesWhatCannotBe) { expect_refusals(scalable_queue{}); }

} // namespace
} // namespace evenly
