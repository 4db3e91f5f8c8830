// SPDX-License-Identifier: Apache-2.0
// Work ranges in kernels of one's own.
//
// WRONG=1 says: other threads may have atoms of this tile under this schedule
// WRONG=2 says: range.combine needs an operation: call for_each_range(block, work, slots, combine_with, body)
// WRONG=3 says: the schedule needs lists of tiles that are built ahead of time
// WRONG=4 says: ranges must be combined by a monoid of the partials' type
// WRONG=5 says: a body with atoms_only must not use the number of a tile

#include <type_traits>

#include "evenly/execution/cpu.hpp"
#include "evenly/kernels/for_each_range.hpp"
#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/uniform.hpp"

#if !defined(WRONG)
#define WRONG 0
#endif
#if WRONG == 1
using schedule = evenly::merge_path<>;
#else
using schedule = evenly::thread_mapped;
#endif

template <class Work> struct kernel {
  Work work;
  evenly::partials<float, int> left;
  float* y;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    evenly::storage_layout layout;
    evenly::for_each_range(block, work, work.lay_out(layout, block.shape()), [&](const auto& range) {
      for (const auto tile : range.tiles()) {
        if constexpr (WRONG == 1 || std::remove_cvref_t<decltype(range)>::is_whole) y[tile] = 0;
#if WRONG == 2
        range.combine(tile, 1.0f);
#endif
      }
    });
#if WRONG == 4
    const evenly::combine_with sums{left, evenly::plus<double>{}, [](int, double) {}};
#else
    const evenly::combine_with sums{left, evenly::plus<float>{}, [](int, float) {}};
#endif
    evenly::for_each_range(block, work, evenly::lay_out_combine<float>(layout, block.shape(), work), sums,
                           evenly::atoms_only([&](const auto& range) {
                             for (const auto tile : range.tiles()) {
#if WRONG == 5
                               const int number = tile.number;
                               range.combine(tile, static_cast<float>(number));
#else
                               range.combine(tile, 1.0f);
#endif
                             }
                           }));
  }
};

int main() {
  const evenly::cpu exec;
  const auto tiles = evenly::uniform_tiles(3, 2);
#if WRONG == 3
  const auto other = evenly::work_of(exec, evenly::binned{}, tiles);
#endif
  const auto work = evenly::work_of(exec, schedule{}, tiles);
  launch(exec, {work.blocks, work.block_size},
         kernel<std::remove_const_t<decltype(work)>>{work, {}, nullptr});
}
