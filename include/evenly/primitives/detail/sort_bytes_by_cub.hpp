// SPDX-License-Identifier: Apache-2.0
// sort_bytes_by_cub: sorts integers by byte keys by CUB, whose headers take longer to compile than all others together
// (sort_bytes.hpp). The header is empty unless nvcc compiles it.
#pragma once

#if defined(__CUDACC__)

#include <cstddef>
#include <cstdint>

#include <cub/device/device_radix_sort.cuh>

#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::detail {

/// Has the contract of sort_bytes.
template <class Number>
void sort_bytes_by_cub(const cuda& exec, std::int64_t count, int bits, const unsigned char* keys,
                       const Number* numbers, unsigned char* keys_out, Number* numbers_out) {
  const auto here = exec.on_device();
  const auto sort = [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, keys_out, numbers, numbers_out, count, 0,
                                           bits, exec.stream());
  };
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(sort(nullptr, bytes));
  const auto memory = make_buffer<std::byte>(exec, bytes);
  EVENLY_CUDA_CHECK(sort(memory.data(), bytes));
}

} // namespace evenly::detail

#endif
