// SPDX-License-Identifier: Apache-2.0
// sort_bytes: sorts integers by byte keys, on a GPU. Every plan may need it, and CUB, which does the work, takes
// seconds to compile. An evenly::runtime with CUDA contains it, and defines EVENLY_LINKS_CUDA_SORTS in units that link
// it. The header is empty unless nvcc compiles it.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

#include "evenly/execution/cuda.hpp"

#if !defined(EVENLY_LINKS_CUDA_SORTS)
#include "evenly/primitives/detail/sort_bytes_by_cub.hpp"
#endif

namespace evenly::detail {

#if defined(EVENLY_LINKS_CUDA_SORTS)
inline namespace compiled { // one definition per function, even if only some units link the library

/// Writes `count` pairs of a byte and an integer to keys_out and numbers_out, sorted by the lowest `bits` of the byte.
/// Stable. All four arrays are in device memory and do not overlap. Asynchronous, except that it allocates and frees
/// memory.
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
