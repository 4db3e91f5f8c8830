// SPDX-License-Identifier: Apache-2.0
// sort_bytes: numbers in the order of bytes that they came with, on a GPU. Every plan may need it, and CUB, which does
// it, takes seconds to compile. An evenly::runtime with CUDA contains it, and defines EVENLY_LINKS_CUDA_SORTS in units
// that link it. Empty unless nvcc compiles.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include "evenly/execution/cuda.hpp"

#if !defined(EVENLY_LINKS_CUDA_SORTS)
#include "evenly/primitives/detail/sort_bytes_by_cub.hpp"
#endif

namespace evenly::detail {

#if defined(EVENLY_LINKS_CUDA_SORTS)
inline namespace compiled { // no function has two definitions where only parts of a program are told of the library

/// Writes `count` pairs of a byte and a number to keys_out and numbers_out, ordered by the lowest `bits` of the byte,
/// those of one byte in the order in which they were. All four arrays lie in device memory, apart from each other.
/// Asynchronous but for memory, which it makes and gives back.
void sort_bytes(const cuda& exec, std::int64_t count, int bits, const unsigned char* keys,
                const std::int32_t* numbers, unsigned char* keys_out, std::int32_t* numbers_out);
void sort_bytes(const cuda& exec, std::int64_t count, int bits, const unsigned char* keys,
                const std::int64_t* numbers, unsigned char* keys_out, std::int64_t* numbers_out);

} // namespace compiled
#else

template <class Number>
void sort_bytes(const cuda& exec, std::int64_t count, int bits, const unsigned char* keys,
                const Number* numbers, unsigned char* keys_out, Number* numbers_out) {
  sort_bytes_by_cub(exec, count, bits, keys, numbers, keys_out, numbers_out);
}

#endif

} // namespace evenly::detail

#endif
