// SPDX-License-Identifier: Apache-2.0
// Periodic boxes, shifts between their images, and the rule by which two points are neighbors.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

namespace evenly::detail {

/// A number for messages.
inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

} // namespace evenly::detail

namespace evenly::spatial {

/// A parallelepiped of three edge vectors, repeated along those that are periodic.
struct simulation_box {
  double edges[3][3]; ///< edges[k]: x, y and z of edge k; a right-handed or left-handed basis
  bool periodic[3] = {true, true, true};

  /// A box with edges along x, y and z. Throws invalid_argument for a length that is not positive and finite.
  static simulation_box orthorhombic(double x, double y, double z) {
    const double lengths[3] = {x, y, z};
    simulation_box box{};
    for (int k = 0; k < 3; ++k) {
      require(lengths[k] > 0 && std::isfinite(lengths[k]), [&] {
        return detail::concat("box length ", detail::number_text(lengths[k]),
                              ": lengths must be positive and finite");
      });
      box.edges[k][k] = lengths[k];
      box.periodic[k] = true;
    }
    return box;
  }
};

/// How many edges of the box lie between a point and an image of its neighbor: three integers from -512 to 511 in 32
/// bits. Shifts compare as their three numbers do, in this order.
struct image_shift {
  static constexpr int bias = 512;
  static constexpr std::uint32_t zero = bias << 20 | bias << 10 | bias;
  std::uint32_t bits = zero;

  EVENLY_FN static constexpr image_shift of(int a, int b, int c) {
    return {zero + (static_cast<std::uint32_t>(a) << 20) + (static_cast<std::uint32_t>(b) << 10) +
            static_cast<std::uint32_t>(c)};
  }
  /// The number of edges along edge k, 0 <= k < 3.
  EVENLY_FN constexpr int operator[](int k) const {
    return static_cast<int>(bits >> (20 - 10 * k) & 1023) - bias;
  }
  friend EVENLY_FN constexpr bool operator==(image_shift a, image_shift b) { return a.bits == b.bits; }
  friend EVENLY_FN constexpr bool operator<(image_shift a, image_shift b) { return a.bits < b.bits; }
};

/// The rule of all passes: the vector from point i to an image of point j is (p_j - p_i) + shift * edges, computed in
/// T with the operations below. i and j are neighbors if its squared length is below the square of the cutoff.
template <std::floating_point T> struct pair_rule {
  T edges[3][3];
  T cutoff_squared;

  EVENLY_FN T offset(image_shift s, int d) const {
    return std::fma(static_cast<T>(s[2]), edges[2][d],
                    std::fma(static_cast<T>(s[1]), edges[1][d], static_cast<T>(s[0]) * edges[0][d]));
  }
  EVENLY_FN static T squared(T x, T y, T z) { return std::fma(z, z, std::fma(y, y, x * x)); }
};

} // namespace evenly::spatial

namespace evenly::detail {

/// Position a + b - c of shifts: their three numbers, as no field overflows.
EVENLY_FN constexpr spatial::image_shift add_shifts(spatial::image_shift a, spatial::image_shift b,
                                                    spatial::image_shift c) {
  return {a.bits + b.bits - c.bits};
}

} // namespace evenly::detail
