// SPDX-License-Identifier: Apache-2.0
// ticket_ring on a GPU.

#include "evenly/tasks/ticket_ring.hpp"

#include <gtest/gtest.h>

#include "cuda/task_pool_tests.hpp"

namespace evenly {
namespace {

TEST(ReducedTicketRing, KeepsTheLaws) { task_laws::expect_few_on_cuda(ticket_ring{}); }
TEST(TicketRingOnCuda, KeepsTheLaws) { task_laws::expect_many_on_cuda(ticket_ring{}); }

} // namespace
} // namespace evenly
