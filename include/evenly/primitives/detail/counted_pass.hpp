// SPDX-License-Identifier: Apache-2.0
// A pass over chunks (persistent_pass.hpp) of which only the executor knows how many elements there are. The host plans
// for as many as there may be; each block reads how many there are, and chunks beyond are nobody's.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

/// `Kernel`: one whose `count` and `sequence` say how many elements and chunks there are. `Count`: a function object
/// that runs on the executor, how many elements there are, no more than the kernel has.
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
