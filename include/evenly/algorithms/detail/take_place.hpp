// SPDX-License-Identifier: Apache-2.0
// Places in a list that threads append to concurrently.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly {

/// Adds 1 to the object of `counter` and returns the value before: a place for the caller alone. Any threads may call
/// it in any branch; they do not wait for each other. On a GPU the converged lanes of a warp perform one addition
/// together, since 32 additions to one word would run one after the other.
template <class T, class Scope> EVENLY_INLINE_FN T take_place(const atomic_ref<T, Scope>& counter) {
#if defined(__CUDA_ARCH__)
  const unsigned together = __activemask();
  const int lane = static_cast<int>(threadIdx.x % 32), leader = __ffs(static_cast<int>(together)) - 1;
  T first = 0;
  if (lane == leader) first = counter.fetch_add(static_cast<T>(__popc(together)), order::relaxed{});
  return __shfl_sync(together, first, leader) + static_cast<T>(__popc(together & ((1u << lane) - 1)));
#else
  return counter.fetch_add(1, order::relaxed{});
#endif
}

} // namespace evenly
