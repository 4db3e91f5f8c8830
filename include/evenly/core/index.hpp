// SPDX-License-Identifier: Apache-2.0
// Small integer arithmetic that every folder needs.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// The least integer q with q * divisor >= value. Requires value >= 0, divisor > 0, value + divisor representable.
template <std::integral Integer> EVENLY_FN constexpr Integer ceil_div(Integer value, Integer divisor) {
  return static_cast<Integer>((value + divisor - 1) / divisor);
}

/// The greatest power of two that is at most `value`. Requires value >= 1.
EVENLY_FN constexpr int floor_power_of_two(int value) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(value)));
}

template <class Integer> EVENLY_FN constexpr Integer smaller(Integer a, Integer b) { return b < a ? b : a; }
template <class Integer> EVENLY_FN constexpr Integer larger(Integer a, Integer b) { return a < b ? b : a; }

} // namespace evenly
