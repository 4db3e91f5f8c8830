// SPDX-License-Identifier: Apache-2.0
// cub_sort: sorts keys, and values with them, by CUB (radix_sort.hpp). The header is empty unless nvcc compiles it.
#pragma once

#include "evenly/core/annotations.hpp"

#if defined(__CUDACC__)

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>

namespace evenly::detail {

/// Replaces the values if there are none.
struct no_values;

template <class Key, class Value> struct cub_sort {
  /// As in CUB: without scratch memory it returns the required bytes.
  static cudaError_t run(void* scratch, std::size_t& bytes, const Key* keys, const Value* values,
                         std::int64_t count, Key* keys_out, Value* values_out, int bits,
                         cudaStream_t stream) {
    if constexpr (std::is_same_v<Value, no_values>)
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, keys_out, count, 0, bits, stream);
    else
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, keys_out, values, values_out, count, 0,
                                             bits, stream);
  }
};

} // namespace evenly::detail

#endif
