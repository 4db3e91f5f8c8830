// SPDX-License-Identifier: Apache-2.0
// scalable_queue: the laws of pools.

#include "evenly/tasks/scalable_queue.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

EVENLY_TEST_POOL(ScalableQueue, scalable_queue)

} // namespace
} // namespace evenly
