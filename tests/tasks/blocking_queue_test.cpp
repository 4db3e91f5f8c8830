// SPDX-License-Identifier: Apache-2.0
// blocking_queue: the laws of pools.

#include "evenly/tasks/blocking_queue.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

EVENLY_TEST_POOL(BlockingQueue, blocking_queue)

} // namespace
} // namespace evenly
