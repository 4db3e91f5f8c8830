// SPDX-License-Identifier: Apache-2.0
// stealing on a GPU.

#include "evenly/tasks/stealing.hpp"

#include <gtest/gtest.h>

#include "cuda/task_pool_tests.hpp"

namespace evenly {
namespace {

TEST(ReducedStealing, KeepsTheLaws) { task_laws::expect_few_on_cuda(stealing{}); }
TEST(StealingOnCuda, KeepsTheLaws) { task_laws::expect_many_on_cuda(stealing{}); }

} // namespace
} // namespace evenly
