// SPDX-License-Identifier: Apache-2.0
// Atomic operations of a block on words of its storage, on a GPU. libcu++ takes any address, and code that is made for
// any address finds out where it lies; these say it.
#pragma once

#include <type_traits>

#include "evenly/core/annotations.hpp"

#if defined(__CUDACC__)
#include <cuda/atomic>

namespace evenly::detail {

template <class T>
inline constexpr bool has_storage_atomics = std::is_integral_v<T> && sizeof(T) == sizeof(unsigned);

#if defined(__CUDA_ARCH__)
inline constexpr bool acquires(::cuda::memory_order order) {
  return order == ::cuda::memory_order_acquire || order == ::cuda::memory_order_acq_rel;
}
inline constexpr bool releases(::cuda::memory_order order) {
  return order == ::cuda::memory_order_release || order == ::cuda::memory_order_acq_rel;
}

template <::cuda::memory_order Order> EVENLY_INLINE_FN unsigned load_storage(const void* at) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  unsigned value = 0;
  if constexpr (acquires(Order))
    asm volatile("ld.acquire.cta.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  else
    asm volatile("ld.relaxed.cta.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
template <::cuda::memory_order Order> EVENLY_INLINE_FN void store_storage(void* at, unsigned value) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  if constexpr (releases(Order))
    asm volatile("st.release.cta.shared.b32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
  else
    asm volatile("st.relaxed.cta.shared.b32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
}

/// change(), which is relaxed, in the given order. Returns what it returns.
template <::cuda::memory_order Order, class Change> EVENLY_INLINE_FN unsigned change_storage(Change change) {
  if constexpr (releases(Order))
    ::cuda::atomic_thread_fence(::cuda::memory_order_release, ::cuda::thread_scope_block);
  const unsigned before = change();
  if constexpr (acquires(Order))
    ::cuda::atomic_thread_fence(::cuda::memory_order_acquire, ::cuda::thread_scope_block);
  return before;
}
#endif

} // namespace evenly::detail
#endif
