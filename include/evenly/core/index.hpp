// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic that all parts of the library use.
#pragma once

#include <concepts>
#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// The types of tile and atom numbers. Smaller types have no advantage: their sums are ints, which need a cast back.
template <class T>
concept signed_of_32_or_64_bits = std::signed_integral<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// Returns the least integer q with q * divisor >= value. Requires value >= 0 and divisor > 0. Does not overflow.
template <std::integral Integer> EVENLY_FN constexpr Integer ceil_div(Integer value, Integer divisor) {
  return value / divisor + (value % divisor != 0);
}

/// Return a / b and a % b for non-negative numbers. They are cheaper than the operators if b is a constant power of
/// two.
EVENLY_FN constexpr int quotient(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) / static_cast<unsigned>(b));
}
EVENLY_FN constexpr int remainder(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) % static_cast<unsigned>(b));
}

/// Returns the greatest power of two that is at most `value`. Requires value >= 1. (Not std::bit_floor:
/// docs/decisions/0005 gives the reason.)
EVENLY_FN constexpr int floor_power_of_two(int value) {
  int power = 1;
  while (power <= value / 2) power *= 2;
  return power;
}

/// Calls body(i) for i = begin + rank, begin + rank + stride, ... below end. Forms no index past end. Requires 0 <=
/// rank < stride.
template <signed_of_32_or_64_bits Integer, class Body>
EVENLY_FN constexpr void for_strided(Integer begin, Integer end, int rank, int stride, Body body) {
  if (end - begin <= rank) return;
  const Integer turns = (end - begin - rank - 1) / stride;
  for (Integer turn = 0; turn <= turns; ++turn) body(begin + rank + turn * stride);
}

/// Return the smaller and the larger of two integers.
template <class Integer> EVENLY_FN constexpr Integer smaller(Integer a, Integer b) { return b < a ? b : a; }
template <class Integer> EVENLY_FN constexpr Integer larger(Integer a, Integer b) { return a < b ? b : a; }

} // namespace evenly
