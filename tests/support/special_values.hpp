// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers that operations get wrong, and what minimum, maximum, minimum_number and maximum_number make
// of them, by definition: by questions to the standard library, with branches.
#pragma once

#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// NaN of both signs and of two payloads, infinities, zeros, and the ends of the ranges.
template <std::floating_point T> std::vector<T> special_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {static_cast<T>(std::nan("1")),
                           limits::signaling_NaN(),
                           limits::quiet_NaN(),
                           limits::infinity(),
                           limits::max(),
                           1,
                           limits::min(),
                           limits::denorm_min(),
                           0};
  for (std::size_t i = values.size(); i-- > 0;) values.push_back(-values[i]);
  return values;
}

/// Whether both are NaN, or have the same value and the same sign.
template <std::floating_point T> bool alike(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// One of the four, chosen when it runs, so that all are one type: tests that go through every schedule compile once.
template <std::floating_point T> struct any_extreme {
  using value_type = T;
  static constexpr bool commutative = true;
  detail::extreme which;

  EVENLY_FN T identity() const {
    return is_minimum()   ? minimum<T>{}.identity()
           : is_maximum() ? maximum<T>{}.identity()
                          : maximum_number<T>{}.identity();
  }
  EVENLY_FN T operator()(const T& a, const T& b) const {
    return is_minimum()                               ? minimum<T>{}(a, b)
           : is_maximum()                             ? maximum<T>{}(a, b)
           : which == detail::extreme::minimum_number ? minimum_number<T>{}(a, b)
                                                      : maximum_number<T>{}(a, b);
  }
  const char* name() const {
    return is_minimum()                               ? "minimum"
           : is_maximum()                             ? "maximum"
           : which == detail::extreme::minimum_number ? "minimum_number"
                                                      : "maximum_number";
  }

 private:
  EVENLY_FN bool is_minimum() const { return which == detail::extreme::minimum; }
  EVENLY_FN bool is_maximum() const { return which == detail::extreme::maximum; }
};

/// What any_extreme{which}(a, b) has to be.
template <std::floating_point T> T extreme_by_definition(detail::extreme which, T a, T b) {
  const bool min = which == detail::extreme::minimum || which == detail::extreme::minimum_number;
  const bool ignores = which == detail::extreme::minimum_number || which == detail::extreme::maximum_number;
  if (std::isnan(a)) return ignores ? b : a;
  if (std::isnan(b)) return ignores ? a : b;
  const bool a_is_less = a != b ? a < b : std::signbit(a) && !std::signbit(b);
  return a_is_less == min ? a : b;
}

inline constexpr detail::extreme all_extremes[] = {detail::extreme::minimum, detail::extreme::maximum,
                                                   detail::extreme::minimum_number,
                                                   detail::extreme::maximum_number};

} // namespace evenly
