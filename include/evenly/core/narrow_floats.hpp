// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers of 16 bits, for storage: half is IEEE 754 binary16, bfloat16 is the upper half of a float.
// They convert to float exactly. A float is rounded to the nearest, ties to even. There is no arithmetic on them: sums
// are those of floats.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// 11 bits of precision, magnitudes up to 65504, multiples of 2^-24.
struct half {
  std::uint16_t bits;

  half() = default;
  /// From 65520 on the result is infinity; for a NaN, a quiet NaN.
  EVENLY_FN explicit constexpr half(float value) : bits(rounded(std::bit_cast<std::uint32_t>(value))) {}
  EVENLY_FN static constexpr half of_bits(std::uint16_t bits) {
    half made{};
    made.bits = bits;
    return made;
  }
  EVENLY_FN constexpr operator float() const {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
      float value;
      asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
      return value;
    }
#endif
    const std::uint32_t sign = (bits & 0x8000u) << 16, rest = (bits & 0x7FFFu) << 13;
    const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) * 0x1p112f); // 127 - 15
    return std::bit_cast<float>(sign | scaled | (rest >= 0x0F800000u ? 0x7F800000u : 0u));
  }

 private:
  EVENLY_FN static constexpr std::uint16_t rounded(std::uint32_t x) {
    const auto sign = static_cast<std::uint16_t>(x >> 16 & 0x8000u);
    x &= 0x7FFFFFFFu;
    std::uint32_t made = 0;
    if (x > 0x7F800000u)
      made = 0x7E00u | (x >> 13 & 0x3FFu);
    else if (x >= 0x477FF000u) // 65520
      made = 0x7C00u;
    else if (x < 0x38800000u) // 2^-14: below, adding 0.5 rounds at the required last place
      made = std::bit_cast<std::uint32_t>(std::bit_cast<float>(x) + 0.5f) - 0x3F000000u;
    else
      made = (x + 0xFFFu + (x >> 13 & 1u) - 0x38000000u) >> 13;
    return static_cast<std::uint16_t>(sign | made);
  }
};

/// 8 bits of precision, and the magnitudes of floats.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  /// A value that rounds beyond the maximum becomes infinity; a NaN becomes a quiet NaN.
  EVENLY_FN explicit constexpr bfloat16(float value) : bits(rounded(std::bit_cast<std::uint32_t>(value))) {}
  EVENLY_FN static constexpr bfloat16 of_bits(std::uint16_t bits) {
    bfloat16 made{};
    made.bits = bits;
    return made;
  }
  EVENLY_FN constexpr operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }

 private:
  EVENLY_FN static constexpr std::uint16_t rounded(std::uint32_t x) {
    if ((x & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<std::uint16_t>(x >> 16 | 0x40u);
    return static_cast<std::uint16_t>((x + 0x7FFFu + (x >> 16 & 1u)) >> 16);
  }
};

/// A 16-bit replacement for float.
template <class T>
concept narrow_float = std::same_as<T, half> || std::same_as<T, bfloat16>;

namespace detail {

/// The type of sums of T.
template <class T> using sum_number = std::conditional_t<narrow_float<T>, float, T>;

} // namespace detail

static_assert(std::is_trivially_copyable_v<half> && std::is_trivially_copyable_v<bfloat16>);
static_assert(sizeof(half) == 2 && sizeof(bfloat16) == 2);

} // namespace evenly
