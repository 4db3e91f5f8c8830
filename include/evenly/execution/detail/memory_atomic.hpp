// SPDX-License-Identifier: Apache-2.0
// Relaxed atomic operations among all blocks of a device, on a GPU.
//
// The compiler's ordered functions take generic addresses, and generic code tests at run time which memory an address
// is in. For 64 bits such code waits for each operation to report that it was not in storage, so a thread's operations
// do not overlap. For CUDA's oldest functions compilers often know the memory.
#pragma once

#include <type_traits>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// The integer types that CUDA's functions take.
template <class T> inline constexpr bool has_memory_atomics = std::is_integral_v<T> && sizeof(T) >= 4;

#if defined(__CUDA_ARCH__)
template <class T>
using cuda_unsigned = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>; // NOLINT
template <class T>
using cuda_integer =
    std::conditional_t<std::is_unsigned_v<T>, cuda_unsigned<T>, std::make_signed_t<cuda_unsigned<T>>>;

template <class T> EVENLY_INLINE_FN T add_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicAdd(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T exchange_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicExch(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T min_in_memory(T* at, T value) {
  using number = cuda_integer<T>;
  return static_cast<T>(::atomicMin(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T max_in_memory(T* at, T value) {
  using number = cuda_integer<T>;
  return static_cast<T>(::atomicMax(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T and_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicAnd(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
template <class T> EVENLY_INLINE_FN T or_in_memory(T* at, T value) {
  using number = cuda_unsigned<T>;
  return static_cast<T>(::atomicOr(reinterpret_cast<number*>(at), static_cast<number>(value)));
}
#endif

} // namespace evenly::detail
