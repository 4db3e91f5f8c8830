// SPDX-License-Identifier: Apache-2.0
// The macros for functions: where one may run, whether it is inlined, and how its loops are unrolled. Every header of
// the library includes this one, or one that does, before its own first line of C++20.
#pragma once

#if __cplusplus < 202002L
#if defined(__CUDACC__)
#error                                                                                                       \
    "evenly needs C++20: nvcc -std=c++20, or target_compile_options(app PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)"
#else
#error "evenly needs C++20: compile with -std=c++20"
#endif
#include "evenly needs C++20" // is no file, which ends the compilation: hundreds of errors would follow
#endif

#if defined(__CUDACC__)
/// A function or lambda that runs on every executor. Without CUDA it says nothing.
#define EVENLY_FN __host__ __device__
#else
#define EVENLY_FN
#endif

/// EVENLY_FN, for the small functions of inner loops, where a call that is not inlined would cost more than its body.
#if defined(__CUDACC__)
#define EVENLY_INLINE_FN __host__ __device__ __forceinline__
#elif defined(__GNUC__)
#define EVENLY_INLINE_FN [[gnu::always_inline]] inline
#else
#define EVENLY_INLINE_FN inline
#endif

/// EVENLY_FN, for what is seldom run, and never inlined: copies of it would be in the way of what is run often.
#if defined(__CUDACC__)
#define EVENLY_OUT_OF_LINE_FN __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define EVENLY_OUT_OF_LINE_FN [[gnu::noinline]]
#else
#define EVENLY_OUT_OF_LINE_FN
#endif

#if defined(__CUDACC__)
/// Before an EVENLY_FN template that calls functions of the host where its block is one of the CPU, and only there.
#define EVENLY_MAY_CALL_HOST _Pragma("nv_exec_check_disable")
#else
#define EVENLY_MAY_CALL_HOST
#endif

#if defined(__CUDA_ARCH__)
/// Unrolls the loop that follows on the GPU, where small arrays must stay in registers; host compilers choose
/// for themselves.
#define EVENLY_UNROLL _Pragma("unroll")
/// Does not unroll the loop that follows on the GPU: it is seldom run, and what is run often shall lie close together.
#define EVENLY_DO_NOT_UNROLL _Pragma("unroll 1")
#else
#define EVENLY_UNROLL
#define EVENLY_DO_NOT_UNROLL
#endif

namespace evenly {

/// In the body of a loop: the host compiler does not make several turns of it into one. Tiles are short, and what
/// vectorising across turns adds before and after the loop costs more than it saves.
EVENLY_INLINE_FN void keep_loop() {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  asm volatile("");
#endif
}

/// On the CPU: asks for the cache line of *at, which will be read soon. Nothing is read, so any address will do.
/// Kernels of a GPU have other threads to go on with.
EVENLY_INLINE_FN void prefetch_read([[maybe_unused]] const void* at) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  __builtin_prefetch(at);
#endif
}

/// In the body of a loop: compilers for GPUs then take it that `value` may change in each turn, so they keep nothing in
/// registers that they compute from it. Outside a loop: they keep `value` itself, and do not compute it at each use.
EVENLY_INLINE_FN void keep_here([[maybe_unused]] int& value) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(value));
#endif
}

/// *from, which nobody writes while the kernel runs: on a GPU by the read-only path, so that stores do not hold it up.
template <class T> EVENLY_INLINE_FN constexpr T read_only(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { __ldg(from); }) // a number; not a struct of them
    return __ldg(from);
  else
    return *from;
#else
  return *from;
#endif
}

/// *from, which will not be read again. On a GPU the load is evict-first: caches drop it before they drop other data.
/// Where the threads of a warp do not read neighbouring elements together this is slow: it is dropped before all have
/// it. (Float SpMV under merge_path on an H200, 2026-11-21: 4% less time on circuit5M, 0 to 2% on seven other
/// workloads; under schedules whose threads stride over tiles up to 2.7 times as much.)
template <class T> EVENLY_INLINE_FN T load_streaming(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { __ldcs(from); }) // a number; not a struct of them
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

/// *from will be read soon: a GPU brings it nearer in the meantime.
template <class T> EVENLY_INLINE_FN void prefetch([[maybe_unused]] const T* from) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#endif
}

} // namespace evenly

// What the code is compiled with, where it matters.
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
// the library define EVENLY_LINKS_RUNTIME. Without it, under a sanitizer, with the containers of _GLIBCXX_DEBUG or with
// EVENLY_STD_THREADS, a unit compiles these functions itself, and the linker takes them before those of the library.
// The library defines EVENLY_COMPILES_RUNTIME where it compiles them.
#if defined(EVENLY_LINKS_RUNTIME) && !defined(EVENLY_STD_THREADS) && !defined(EVENLY_ADDRESS_SANITIZER) &&   \
    !defined(EVENLY_THREAD_SANITIZER) && !defined(_GLIBCXX_DEBUG) && !defined(EVENLY_COMPILES_RUNTIME)
/// Before the declaration of a function. Only units with EVENLY_RUNTIME_BODIES include the header of its body.
#define EVENLY_RUNTIME_FN
#else
#define EVENLY_RUNTIME_BODIES
#if defined(EVENLY_COMPILES_RUNTIME)
#define EVENLY_RUNTIME_FN [[gnu::used]] inline
#else
#define EVENLY_RUNTIME_FN inline
#endif
#endif
