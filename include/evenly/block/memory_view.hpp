// SPDX-License-Identifier: Apache-2.0
// traced: memory as a kernel sees it. On cpu and cuda it is a pointer, at no cost. On simt it is a view that counts
// accesses (trace/trace.hpp) and finds races among all threads of a launch.
//
//   const auto in = traced(block, in_);     // in_ is for example a const float*
//   const auto out = traced(block, out_);
//   float value = in[i];                    // `float`, not `auto`: simt then sees every access
//   out[i] = value;
//
// A kernel whose accesses are to be counted accesses its memory only through such views. Indices have at most 64 bits.
// Elements are read and assigned as a whole, into a variable of their type, as those of storage are
// (block/storage.hpp). Atomic operations take the pointer itself, and are seen too.
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly {

/// Returns a view of `memory`, which may be const, for the calling thread of `block`.
template <class Block, class T> EVENLY_INLINE_FN auto traced(Block& block, T* memory) {
  if constexpr (requires { block.traced(memory); })
    return block.traced(memory);
  else
    return memory;
}

} // namespace evenly
