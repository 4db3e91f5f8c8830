// SPDX-License-Identifier: Apache-2.0
// Meetings with totals, on the CPU and on the simulated GPU.

#include <cstdint>

#include <gtest/gtest.h>

#include "block/grid_totals_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/messages.hpp"

namespace evenly::grid_laws {
namespace {

TEST(GridTotals, GivesAllTheSum) {
  expect_totals(cpu(2), {1, 2, 5, 3}, 1, 100);
  for (const std::uint64_t seed : {0, 1, 2}) expect_totals(simt({.seed = seed}), {1, 3, 7, 2}, 40, 13);
}

TEST(GridTotals, RefusesALaunchThatIsNotCoResident) {
  std::vector<std::byte> memory(totals_memory::bytes);
  EXPECT_NE(message_of<invalid_argument>([&] {
              launch(cpu(1), {1, 1}, rounds_of_totals{1, nullptr, nullptr, {memory.data()}});
            }).find("needs a co-resident launch"),
            std::string::npos);
}

} // namespace
} // namespace evenly::grid_laws
