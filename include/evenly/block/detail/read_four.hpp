// SPDX-License-Identifier: Apache-2.0
// Reads four consecutive elements of an array at once. A lane that reads its own part of an array requests a sector
// with each access; with four elements per access it makes a quarter of the requests.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// Writes to[j] = values[first + j] for the elements in [begin, end); the others are unspecified. `first`: a multiple
/// of 4. `count`: the number of all values, which do not change during the launch. `Once`: uses evict-first loads.
template <bool Once = false, class T, class Index>
EVENLY_FN void read_four(const T* values, Index first, Index begin, Index end, [[maybe_unused]] Index count,
                         T (&to)[4]) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 4) {
    if (first + 4 <= count && reinterpret_cast<std::uintptr_t>(values) % 16 == 0) {
      const auto* at = reinterpret_cast<const int4*>(values + first);
      const int4 all = Once ? __ldcs(at) : __ldg(at);
      to[0] = static_cast<T>(all.x);
      to[1] = static_cast<T>(all.y);
      to[2] = static_cast<T>(all.z);
      to[3] = static_cast<T>(all.w);
      return;
    }
  }
#endif
  EVENLY_UNROLL
  for (int j = 0; j < 4; ++j) {
    const Index at = first + j;
    if (at >= begin && at < end) to[j] = read_only(values + at);
  }
}

/// Returns the greatest multiple of 4 that is at most i.
template <class Index> EVENLY_FN Index floor_of_four(Index i) { return i & ~Index{3}; }

} // namespace evenly::detail
