// SPDX-License-Identifier: Apache-2.0
// Relaxed operations by all blocks of a device, on a GPU. The compiler's functions of any order take any address, and
// code that is made for any address finds out where it lies: with 64 bits it waits for the operation to say that it was
// not in storage, so one operation of a thread is not begun before the one before has ended. Of CUDA's oldest functions
// compilers know which memory they are on, where that can be told.
#pragma once

#include <type_traits>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// Integers that CUDA's functions are for, as they name them.
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
