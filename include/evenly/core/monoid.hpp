// SPDX-License-Identifier: Apache-2.0
// Monoids: an associative operation together with its identity. Reductions and scans take one.
//
// Laws, for all a, b, c:  op(identity, a) = a = op(a, identity);  op(op(a, b), c) = op(a, op(b, c)).
// Floating-point addition is associative up to rounding only; evenly combines in a fixed order, so a result
// has the same bits on every run of the same plan. Values are combined in order unless the monoid says
//   static constexpr bool commutative = true;
// which lets threads that stride over a tile keep a sum each.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/extremes.hpp"

namespace evenly {

template <class M>
concept monoid = std::is_trivially_copyable_v<M> && requires(const M& op, const typename M::value_type& a) {
  { op.identity() } -> std::convertible_to<typename M::value_type>;
  { op(a, a) } -> std::convertible_to<typename M::value_type>;
};

template <monoid Op>
inline constexpr bool is_commutative = [] {
  if constexpr (requires { Op::commutative; })
    return static_cast<bool>(Op::commutative);
  else
    return false;
}();

template <class T> struct plus {
  using value_type = T;
  static constexpr bool commutative = true;
  EVENLY_FN constexpr T identity() const { return T{}; }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return a + b; }
};

template <class T> struct multiplies {
  using value_type = T;
  static constexpr bool commutative = true;
  EVENLY_FN constexpr T identity() const { return T{1}; }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return a * b; }
};

/// The lesser of two; its identity is infinity where T has one, otherwise the greatest value of T. Of floating-point
/// numbers -0 is less than +0, and if one is NaN, so is the result: minimum of IEEE 754-2019.
template <class T> struct minimum {
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::minimum;
  EVENLY_FN constexpr T identity() const {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::max();
  }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>)
      return detail::extreme_of<which>(a, b);
    else
      return b < a ? b : a;
  }
};

/// The greater of two; its identity is minus infinity where T has one, otherwise the least value of T. Of floating-point
/// numbers as minimum.
template <class T> struct maximum {
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::maximum;
  EVENLY_FN constexpr T identity() const {
    if constexpr (std::numeric_limits<T>::has_infinity)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>)
      return detail::extreme_of<which>(a, b);
    else
      return a < b ? b : a;
  }
};

/// As minimum, but NaN gives way to a number, and is the identity: what has no number, because all are NaN or there is
/// nothing, gives NaN. minimumNumber of IEEE 754-2019; std::fmin but for the zeros.
template <std::floating_point T> struct minimum_number {
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::minimum_number;
  EVENLY_FN constexpr T identity() const { return std::numeric_limits<T>::quiet_NaN(); }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return detail::extreme_of<which>(a, b); }
};

/// As maximum, but NaN gives way to a number, and is the identity, as in minimum_number.
template <std::floating_point T> struct maximum_number {
  using value_type = T;
  static constexpr bool commutative = true;
  static constexpr detail::extreme which = detail::extreme::maximum_number;
  EVENLY_FN constexpr T identity() const { return std::numeric_limits<T>::quiet_NaN(); }
  EVENLY_FN constexpr T operator()(const T& a, const T& b) const { return detail::extreme_of<which>(a, b); }
};

static_assert(monoid<plus<float>> && monoid<multiplies<int>> && monoid<minimum<double>> &&
              monoid<maximum<int>> && monoid<minimum_number<float>> && monoid<maximum_number<double>>);

} // namespace evenly
