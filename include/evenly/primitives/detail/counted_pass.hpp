// SPDX-License-Identifier: Apache-2.0
// A pass over chunks (look_back.hpp) if only the executor knows the number of elements. The host plans for the
// maximum; each block reads the number and skips chunks beyond it.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

/// `Kernel`: has `count` and `sequence`, the numbers of elements and chunks. `Count`: a function object that runs on
/// the executor and returns the number of elements, at most the kernel's.
template <class Kernel, class Count> struct counted_pass {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  static constexpr int min_blocks = Kernel::min_blocks, max_blocks = Kernel::max_blocks;
  static constexpr bool is_copyable = Kernel::is_copyable;

  Kernel max;
  Count count;
  std::int64_t chunk_size;

  EVENLY_FN static constexpr auto lay_out(storage_layout& layout, block_shape shape) {
    return Kernel::lay_out(layout, shape);
  }
  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    Kernel here = max;
    here.count = count();
    here.sequence.chunks =
        static_cast<std::uint32_t>(larger<std::int64_t>(ceil_div(here.count, chunk_size), 1));
    here(block);
  }
};

} // namespace evenly::detail
