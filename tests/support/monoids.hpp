// SPDX-License-Identifier: Apache-2.0
// Monoids for tests, of values of 1, 4, 8, 12 and 20 bytes without padding. Each makes a value of any 64-bit key, and
// nearly all notice when values are combined in another order, twice, or not at all.
#pragma once

#include <cstdint>

#include "evenly/algorithms/detail/law_instances.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

using laws::mixed, laws::affine_maps;

/// The last value that is not 0.
struct latest_byte {
  using value_type = std::uint8_t;
  static constexpr const char* name = "latest bytes";
  EVENLY_FN static constexpr value_type of(std::uint64_t key) {
    return static_cast<value_type>(1 + mixed(key) % 255);
  }
  EVENLY_FN constexpr value_type identity() const { return 0; }
  EVENLY_FN constexpr value_type operator()(value_type a, value_type b) const { return b == 0 ? a : b; }
};

/// Floating-point addition, in the form in which the library has it. Terms of both signs and of magnitudes that
/// differ, so that another order shows in the last bits.
struct float_sum : plus<float> {
  static constexpr const char* name = "float sums";
  EVENLY_FN static constexpr float of(std::uint64_t key) {
    const std::uint64_t bits = mixed(key);
    const auto centred = static_cast<int>(bits & 0xFFFFF) - 0x80000;
    return static_cast<float>(centred) / static_cast<float>(1u << (16 + (bits >> 60)));
  }
};

/// Addition modulo 2^64: commutative and exact.
struct word_sum : plus<std::uint64_t> {
  static constexpr const char* name = "sums modulo 2^64";
  EVENLY_FN static constexpr std::uint64_t of(std::uint64_t key) { return mixed(key); }
};

/// Ranges of consecutive keys. Combining ranges that are not adjacent gives a broken one, which stays broken.
struct stretches {
  struct value_type {
    std::uint32_t low; ///< the first key, in two halves
    std::uint32_t high;
    std::int32_t count; ///< 0: nothing; -1: broken
    friend constexpr bool operator==(const value_type&, const value_type&) = default;
  };
  static constexpr const char* name = "stretches";
  EVENLY_FN static constexpr value_type of(std::uint64_t key) {
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32), 1};
  }
  EVENLY_FN constexpr value_type identity() const { return {0, 0, 0}; }
  EVENLY_FN constexpr value_type operator()(const value_type& a, const value_type& b) const {
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const bool follows =
        a.count > 0 && b.count > 0 && first(a) + static_cast<std::uint64_t>(a.count) == first(b);
    return follows ? value_type{a.low, a.high, a.count + b.count} : value_type{0, 0, -1};
  }

 private:
  EVENLY_FN static constexpr std::uint64_t first(const value_type& v) {
    return static_cast<std::uint64_t>(v.high) << 32 | v.low;
  }
};

/// Products of 2 x 2 matrices modulo 2^32, and how many factors they have.
struct matrices {
  struct value_type {
    std::uint32_t a, b, c, d;
    std::uint32_t factors;
    friend constexpr bool operator==(const value_type&, const value_type&) = default;
  };
  static constexpr const char* name = "matrices";
  EVENLY_FN static constexpr value_type of(std::uint64_t key) {
    const std::uint64_t one = mixed(key), two = mixed(one);
    return {static_cast<std::uint32_t>(one) | 1, static_cast<std::uint32_t>(one >> 32) & ~1u,
            static_cast<std::uint32_t>(two) & ~1u, static_cast<std::uint32_t>(two >> 32) | 1, 1};
  }
  EVENLY_FN constexpr value_type identity() const { return {1, 0, 0, 1, 0}; }
  EVENLY_FN constexpr value_type operator()(const value_type& x, const value_type& y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d,
            x.factors + y.factors};
  }
};

static_assert(sizeof(latest_byte::value_type) == 1 && sizeof(affine_maps::value_type) == 8 &&
              sizeof(stretches::value_type) == 12 && sizeof(matrices::value_type) == 20);
static_assert(monoid<latest_byte> && monoid<float_sum> && monoid<word_sum> && monoid<affine_maps> &&
              monoid<stretches> && monoid<matrices>);
static_assert(is_commutative<float_sum> && is_commutative<word_sum> && !is_commutative<stretches>);

} // namespace evenly
