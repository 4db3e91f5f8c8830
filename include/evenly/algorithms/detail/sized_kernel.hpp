// SPDX-License-Identifier: Apache-2.0
// Kernels for tile sets whose sizes only the device knows (docs/decisions/0013).
//
// The launch has as many blocks as are resident. Each block reads the sizes, gets from the mapping how many blocks they
// need, and processes the work of these: it calls the kernel for ordinary tile sets repeatedly, with blocks of other
// numbers. Mappings and skeletons are thus the same, and results passed between blocks follow those numbers. Only their
// count comes from the kernel.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/detail/renumbered_block.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Returns how many of `blocks` blocks, the first ones, cut tiles.
template <class Mapping> EVENLY_FN int cutting_blocks(const Mapping& mapping, int blocks) {
  if constexpr (!sharing::any_cuts<typename Mapping::sharings>)
    return 0;
  else if constexpr (requires { mapping.cutting_blocks(blocks); })
    return mapping.cutting_blocks(blocks);
  else
    return blocks;
}

/// `Kernel`: a skeleton_kernel.
template <class Kernel> struct sized_kernel {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  static constexpr int min_blocks = Kernel::min_blocks;
  static constexpr bool is_copyable = Kernel::is_copyable;
  static constexpr bool parts_are_noted = Kernel::parts_are_noted;

  Kernel kernel;
  capacity max_size;

  EVENLY_FN constexpr auto lay_out(storage_layout& layout, block_shape shape) const {
    return kernel.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto here = kernel.mapping.sized(max_size, block.shape());
    const Kernel each = kernel.for_sizes(here.mapping, cutting_blocks(here.mapping, here.blocks));
    for (std::int64_t number = block.index(); number < here.blocks; number += block.count()) {
      successive_block<Block> as(block, static_cast<int>(number));
      each(as);
      block.sync();
    }
  }
};

/// Starts it. Requires blocks > 0.
template <class Executor, class Mapping, class Kernel>
void launch_sized(const Executor& exec, const launch_of<Mapping>& each, const Kernel& kernel) {
  const int room = resident_blocks(exec, kernel, each.shape.block_size);
  launch(exec, {smaller(each.shape.blocks, room), each.shape.block_size}, kernel);
}

/// The tree of carries of a launch (carries.hpp), if the launch has enough blocks that another kernel walks it.
template <class Mapping, class Shared, monoid Op, class Store> struct sized_fix_up_kernel {
  using shared_type = Shared;
  static constexpr int tuned_block_size = shared_type::group_size;
  static constexpr bool only_tuned_size = true;
  static constexpr bool is_copyable = std::is_trivially_copyable_v<Mapping> && is_device_copyable<Op, Store>;

  Mapping mapping;
  capacity max_size;
  block_shape shape; ///< of the launch
  shared_type shared;
  Op op;
  Store store;

  EVENLY_FN static constexpr auto lay_out(storage_layout& layout, block_shape own) {
    return shared_type::slots::lay_out(layout, own, true);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto here = mapping.sized(max_size, shape);
    const int blocks = cutting_blocks(here.mapping, here.blocks);
    if (!shared_type::is_deferred(blocks)) return;
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    const shared_type all = shared.for_blocks(blocks);
    for (int group = block.index(); group < shared_type::groups(blocks); group += block.count()) {
      all.fix_up_group(block, place, group, op, store);
      block.sync();
    }
  }
};

/// Starts the kernel that combines the carries of a launch of `shared.blocks` blocks that cut tiles. For tile sets
/// sized on the device, the device determines their number.
template <class Executor, class Mapping, class Shared, monoid Op, class Store>
void fix_up_after(const Executor& exec, const launch_of<Mapping>& each, const Shared& shared, const Op& op,
                  const Store& store) {
  const launch_shape shape{Shared::groups(shared.blocks), Shared::group_size};
  if constexpr (sized_on_device<typename Mapping::tiles_type>) {
    const sized_fix_up_kernel<Mapping, Shared, Op, Store> kernel{
        each.mapping, each.max_size, shape_of_block(exec, each.shape.block_size), shared, op, store};
    launch(exec, {smaller(shape.blocks, resident_blocks(exec, kernel, shape.block_size)), shape.block_size},
           kernel);
  } else {
    launch(exec, shape, fix_up_kernel<Shared, Op, Store>{shared, op, store});
  }
}

} // namespace evenly
