// SPDX-License-Identifier: Apache-2.0
// A skeleton's launch whose blocks wait for each other. They go by the order in which they have started, which no
// executor promises to be that of their numbers: a block draws its number, so whoever it waits for is running.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly {

/// A block with another number; otherwise the same.
template <class Block> class renumbered_block : public Block {
 public:
  EVENLY_FN renumbered_block(const Block& block, int index) : Block(block), index_(index) {}

  EVENLY_FN int index() const { return index_; }

 private:
  int index_;
};

/// Of the consumer's blocks the first `chained` draw their numbers from `shared` (primitives/look_back.hpp), both of
/// them its members.
template <class Mapping, class Consumer> struct chained_kernel {
  static constexpr int tuned_block_size = Mapping::tuned_block_size;
  static constexpr bool parts_checked = skeleton_kernel<Mapping, Consumer>::parts_checked;

  skeleton_kernel<Mapping, Consumer> kernel;

  /// The place of the number, behind what the kernel has.
  EVENLY_FN constexpr slot<int> lay_out(storage_layout& layout, block_shape shape) const {
    kernel.lay_out(layout, shape);
    layout.skip_to_most();
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

} // namespace evenly
