// SPDX-License-Identifier: Apache-2.0
// lock_free_queue: the laws of pools.

#include "evenly/tasks/lock_free_queue.hpp"

#include <string>

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

EVENLY_TEST_POOL(LockFreeQueue, lock_free_queue)

TEST(LockFreeQueue, KeepsTheLawsAtEveryInterval) {
  for (const int lazy : {1, 2, 256}) {
    SCOPED_TRACE("lazy = " + std::to_string(lazy));
    task_laws::expect_laws_on_simt(lock_free_queue{.lazy = lazy}, 3);
    task_laws::expect_interleavings(lock_free_queue{.lazy = lazy}, 200);
  }
}

} // namespace
} // namespace evenly
