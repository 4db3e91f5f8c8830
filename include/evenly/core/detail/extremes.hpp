// SPDX-License-Identifier: Apache-2.0
// The lesser and the greater of two floating-point numbers, as minimum, maximum, minimumNumber and maximumNumber of
// IEEE 754-2019: -0 is less than +0, and if one number is NaN, the result is NaN, or the other number. Each is
// associative and commutative for all values; the sign and payload of NaN have no meaning.
//
// The code has no branches. A GPU has instructions for these operations; on x86 numbers are compared, selected and
// masked in vector registers, one or as many as fit. With comparisons alone, the order of the operands would decide
// which zero or NaN is the result.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"

/// Bytes of the registers in which the host code of this unit compares several numbers at a time; 0: none. Units of one
/// program may differ in this, by their compiler or its flags. Code that depends on it takes it as a template
/// parameter, so that no function has two bodies.
#if defined(__GNUC__) && defined(__SSE2__) && !defined(__CUDACC__) // nvcc lacks vector registers
#if defined(__AVX__)
#define EVENLY_REGISTER_BYTES 32
#else
#define EVENLY_REGISTER_BYTES 16
#endif
#else
#define EVENLY_REGISTER_BYTES 0
#endif

namespace evenly::detail {

enum class extreme { minimum, maximum, minimum_number, maximum_number };

constexpr bool is_greater(extreme which) {
  return which == extreme::maximum || which == extreme::maximum_number;
}
/// Whether a number wins against NaN.
constexpr bool ignores_nan(extreme which) {
  return which == extreme::minimum_number || which == extreme::maximum_number;
}

/// By the definition, for any floating-point type, in constant expressions too.
template <extreme Which, std::floating_point T> EVENLY_FN constexpr T extreme_plainly(T a, T b) {
  constexpr bool greater = is_greater(Which), ignores = ignores_nan(Which);
  if (a != a) return ignores ? b : a;
  if (b != b) return ignores ? a : b;
  if (a < b || b < a) return (a < b) == greater ? b : a;
  if (a != 0) return a;
  return greater ? a + b : -(-a - b); // of two zeros: the sum is +0, unless both are -0
}

#if defined(__CUDA_ARCH__)

/// PTX orders the zeros. Its plain instructions ignore NaN; those that propagate it are for float, from sm_80 on.
template <extreme Which> __device__ inline float extreme_of_registers(float a, float b) {
  float result;
#if __CUDA_ARCH__ >= 800
  if constexpr (Which == extreme::minimum) asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  if constexpr (Which == extreme::maximum) asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  if constexpr (!ignores_nan(Which)) return result;
#endif
  if constexpr (is_greater(Which))
    asm("max.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  else
    asm("min.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return ignores_nan(Which) || (a == a && b == b) ? result : a + b;
}
template <extreme Which> __device__ inline double extreme_of_registers(double a, double b) {
  double result;
  if constexpr (is_greater(Which))
    asm("max.f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));
  else
    asm("min.f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));
  return ignores_nan(Which) || (a == a && b == b) ? result : a + b;
}
#define EVENLY_EXTREME_REGISTERS

#elif EVENLY_REGISTER_BYTES > 0

/// Numbers in a register of `Bytes` bytes.
template <class T, int Bytes> struct lanes_of_numbers {
  typedef T type __attribute__((vector_size(Bytes)));
};

/// b = the extreme of a and b, in each lane. A selection by comparison returns its second operand if both are equal or
/// one is NaN. Selections in both orders therefore differ only for two zeros, or a NaN.
template <extreme Which, class Lanes> EVENLY_INLINE_FN void extreme_of_lanes(const Lanes& a, Lanes& b) {
  using bits = decltype(a == b); // a comparison sets all bits of a lane, or none
  constexpr bool greater = is_greater(Which);
  const Lanes one = greater ? (a > b ? a : b) : (a < b ? a : b);
  if constexpr (ignores_nan(Which)) {
    const bits number = greater ? (bits)one & ((bits)a | (a != b)) : (bits)one | ((bits)a & (a == b));
    b = b != b ? a : (Lanes)number;
  } else {
    const Lanes two = greater ? (b > a ? b : a) : (b < a ? b : a);
    const bits either = (bits)one | (bits)two; // NaN if one is NaN, -0 if one is -0
    const bits signs = (bits)one & (bits)two;
    b = greater ? (Lanes)(either & (signs | ~(bits)-Lanes{})) : (Lanes)either;
  }
}

/// One number at a time. (With std::bit_cast GCC moves bits to general registers and back, and a reduce_tiles from
/// cached data took twice as long; 2026-11-22.)
template <extreme Which, class T> EVENLY_INLINE_FN T extreme_of_registers(T a, T b) {
  using lanes = typename lanes_of_numbers<T, 16>::type;
  const lanes zero{};
  lanes result = b - zero; // b in each lane: GCC fills with zeros through a general register
  extreme_of_lanes<Which>(a - zero, result);
  return result[0];
}
#define EVENLY_EXTREME_REGISTERS

#endif

/// Returns the extreme of a and b.
template <extreme Which, int RegisterBytes = EVENLY_REGISTER_BYTES, std::floating_point T>
EVENLY_INLINE_FN constexpr T extreme_of(T a, T b) {
#if defined(EVENLY_EXTREME_REGISTERS)
  if constexpr (sizeof(T) <= sizeof(double))
    if (!std::is_constant_evaluated()) return extreme_of_registers<Which>(a, b);
#endif
  return extreme_plainly<Which>(a, b);
}

} // namespace evenly::detail
