// SPDX-License-Identifier: Apache-2.0
// A skeleton's launch whose blocks wait for each other. No executor promises to start blocks in the order of their
// numbers. A block therefore takes its number when it starts, so the blocks that it waits for are running.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/algorithms/detail/renumbered_block.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly {

/// The first `chained` blocks take their numbers from `shared` (primitives/look_back.hpp); both are members of the
/// consumer.
template <class Mapping, class Consumer> struct chained_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  static constexpr bool is_copyable = skeleton_kernel<Mapping, Consumer>::is_copyable;

  skeleton_kernel<Mapping, Consumer> kernel;

  /// The place of the number, after the kernel's own slots.
  EVENLY_FN constexpr slot<int> lay_out(storage_layout& layout, block_shape shape) const {
    kernel.lay_out(layout, shape);
    layout.skip_to_max();
    return layout.take<int>(1);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto drawn = block.storage(lay_out(layout, block.shape()));
    int number = block.index();
    if (number < kernel.consumer.chained) {
      if (block.rank() == 0) drawn[0] = static_cast<int>(kernel.consumer.shared.draw());
      block.sync();
      number = drawn[0];
    }
    renumbered_block<Block> here(block, number);
    kernel(here);
  }
};

/// The same for tile sets sized on the device (sized_kernel.hpp): blocks take numbers until none are left.
template <class Mapping, class Consumer> struct sized_chained_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  static constexpr bool is_copyable = skeleton_kernel<Mapping, Consumer>::is_copyable;

  chained_kernel<Mapping, Consumer> chained;
  capacity max_size;

  EVENLY_FN constexpr slot<int> lay_out(storage_layout& layout, block_shape shape) const {
    return chained.lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto drawn = block.storage(lay_out(layout, block.shape()));
    const auto here = chained.kernel.mapping.sized(max_size, block.shape());
    const auto each = chained.kernel.for_sizes(here.mapping, cutting_blocks(here.mapping, here.blocks));
    const auto& shared = chained.kernel.consumer.shared;
    const std::uint32_t stamp = shared.stamp();
    for (;;) {
      if (block.rank() == 0) drawn[0] = static_cast<int>(smaller<std::int64_t>(shared.draw(), here.blocks));
      block.sync();
      const int number = drawn[0];
      if (number == here.blocks) break;
      successive_block<Block> as(block, number);
      each(as);
      block.sync();
    }
    if (block.rank() == 0 && shared.retire(block.count())) shared.finish(stamp);
  }
};

} // namespace evenly
