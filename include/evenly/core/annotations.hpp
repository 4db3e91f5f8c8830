// SPDX-License-Identifier: Apache-2.0
// The only macros that users write: where a function may run, and how its loops are unrolled.
#pragma once

#if defined(__CUDACC__)
/// A function or lambda that runs on every executor. Without CUDA it says nothing.
#define EVENLY_FN __host__ __device__
#else
#define EVENLY_FN
#endif

#if defined(__CUDA_ARCH__)
/// Unrolls the loop that follows on the GPU, where small arrays must stay in registers; host compilers choose
/// for themselves.
#define EVENLY_UNROLL _Pragma("unroll")
#else
#define EVENLY_UNROLL
#endif
