// SPDX-License-Identifier: Apache-2.0
// The macros for functions: where one may run, whether it is inlined, and how its loops are unrolled.
#pragma once

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

#if defined(__CUDA_ARCH__)
/// Unrolls the loop that follows on the GPU, where small arrays must stay in registers; host compilers choose
/// for themselves.
#define EVENLY_UNROLL _Pragma("unroll")
#else
#define EVENLY_UNROLL
#endif

namespace evenly {

/// In the body of a loop: the host compiler does not make several turns of it into one. Tiles are short, and what
/// vectorising across turns adds before and after the loop costs more than it saves.
EVENLY_INLINE_FN void keep_loop() {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  asm volatile("");
#endif
}

} // namespace evenly
