// SPDX-License-Identifier: Apache-2.0
// Macros for functions: where a function may run, whether it is inlined, and how its loops are unrolled. Every header
// of the library includes this header, directly or indirectly, before its first line of C++20.
#pragma once

#include <type_traits>

#if __cplusplus < 202002L
#if defined(__CUDACC__)
#error                                                                                                       \
    "evenly needs C++20: nvcc -std=c++20, or target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)"
#else
#error "evenly needs C++20: compile with -std=c++20"
#endif
#include "evenly needs C++20" // a missing file stops the compiler before hundreds of errors
#endif

#if defined(__CUDACC__)
/// A function or lambda that runs on every executor. Without CUDA it has no effect.
#define EVENLY_FN __host__ __device__
#else
#define EVENLY_FN
#endif

/// EVENLY_FN for small functions of inner loops, where a call would cost more than the body.
#if defined(__CUDACC__)
#define EVENLY_INLINE_FN __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define EVENLY_INLINE_FN [[gnu::always_inline]] inline
#else
#define EVENLY_INLINE_FN inline
#endif

/// EVENLY_FN for code that rarely runs; never inlined, so that copies do not separate code that runs often.
#if defined(__CUDACC__)
#define EVENLY_OUT_OF_LINE_FN __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define EVENLY_OUT_OF_LINE_FN [[gnu::noinline]]
#else
#define EVENLY_OUT_OF_LINE_FN
#endif

#if defined(__CUDACC__)
/// Precedes an EVENLY_FN template that calls host functions only if its block is a CPU block.
#define EVENLY_MAY_CALL_HOST _Pragma("nv_exec_check_disable")
#else
#define EVENLY_MAY_CALL_HOST
#endif

#if defined(__CUDA_ARCH__)
/// Unrolls the following loop on the GPU, where small arrays must stay in registers. Host compilers decide for
/// themselves.
#define EVENLY_UNROLL _Pragma("unroll")
/// Does not unroll the following loop on the GPU: it rarely runs, and code that runs often should be contiguous.
#define EVENLY_DO_NOT_UNROLL _Pragma("unroll 1")
#else
#define EVENLY_UNROLL
#define EVENLY_DO_NOT_UNROLL
#endif

namespace evenly {

/// In the body of a loop: prevents the host compiler from merging iterations. Tiles are short, and the prologue and
/// epilogue of vectorising across iterations cost more than it saves.
EVENLY_INLINE_FN void keep_loop() {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  asm volatile("");
#endif
}

/// On the CPU: prefetches the cache line of *at, which will be read soon. It reads nothing, so any address is allowed.
/// No effect in GPU kernels, which run other threads while a load is in flight.
EVENLY_INLINE_FN void prefetch_read([[maybe_unused]] const void* at) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  __builtin_prefetch(at);
#endif
}

/// In the body of a loop: GPU compilers assume that `value` may change in each iteration, so they keep nothing computed
/// from it in registers. Outside a loop: they keep `value` itself instead of computing it at each use.
EVENLY_INLINE_FN void keep_here([[maybe_unused]] int& value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(value));
#endif
}

/// Returns *from, which no thread writes while the kernel runs. A GPU uses the read-only path, so stores do not delay
/// the load.
template <class T> EVENLY_INLINE_FN constexpr T read_only(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { __ldg(from); }) // a number, not a struct of numbers
    return __ldg(from);
  else
    return *from;
#else
  return *from;
#endif
}

/// Returns *from, which will not be read again. On a GPU the load is evict-first: caches drop it before other data.
///
/// Use it only if the threads of a warp read consecutive elements together. Otherwise it is slow: the data are dropped
/// before all threads have read them. (Float SpMV on an H200, 2026-11-21: under merge_path 4% less time on circuit5M, 0
/// to 2% on seven other workloads; under schedules whose threads stride over tiles up to 2.7 times as much.)
template <class T> EVENLY_INLINE_FN T load_streaming(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { __ldcs(from); }) // a number, not a struct of numbers
    return __ldcs(from);
  else
    return *from;
#else
  return *from;
#endif
}

template <class T> [[deprecated("use load_streaming")]] EVENLY_INLINE_FN T read_passing(const T* from) {
  return load_streaming(from);
}

/// Prefetches *from, which will be read soon, to the L2 cache of a GPU.
template <class T> EVENLY_INLINE_FN void prefetch([[maybe_unused]] const T* from) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#endif
}

} // namespace evenly

// Build properties that matter to the code.
namespace evenly::detail {
/// Whether kernels of this unit are compiled as far as PTX and never run: one block size and one schedule are enough.
#if defined(EVENLY_ONLY_COMPILES_KERNELS)
inline constexpr bool only_compiles_kernels = true;
#else
inline constexpr bool only_compiles_kernels = false;
#endif
} // namespace evenly::detail
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EVENLY_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define EVENLY_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define EVENLY_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__)
#define EVENLY_THREAD_SANITIZER
#endif

// Functions of the headers that do not depend on the user's types are compiled once, in the library evenly::evenly
// (src/core): they start threads, run the simulated GPU, choose schedules and plan common tile sets. Units that link
// the library define EVENLY_LINKS_RUNTIME. A unit compiles these functions itself without that definition, under a
// sanitizer, with the containers of _GLIBCXX_DEBUG, or with EVENLY_STD_THREADS; the linker prefers them to those of the
// library. The library defines EVENLY_COMPILES_RUNTIME where it compiles them.
#if defined(EVENLY_LINKS_RUNTIME) && !defined(EVENLY_STD_THREADS) && !defined(EVENLY_ADDRESS_SANITIZER) &&   \
    !defined(EVENLY_THREAD_SANITIZER) && !defined(_GLIBCXX_DEBUG) && !defined(EVENLY_COMPILES_RUNTIME)
/// Precedes the declaration of a function. Only units with EVENLY_RUNTIME_BODIES include the header of its body.
#define EVENLY_RUNTIME_FN
#else
#define EVENLY_RUNTIME_BODIES
#if defined(EVENLY_COMPILES_RUNTIME)
#define EVENLY_RUNTIME_FN [[gnu::used]] inline
#else
#define EVENLY_RUNTIME_FN inline
#endif
#endif

// ---------------------------------------------------------------------------------------------------------------------
// is_device_copyable: types that may be copied, byte by byte, to a kernel.

namespace evenly {

namespace detail {

/// Whether T may be copied: it is trivially copyable, or a lambda marked EVENLY_FN. (nvcc wraps such a lambda in a type
/// that is not trivially copyable on the host.) A type with user functions as members checks each of them and declares
/// the result as `static constexpr bool is_copyable`.
template <class T>
inline constexpr bool may_be_copied = [] {
  if constexpr (requires { T::is_copyable; })
    return T::is_copyable;
#if defined(__CUDACC__)
  else if constexpr (__nv_is_extended_host_device_lambda_closure_type(T))
    return true;
#endif
  else
    return std::is_trivially_copyable_v<T>;
}();

} // namespace detail

/// Whether all of T may be copied to a kernel.
template <class... T> inline constexpr bool is_device_copyable = (detail::may_be_copied<T> && ...);

template <class T>
[[deprecated("use is_device_copyable")]] inline constexpr bool is_kernel_part = is_device_copyable<T>;

} // namespace evenly
