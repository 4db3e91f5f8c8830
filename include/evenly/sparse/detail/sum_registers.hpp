// SPDX-License-Identifier: Apache-2.0
// Vector registers for sums of products on cpu.
#pragma once

#include "evenly/core/monoid.hpp"

/// Unrolls the following loop over at most 16 registers at every level of optimisation, so that they stay registers.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define EVENLY_UNROLL_REGISTERS _Pragma("GCC unroll 16")
#else
#define EVENLY_UNROLL_REGISTERS
#endif

namespace evenly::detail {

/// Bytes of the registers in which products are summed; 0: none. (In monoid.hpp: 32 at most, for comparisons.)
#if EVENLY_REGISTER_BYTES > 0 && defined(__AVX512F__)
inline constexpr int sum_register_bytes = 64;
#else
inline constexpr int sum_register_bytes = EVENLY_REGISTER_BYTES;
#endif

/// The values in a register of `Bytes` bytes, if this translation unit has such registers.
template <class Value, int Bytes> struct lanes_of_values;
#if EVENLY_REGISTER_BYTES > 0
template <class Value, int Bytes> struct lanes_of_values {
  typedef Value type __attribute__((vector_size(Bytes)));
};
#endif

} // namespace evenly::detail
