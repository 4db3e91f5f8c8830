// SPDX-License-Identifier: Apache-2.0
// for_each_tile on the simulated GPU, where races on storage and missed barriers are seen: its laws under every
// schedule that keeps tiles whole.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "algorithms/for_each_tile_laws.hpp"
#include "evenly/execution/simt.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

struct shape_and_seed {
  int block_size;
  int warp_size;
  std::uint64_t seed;
};
constexpr shape_and_seed shapes[] = {{64, 32, 1}, {100, 32, 2}, {24, 4, 3}, {1, 32, 0}, {128, 64, 4}};

TEST(ForEachTileOnSimt, HoldsUnderEveryScheduleThatKeepsTilesWhole) {
  std::size_t turn = 0; // one of the shapes for each
  const auto expect_all = [&](const std::string& name, const auto& schedule) {
    const auto [block_size, warp_size, seed] = shapes[turn++ % std::size(shapes)];
    if (sanitized && block_size > 64) return;
    expect_tiles_of_all<as_note_tile>(simt({.warp_size = warp_size, .seed = seed}), schedule, block_size,
                                      name + ", warps of " + std::to_string(warp_size));
  };
  for_each_schedule_on<simt>(if_it_keeps_tiles_whole<simt>(expect_all));
  for_each_form_on<simt>(if_it_keeps_tiles_whole<simt>(expect_all));
  for_each_other_team(expect_all);
  for_each_other_team(expect_all);
}

} // namespace
} // namespace evenly::laws
