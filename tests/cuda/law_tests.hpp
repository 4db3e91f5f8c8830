// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: what each laws_of_*.cu puts its skeletons through. They are several files for compile time's
// sake. Tests whose name begins with Reduced are few and small enough for compute-sanitizer (--gtest_filter=*Reduced*).
#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "laws/battery.hpp"

namespace evenly::laws {

inline const auto block_sizes_on_cuda = testing::Values(1, 32, 64, 96, 100, 128, 256, 512, 1024);

inline battery<cuda> on(int block_size) { return {cuda(), "cuda", block_size}; }

template <unsigned Depth> void hold_on_adversarial_tile_sets(int block_size) {
  on(block_size).run_all<Depth>(adversarial_tile_sets);
}

template <unsigned Depth> void hold_on_a_slice(int block_size) {
  on(block_size).run_slice<Depth>(random_runs(60, block_size * 7, 5), 9);
}

template <unsigned Depth> void hold_on_random_tile_sets() {
  for (int seed = 1; seed <= 20; ++seed) {
    const int block_size = 1 + static_cast<int>(mixed(seed) % 300);
    on(block_size).run<Depth>(random_runs(200, 10 * block_size, seed));
  }
}

template <unsigned Depth> void hold_on_millions_of_tiles_and_atoms() {
  constexpr int million = 1'000'000;
  on(128).run<Depth>(tile_sizes().add(million, 0).named("a million empty tiles"));
  on(128).run<Depth>(tile_sizes()
                         .add(9)
                         .add(million, 0)
                         .add(5000)
                         .add(million / 2, 0)
                         .add(1)
                         .named("a million empty tiles between"));
  on(256).run<Depth>(tile_sizes().add(power_law(million / 5, million / 4, 7)).named("a long power law"));
}

/// `every`: whether the skeletons of depth::basic are not enough in the second half.
template <unsigned Depth> void hold_on_few_tile_sets() {
  on(128).run<Depth>(random_runs(60, 128 * 7, 1));
  for (const int block_size : {32, 96})
    for (const named_tiles& set :
         {random_runs(60, block_size * 7, 2), tile_sizes().add(0).named("one empty tile"),
          tile_sizes().named("no tiles")})
      on(block_size).run<Depth>(set, true);
}

/// Blocks leave tiles to each other: more than 256 and more than 2,048 blocks, and giants that span groups of them.
template <unsigned Depth> void hold_with_many_blocks(int block_size) {
  on(block_size).run_all<Depth>(tile_sets_of_many_blocks);
}

template <unsigned Depth> void hold_with_many_blocks_of_the_usual_size() {
  on(128).run_all<Depth>([](std::int64_t items) {
    return std::vector{
        tile_sizes().add(3).add(200 * items).add(9, 0).add(300 * items).named("giants in one launch"),
        tile_sizes().add(8, 300 * items + 1).add(items, 1).named("giants joined later")};
  });
}

template <unsigned Depth> void hold_with_few_giants() {
  on(1).run_all<Depth>([](std::int64_t items) {
    return std::vector{
        tile_sizes().add(260 * items).add(5, 0).add(9).named("a giant over a group of blocks"),
        tile_sizes().add(2060 * items).add(5, 0).add(9).named("a giant over groups of blocks")};
  });
}

} // namespace evenly::laws
