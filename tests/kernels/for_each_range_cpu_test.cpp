// SPDX-License-Identifier: Apache-2.0
// Shares under every schedule, on the CPU.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "kernels/work_ranges.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

TEST(SharesOnCpu, KeepTheirLawsUnderEverySchedule) {
  for_each_schedule_on<cpu>([&](const char* name, const auto& schedule) {
    for (const named_tiles& set : tile_sets_for_ranges(64))
      expect_lawful_ranges(cpu(), schedule, 64, set, name);
  });
}

} // namespace
} // namespace evenly::laws
