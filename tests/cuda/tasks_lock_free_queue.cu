// SPDX-License-Identifier: Apache-2.0
// lock_free_queue on a GPU.

#include "evenly/tasks/lock_free_queue.hpp"

#include <gtest/gtest.h>

#include "cuda/task_pool_tests.hpp"

namespace evenly {
namespace {

TEST(ReducedLockFreeQueue, KeepsTheLaws) { task_laws::expect_few_on_cuda(lock_free_queue{}); }
TEST(LockFreeQueueOnCuda, KeepsTheLaws) { task_laws::expect_many_on_cuda(lock_free_queue{}); }

} // namespace
} // namespace evenly
