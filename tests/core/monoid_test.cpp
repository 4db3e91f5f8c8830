// SPDX-License-Identifier: Apache-2.0
// The laws of monoids, for those of the library, for what scans make of them, and for those that tests use:
//   op(identity, a) = a = op(a, identity);  op(op(a, b), c) = op(a, op(b, c));  op(a, b) = op(b, a) if so marked.

#include "evenly/core/monoid.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/scan.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

template <class Op, class T = typename Op::value_type>
void expect_laws(const std::vector<T>& values, const Op& op = {}) {
  const auto same = [](const T& a, const T& b) { return a == b; };
  for (const T& a : values) {
    EXPECT_TRUE(same(op(op.identity(), a), a));
    EXPECT_TRUE(same(op(a, op.identity()), a));
    for (const T& b : values) {
      if (is_commutative<Op>) {
        EXPECT_TRUE(same(op(a, b), op(b, a)));
      }
      for (const T& c : values) EXPECT_TRUE(same(op(op(a, b), c), op(a, op(b, c))));
    }
  }
}

template <class T> void expect_laws_of_numbers(const std::vector<T>& values) {
  expect_laws<plus<T>>(values);
  expect_laws<multiplies<T>>(values);
  expect_laws<minimum<T>>(values);
  expect_laws<maximum<T>>(values);
}

TEST(Monoid, LawsHoldForNumbers) {
  expect_laws_of_numbers<int>({-7, 0, 1, 5, 1000});
  expect_laws_of_numbers<unsigned>({0, 1, 5, std::numeric_limits<unsigned>::max()});
  expect_laws_of_numbers<std::int64_t>({-7, 0, 1, std::int64_t{1} << 20});
  expect_laws_of_numbers<float>({-2, 0, 0.5f, 3, 1024}); // whose sums and products are exact
  expect_laws_of_numbers<double>({-2, 0, 0.5, 3, 1024});
}

TEST(Monoid, IdentitiesOfMinimumAndMaximumAreTheUtmost) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(minimum<float>{}.identity(), infinity);
  EXPECT_EQ(maximum<float>{}.identity(), -infinity);
  EXPECT_EQ(minimum<int>{}.identity(), std::numeric_limits<int>::max());
  EXPECT_EQ(maximum<int>{}.identity(), std::numeric_limits<int>::lowest());
  expect_laws<minimum<float>>({-infinity, 0, infinity});
  expect_laws<maximum<float>>({-infinity, 0, infinity});
  expect_laws<minimum<int>>({std::numeric_limits<int>::lowest(), 0, std::numeric_limits<int>::max()});
  expect_laws<maximum<int>>({std::numeric_limits<int>::lowest(), 0, std::numeric_limits<int>::max()});
}

TEST(Monoid, MarksSayWhichAreCommutative) {
  EXPECT_TRUE(is_commutative<plus<float>> && is_commutative<minimum<int>> && is_commutative<maximum<int>> &&
              is_commutative<multiplies<double>>);
  EXPECT_FALSE(is_commutative<affine_maps> || is_commutative<segmented_monoid<plus<int>>>);
}

template <class Op> std::vector<typename Op::value_type> samples(int count) {
  std::vector<typename Op::value_type> made = {Op{}.identity()};
  for (int key = 0; key < count; ++key) made.push_back(Op::of(static_cast<std::uint64_t>(key)));
  return made;
}

TEST(Monoid, LawsHoldForThoseOfTests) {
  expect_laws<latest_byte>(samples<latest_byte>(6));
  expect_laws<word_sum>(samples<word_sum>(6));
  expect_laws<affine_maps>(samples<affine_maps>(6));
  expect_laws<matrices>(samples<matrices>(6));
  auto few = samples<stretches>(6);
  few.push_back({0, 0, -1});
  few.push_back({1, 0, 3});
  expect_laws<stretches>(few);
}

TEST(Monoid, TestsWouldNoticeAnotherOrder) {
  EXPECT_NE(affine_maps{}(affine_maps::of(1), affine_maps::of(2)),
            affine_maps{}(affine_maps::of(2), affine_maps::of(1)));
  EXPECT_NE(matrices{}(matrices::of(1), matrices::of(2)), matrices{}(matrices::of(2), matrices::of(1)));
  EXPECT_NE(stretches{}(stretches::of(1), stretches::of(2)), stretches{}(stretches::of(2), stretches::of(1)));
  EXPECT_NE(latest_byte{}(3, 4), latest_byte{}(4, 3));
}

/// `segmented` has no operator==; what is compared is what a scan uses.
struct segmented_maps : segmented_monoid<affine_maps> {
  struct value_type : segmented<affine_maps::value_type> {
    friend bool operator==(const value_type& a, const value_type& b) {
      return (a.ends != 0) == (b.ends != 0) && a.open == b.open;
    }
  };
  value_type identity() const { return {segmented_monoid::identity()}; }
  value_type operator()(const value_type& a, const value_type& b) const {
    return {segmented_monoid::operator()(a, b)};
  }
};

TEST(Monoid, LawsHoldForSegmentedValues) {
  std::vector<segmented_maps::value_type> values;
  for (int key = 0; key < 6; ++key)
    values.push_back({{key % 2, affine_maps::of(static_cast<std::uint64_t>(key))}});
  expect_laws<segmented_maps>(values);
}

} // namespace
} // namespace evenly
