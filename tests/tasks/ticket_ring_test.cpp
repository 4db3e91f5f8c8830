// SPDX-License-Identifier: Apache-2.0
// ticket_ring: the laws of pools.

#include "evenly/tasks/ticket_ring.hpp"

#include <gtest/gtest.h>

#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;

TEST(TicketRing, KeepsTheLawsOnCpu) { expect_laws_on_cpu(ticket_ring{}); }
TEST(TicketRing, KeepsTheLawsOnSimt) {
  expect_laws_on_simt(ticket_ring{}, 24);
  expect_answers_on_simt(ticket_ring{});
}
TEST(TicketRing, KeepsTheLawsInManyInterleavings) { expect_interleavings(ticket_ring{}, 1000); }
TEST(TicketRing, EndsByExceptions) { expect_exceptions(ticket_ring{}); }
TEST(TicketRing, RefusesWhatCannotBe) { expect_refusals(ticket_ring{}); }

} // namespace
} // namespace evenly
