// SPDX-License-Identifier: Apache-2.0
// Shares under every schedule on the simulated GPU, with races checked.

#include <cstdint>
#include <tuple>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "kernels/work_ranges.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

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
