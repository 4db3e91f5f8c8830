// SPDX-License-Identifier: Apache-2.0
// static_list on a GPU.

#include "evenly/tasks/static_list.hpp"

#include <gtest/gtest.h>

#include "cuda/task_pool_tests.hpp"

namespace evenly {
namespace {

TEST(ReducedStaticList, KeepsTheLaws) { task_laws::expect_few_on_cuda(static_list{}); }
TEST(StaticListOnCuda, KeepsTheLaws) { task_laws::expect_many_on_cuda(static_list{}); }
TEST(StaticListOnCuda, LaunchesKeepTheLaws) { task_laws::expect_few_on_cuda(static_list{.launches = true}); }

} // namespace
} // namespace evenly
