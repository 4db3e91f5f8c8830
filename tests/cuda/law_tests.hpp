// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: what each laws_of_*.cu puts its skeletons through. They are several files for compile time's
// sake; for its sake too kernels are compiled for their tuned block size and for any size, as users have them, where
// every schedule meets a skeleton (depth::every), and for any size alone where one of each header does. Tests whose
// name begins with Reduced are few and small enough for compute-sanitizer (--gtest_filter=*Reduced*).
#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "laws/battery.hpp"

namespace evenly::laws {

inline const auto block_sizes_on_cuda = testing::Values(1, 32, 64, 96, 100, 128, 256, 512, 1024);

inline battery<cuda> on(int block_size) { return {cuda(), "cuda", block_size}; }
inline battery<cuda_of_any_size> on_any(int block_size) {
  return {cuda_of_any_size(), "cuda, compiled for any block size", block_size};
}

/// Calls run.template operator()<D>(battery) for the skeletons of Depth, on the batteries that they are compiled for.
template <unsigned Depth, class Run> void on_both(int block_size, const Run& run) {
  constexpr unsigned every = Depth & depth::every, others = Depth & ~unsigned{depth::every};
  if constexpr (detail::only_compiles_kernels) {
    run.template operator()<Depth>(on_any(block_size));
  } else {
    if constexpr (every != 0) run.template operator()<every>(on(block_size));
    if constexpr (others != 0) run.template operator()<others>(on_any(block_size));
  }
}
template <unsigned Depth, class Sets> void run_all(int block_size, const Sets& sets) {
  on_both<Depth>(block_size, [&]<unsigned D>(const auto& here) { here.template run_all<D>(sets); });
}
template <unsigned Depth> void run(int block_size, const named_tiles& set, bool quick = false) {
  on_both<Depth>(block_size, [&]<unsigned D>(const auto& here) { here.template run<D>(set, quick); });
}

template <unsigned Depth> void hold_on_adversarial_tile_sets(int block_size) {
  run_all<Depth>(block_size, adversarial_tile_sets);
}

template <unsigned Depth> void hold_on_a_slice(int block_size) {
  on_both<Depth>(block_size, [&]<unsigned D>(const auto& here) {
    here.template run_slice<D>(random_runs(60, block_size * 7, 5), 9);
  });
}

template <unsigned Depth> void hold_on_random_tile_sets() {
  for (int seed = 1; seed <= 20; ++seed) {
    const int block_size = 1 + static_cast<int>(mixed(seed) % 300);
    run<Depth>(block_size, random_runs(200, 10 * block_size, seed));
  }
}

template <unsigned Depth> void hold_on_millions_of_tiles_and_atoms() {
  constexpr int million = 1'000'000;
  run<Depth>(128, tile_sizes().add(million, 0).named("a million empty tiles"));
  run<Depth>(128, tile_sizes()
                      .add(9)
                      .add(million, 0)
                      .add(5000)
                      .add(million / 2, 0)
                      .add(1)
                      .named("a million empty tiles between"));
  run<Depth>(256, tile_sizes().add(power_law(million / 5, million / 4, 7)).named("a long power law"));
}

/// `every`: whether the skeletons of depth::basic are not enough in the second half.
template <unsigned Depth> void hold_on_few_tile_sets() {
  run<Depth>(128, random_runs(60, 128 * 7, 1));
  for (const int block_size : {32, 96})
    for (const named_tiles& set :
         {random_runs(60, block_size * 7, 2), tile_sizes().add(0).named("one empty tile"),
          tile_sizes().named("no tiles")})
      run<Depth>(block_size, set, true);
}

/// Blocks leave tiles to each other: more than 256 and more than 2,048 blocks, and giants that span groups of them.
template <unsigned Depth> void hold_with_many_blocks(int block_size) {
  run_all<Depth>(block_size, tile_sets_of_many_blocks);
}

template <unsigned Depth> void hold_with_many_blocks_of_the_usual_size() {
  run_all<Depth>(128, [](std::int64_t items) {
    return std::vector{
        tile_sizes().add(3).add(200 * items).add(9, 0).add(300 * items).named("giants in one launch"),
        tile_sizes().add(8, 300 * items + 1).add(items, 1).named("giants joined later")};
  });
}

template <unsigned Depth> void hold_with_few_giants() {
  run_all<Depth>(1, [](std::int64_t items) {
    return std::vector{
        tile_sizes().add(260 * items).add(5, 0).add(9).named("a giant over a group of blocks"),
        tile_sizes().add(2060 * items).add(5, 0).add(9).named("a giant over groups of blocks")};
  });
}

} // namespace evenly::laws
