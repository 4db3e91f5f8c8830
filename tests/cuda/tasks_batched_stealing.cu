// SPDX-License-Identifier: Apache-2.0
// batched_stealing on a GPU.

#include "evenly/tasks/batched_stealing.hpp"

#include <gtest/gtest.h>

#include "cuda/task_pool_tests.hpp"

namespace evenly {
namespace {

TEST(ReducedBatchedStealing, KeepsTheLaws) { task_laws::expect_few_on_cuda(batched_stealing{}); }
TEST(BatchedStealingOnCuda, KeepsTheLaws) { task_laws::expect_many_on_cuda(batched_stealing{}); }

} // namespace
} // namespace evenly
