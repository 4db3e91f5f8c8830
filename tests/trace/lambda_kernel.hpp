// SPDX-License-Identifier: Apache-2.0
// A kernel made of a generic lambda, for tests of what launches count.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/execution/executor.hpp"

namespace evenly {

/// Calls (*body)(block); a block has `ints` ints of storage. The lambda captures pointers.
template <class Body> struct lambda_kernel {
  const Body* body;
  int ints = 0;

  slot<int> lay_out(storage_layout& layout, block_shape) const { return layout.take<int>(ints); }
  template <class Block> void operator()(Block& block) const { (*body)(block); }
};

} // namespace evenly
