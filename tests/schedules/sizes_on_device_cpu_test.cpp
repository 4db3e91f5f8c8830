// SPDX-License-Identifier: Apache-2.0
// Plans of tile sets that are sized on the device, on the CPU: planning_laws.hpp.

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "schedules/planning_laws.hpp"

namespace evenly::laws {
namespace {

TEST(SizesOnTheDevice, AreFoundOnCpu) {
  for_each_kind_that_rebinds(128, [](const char* name, const auto& schedule) {
    expect_sizes_on_device<cpu, int>(cpu(3), schedule, sets_to_bind(schedule), name);
  });
}

TEST(SizesOnTheDevice, AreFoundOnCpuBy64Bits) {
  const auto schedule = nonzero_split{};
  expect_sizes_on_device<cpu, std::int64_t>(cpu(2), schedule, sets_to_bind(schedule), "nonzero_split");
}

} // namespace
} // namespace evenly::laws
