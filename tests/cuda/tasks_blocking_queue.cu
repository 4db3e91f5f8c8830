// SPDX-License-Identifier: Apache-2.0
// blocking_queue on a GPU.

#include "evenly/tasks/blocking_queue.hpp"

#include <gtest/gtest.h>

#include "cuda/task_pool_tests.hpp"

namespace evenly {
namespace {

TEST(ReducedBlockingQueue, KeepsTheLaws) { task_laws::expect_few_on_cuda(blocking_queue{}); }
TEST(BlockingQueueOnCuda, KeepsTheLaws) { task_laws::expect_many_on_cuda(blocking_queue{}); }

} // namespace
} // namespace evenly
