// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide on the simulated GPU, where races on storage are seen: its laws under every schedule.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "algorithms/reduce_wide_laws.hpp"
#include "evenly/execution/simt.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

struct shape_and_seed {
  int block_size;
  int warp_size;
  std::uint64_t seed;
};
/// Whole warps, a partial one, teams that are wide because warps are narrow, one thread, and warps of 64.
constexpr shape_and_seed shapes[] = {{64, 32, 1}, {100, 32, 2}, {24, 4, 3}, {1, 32, 0}, {64, 64, 4}};

void expect_rows_in(const shape_and_seed& each, std::size_t salt, const std::string& name,
                    const auto& schedule) {
  const simt exec({.warp_size = each.warp_size, .seed = each.seed});
  expect_rows_of_all<short_maps, false>(exec, schedule, each.block_size, salt,
                                        name + ", warps of " + std::to_string(each.warp_size));
}

TEST(ReduceTilesWideOnSimt, HoldsUnderEverySchedule) {
  std::size_t salt = 0;
  for_each_schedule([&](const std::string& name, const auto& schedule) {
    expect_rows_in(shapes[salt % std::size(shapes)], salt, name, schedule);
    ++salt;
  });
}

TEST(ReduceTilesWideOnSimt, HoldsForBlocksAndWarpsOfAnySize) {
  std::size_t salt = 0; // three of the shapes for each
  for_each_form_of_sharing([&](const std::string& name, const auto& schedule) {
    for (int i = 0; i < 3; ++i, ++salt) {
      const shape_and_seed& each = shapes[salt % std::size(shapes)];
      if (!sanitized || each.block_size < 64) expect_rows_in(each, salt, name, schedule);
    }
  });
}

} // namespace
} // namespace evenly::laws
