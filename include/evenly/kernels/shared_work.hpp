// SPDX-License-Identifier: Apache-2.0
// Work for kernels of your own: a tile set and its distribution by a schedule, as a view that any kernel takes as an
// argument.
//
//   auto work = work_of(plan);                    // of a plan, which outlives it
//   auto work = work_of(exec, schedule, tiles);   // without a plan: each block finds its own start
//
// (Do not declare it const if decltype(work) is to be a member of a kernel: Clang does not copy const members byte by
// byte.)
//
// In a kernel, for_each_range(block, work, ...) processes it (kernels/for_each_range.hpp). A launch may have any number
// of blocks: they process the ranges of the blocks that the schedule would launch. `blocks` is the maximum of these.
// The kernel's blocks must have the schedule's number of threads, work.block_size.
//
// Some schedules need a plan for lists of tiles sorted by size: dynamic_group_per_tile and binned have the first form
// only. Without a plan, schedules that start from tables search twice per range, by a warp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/detail/range_consumer.hpp"
#include "evenly/kernels/detail/refusal.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Trivially copyable: an argument of kernels. The tiles, and the plan's memory, outlive it.
template <class Mapping> struct shared_work {
  using mapping_type = Mapping;
  using tiles_type = typename Mapping::tiles_type;
  using tile = tile_type<tiles_type>;
  using atom = atom_type<tiles_type>;
  static constexpr bool is_sized_on_device = sized_on_device<tiles_type>;

  Mapping mapping;
  tiles_type tiles;
  int blocks = 0;         ///< that the schedule would launch; for tile sets sized on the device, the maximum
  int block_size = 0;     ///< threads per block of the kernel
  capacity max_size = {}; ///< for tile sets sized on the device

  /// Takes the storage of for_each_range from `layout`, for a block of `shape`. The host calls it to get the size
  /// (storage_layout::bytes), the kernel to get the slots.
  EVENLY_FN constexpr auto lay_out(storage_layout& layout, block_shape shape) const {
    return lay_out_type(layout, shape);
  }
  /// The same: it depends on the type of the work only.
  EVENLY_FN static constexpr auto lay_out_type(storage_layout& layout, block_shape shape) {
    const auto own = Mapping::lay_out(layout, shape);
    const auto found = range_slots::lay_out(typename Mapping::sharings{}, layout, shape);
    return skeleton_slots<Mapping, range_slots>{own, {}, found};
  }

  /// Calls run(as, mapping, blocks) for the ranges of the calling block, one after another. `as` is the block with the
  /// number that the schedule would give it, one of `blocks`. All threads of the block call it; it synchronises the
  /// block after each range.
  template <class Block, class Run> EVENLY_FN void for_each_block(Block& block, const Run& run) const {
    require_block_size(block);
    if constexpr (is_sized_on_device) {
      const auto here = mapping.sized(max_size, block.shape());
      pass(block, here.mapping, here.blocks, run);
    } else {
      pass(block, mapping, blocks, run);
    }
  }

 private:
  template <class Block> EVENLY_FN void require_block_size(const Block& block) const {
    if constexpr (!Block::is_serial) {
      if (block.size() == block_size) return;
      EVENLY_REFUSE("the block size must be that of the work",
                    "a range is taken by a block of " + std::to_string(block.size()) +
                        " threads, but the work was made for " + std::to_string(block_size) +
                        ": launch with work.block_size");
    }
  }
  template <class Block, class Run>
  EVENLY_FN static void pass(Block& block, const Mapping& mapping, int blocks, const Run& run) {
    // The numbers of blocks, plus those of one more launch, are below 2^32.
    for (auto number = static_cast<unsigned>(block.index()); number < static_cast<unsigned>(blocks);
         number += static_cast<unsigned>(block.count())) {
      successive_block<Block> as(block, static_cast<int>(number));
      run(as, mapping, blocks);
      block.sync();
    }
  }
};

/// Names a work whose ranges a kernel combines as values of T, for kernel_of_work and storage_bytes.
template <class Work, class T> struct combines {
  using mapping_type = typename Work::mapping_type;
};

/// Takes the storage of for_each_range for one work. lay_out_work for a work whose values are combined is in
/// kernels/for_each_range.hpp.
template <class Work> struct storage_of_work {
  EVENLY_FN static constexpr void lay_out(storage_layout& layout, block_shape shape) {
    Work::lay_out_type(layout, shape);
  }
};

/// A base of kernels that process works and have no other storage. It has their lay_out, for the forms of
/// for_each_range without slots; and tuned_block_size and min_blocks of the first work's schedule, for kernels that do
/// little else. min_blocks is for values of at most 8 bytes; 0 lets the compiler decide.
///
/// `Works`: the types of works, or combines<Work, T>. A block processes one after the other, so all have the same
/// storage, from offset 0 on. A kernel with storage of its own takes it after a call of this lay_out.
template <class First, class... Others> struct kernel_of_work {
  static constexpr int tuned_block_size = First::mapping_type::tuned_block_size;
  static constexpr int min_blocks = [] {
    if constexpr (requires { First::mapping_type::min_blocks; })
      return First::mapping_type::min_blocks;
    else
      return 0;
  }();

  EVENLY_FN static constexpr void lay_out(storage_layout& layout, block_shape shape) {
    storage_of_work<First>::lay_out(layout, shape);
    ((layout.rewind(0), storage_of_work<Others>::lay_out(layout, shape)), ...);
    layout.skip_to_max();
  }
};

/// Returns the bytes of storage per block that a __global__ function needs for works, as kernel_of_work names them.
template <class... Works> constexpr std::size_t storage_bytes(block_shape shape) {
  storage_layout layout;
  kernel_of_work<Works...>::lay_out(layout, shape);
  return layout.bytes();
}

namespace detail {

template <class Executor, class Mapping>
shared_work<Mapping> work_of_launch(const launch_of<Mapping>& each,
                                    const typename Mapping::tiles_type& tiles) {
  const shared_work<Mapping> work{each.mapping, tiles, each.shape.blocks, each.shape.block_size,
                                  each.max_size};
  know_part<Executor>(work);
  return work;
}

/// Returns a schedule's launch that owns no memory, if there is one.
template <class Executor, class Schedule, tile_set Tiles>
auto launch_without_plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles,
                         const extent<Tiles>& all) {
  const planning how{{static_cast<std::int64_t>(max_tiles(tiles)), all.atoms}, false};
  if constexpr (requires { schedule.prepare_nothing(exec, tiles, all, how); })
    return schedule.prepare_nothing(exec, tiles, all, how).launch;
  else if constexpr (std::tuple_size_v<decltype(prepare(schedule, exec, tiles, all, how).owned)> == 0)
    return prepare(schedule, exec, tiles, all, how).launch;
}

template <class Schedule, class Executor, class Tiles>
inline constexpr bool starts_without_plan = !std::is_void_v<decltype(launch_without_plan(
    std::declval<const Executor&>(), std::declval<const Schedule&>(), std::declval<const Tiles&>(),
    extent<std::remove_cv_t<Tiles>>{}))>;

template <class Schedule, class Executor, class Tiles> struct works_without_plan {
  static_assert(is_a_schedule<Schedule, Executor, Tiles>::holds);
  static_assert(
      starts_without_plan<Schedule, Executor, Tiles>,
      "the schedule needs lists of tiles that are built ahead of time: make a plan and use work_of(plan)");
  static constexpr bool holds = starts_without_plan<Schedule, Executor, Tiles>;
};

} // namespace detail

/// Returns the work of a plan. The plan outlives it, and it is invalid after a rebind of the plan.
template <class Plan>
requires planned<Plan>
auto work_of(const Plan& plan) {
  return detail::work_of_launch<typename Plan::executor_type>(plan.launch(), plan.tiles());
}

/// Returns the work of a schedule without a plan. No kernel runs and no memory is allocated.
///
/// - If neither the host nor the device knows the number of atoms, the first and last offsets are read back, which
///   waits on cuda. assume_valid(tiles, atoms) states the number instead.
/// - The laws of tile sets are not checked.
/// - Throws invalid_argument for an invalid block size, and for more tiles or atoms than a launch can count.
template <class Executor, class Schedule, tile_set Tiles>
requires(detail::works_without_plan<Schedule, Executor, Tiles>::holds)
auto work_of(const Executor& exec, const Schedule& schedule, const assumed_valid_tiles<Tiles>& given) {
  check(launch_shape{0, schedule.block_size});
  detail::require_tiles(given.tiles);
  extent<Tiles> all;
  if (given.tiles.tiles() > 0) all = detail::extent_of(exec, given);
  return detail::work_of_launch<Executor>(detail::launch_without_plan(exec, schedule, given.tiles, all),
                                          given.tiles);
}
template <class Executor, class Schedule, tile_set Tiles>
requires(detail::works_without_plan<Schedule, Executor, Tiles>::holds)
auto work_of(const Executor& exec, const Schedule& schedule, const Tiles& tiles) {
  if constexpr (sized_on_device<Tiles>) {
    static_assert(detail::sizes_are_known<Schedule, Executor, Tiles>,
                  "the schedule sizes its launch on the host, so it does not support tile sets with sizes on "
                  "the device");
    check(launch_shape{0, schedule.block_size});
    detail::require_tiles(tiles);
    auto each = detail::launch_without_plan(exec, schedule, tiles, detail::max_extent(tiles));
    each.max_size = {static_cast<std::int64_t>(max_tiles(tiles)), tiles.max_atoms()};
    return detail::work_of_launch<Executor>(each, tiles);
  } else {
    return work_of(exec, schedule, assume_valid(tiles));
  }
}

} // namespace evenly
