// SPDX-License-Identifier: Apache-2.0
// Memory as a kernel sees it: a pointer on cpu and cuda, at no cost; on simt a view that counts (trace/trace.hpp) and
// finds races among all threads of a launch.
//
//   const auto in = traced(block, in_);     // in_ is a const float*, say
//   const auto out = traced(block, out_);
//   float value = in[i];                    // `float`, not `auto`: simt then sees every access
//   out[i] = value;
//
// A kernel whose accesses are to be counted reads and writes its memory through such views only. Indices have up to 64
// bits. Elements are read as a whole, into a variable of their type, and assigned as a whole, as those of storage are
// (block/storage.hpp). Atomic operations take the pointer itself, and are seen too.
#pragma once

#include "evenly/core/annotations.hpp"

namespace evenly {

/// `memory`, which may be const, for use by the calling thread of `block`.
template <class Block, class T> EVENLY_INLINE_FN auto traced(Block& block, T* memory) {
  if constexpr (requires { block.traced(memory); })
    return block.traced(memory);
  else
    return memory;
}

} // namespace evenly
