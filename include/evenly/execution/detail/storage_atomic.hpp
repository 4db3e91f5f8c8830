// SPDX-License-Identifier: Apache-2.0
// Atomic operations of a block on words of its storage, on a GPU. The compiler's own functions take generic addresses
// and test at run time which memory an address is in. These functions name shared memory instead.
#pragma once

#include <type_traits>

#include "evenly/core/annotations.hpp"

#if defined(__CUDACC__)
namespace evenly::detail {

template <class T>
inline constexpr bool has_storage_atomics = std::is_integral_v<T> && sizeof(T) == sizeof(unsigned);

#if defined(__CUDA_ARCH__)
inline constexpr bool acquires(int order) {
  return order == __NV_ATOMIC_ACQUIRE || order == __NV_ATOMIC_ACQ_REL;
}
inline constexpr bool releases(int order) {
  return order == __NV_ATOMIC_RELEASE || order == __NV_ATOMIC_ACQ_REL;
}

template <int Order> EVENLY_INLINE_FN unsigned load_storage(const void* at) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  unsigned value = 0;
  if constexpr (acquires(Order))
    asm volatile("ld.acquire.cta.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  else
    asm volatile("ld.relaxed.cta.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}
template <int Order> EVENLY_INLINE_FN void store_storage(void* at, unsigned value) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  if constexpr (releases(Order))
    asm volatile("st.release.cta.shared.b32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
  else
    asm volatile("st.relaxed.cta.shared.b32 [%0], %1;" : : "r"(address), "r"(value) : "memory");
}

/// The compiler's own fence is sequentially consistent for every order (nvcc 13.0).
EVENLY_INLINE_FN void fence_block() { asm volatile("fence.acq_rel.cta;" : : : "memory"); }

/// Runs change(), which is relaxed, in the given order, a value of __NV_ATOMIC_... . Returns the result of change().
template <int Order, class Change> EVENLY_INLINE_FN unsigned change_storage(Change change) {
  if constexpr (releases(Order)) fence_block();
  const unsigned before = change();
  if constexpr (acquires(Order)) fence_block();
  return before;
}
#endif

} // namespace evenly::detail
#endif
