// SPDX-License-Identifier: Apache-2.0
// Work ranges under every schedule, on the CPU, and on the simulated GPU with races checked.

#include <cstdint>
#include <tuple>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
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

TEST(SharesOnSimt, KeepTheirLawsUnderEverySchedule) {
  for (const auto& [block_size, warp_size, seed] :
       {std::tuple(32, 32, 0), std::tuple(100, 32, 1), std::tuple(8, 4, 2)}) {
    const simt exec({.warp_size = warp_size, .seed = static_cast<std::uint64_t>(seed)});
    for_each_schedule_on<simt>([&](const char* name, const auto& schedule) {
      for (const named_tiles& set : tile_sets_for_ranges(block_size))
        expect_lawful_ranges(exec, schedule, block_size, set, name);
    });
  }
}

} // namespace
} // namespace evenly::laws
