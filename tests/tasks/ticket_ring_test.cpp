// SPDX-License-Identifier: Apache-2.0
// ticket_ring: the laws of pools.

#include "evenly/tasks/ticket_ring.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

EVENLY_TEST_POOL(TicketRing, ticket_ring)

} // namespace
} // namespace evenly
