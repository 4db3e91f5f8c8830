// SPDX-License-Identifier: Apache-2.0
// lock_free_queue: the laws of pools.

#include "evenly/tasks/lock_free_queue.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

EVENLY_TEST_POOL(LockFreeQueue, lock_free_queue)

} // namespace
} // namespace evenly
