// SPDX-License-Identifier: Apache-2.0
// batched_stealing: the laws of pools.

#include "evenly/tasks/batched_stealing.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

TEST(BatchedStealing, KeepsTheLawsOnCpu) { expect_laws_on_cpu(batched_stealing{}); }
TEST(BatchedStealing, KeepsTheLawsOnSimt) {
  expect_laws_on_simt(batched_stealing{}, 24);
  expect_answers_on_simt(batched_stealing{});
}
TEST(BatchedStealing, KeepsTheLawsInManyInterleavings) { expect_interleavings(batched_stealing{}, 1000); }
TEST(BatchedStealing, EndsByExceptions) { expect_exceptions(batched_stealing{}); }
TEST(BatchedStealing, RefusesWhatCannotBe) { expect_refusals(batched_stealing{}); }

} // namespace
} // namespace evenly
