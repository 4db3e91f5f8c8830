// SPDX-License-Identifier: Apache-2.0
// tabulate and order_by_key on the executors of the host: what they promise, and whose memory they use.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "primitives/promises.hpp"
#include "support/counting_resource.hpp"

namespace evenly::primitives {
namespace {

TEST(TablesAndSorts, AreRightOnCpu) {
  for (const int threads : {1, 2, 7}) expect_tables_and_sorts(cpu(threads));
}

TEST(TablesAndSorts, AreRightOnSimt) { expect_tables_and_sorts(simt()); }

TEST(TablesAndSorts, UseTheExecutorsMemoryAndGiveItBack) {
  counting_resource memory;
  const cpu exec(2, &memory);
  const auto out = make_buffer<int>(exec, 5000);
  order_by_key<7>(exec, 5000, scattered{7}, out.data());
  EXPECT_EQ(memory.allocations, 2);
  EXPECT_EQ(memory.bytes_out, 5000 * sizeof(int));
}

} // namespace
} // namespace evenly::primitives
