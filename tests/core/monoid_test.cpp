// SPDX-License-Identifier: Apache-2.0
// The laws of monoids, for those of the library, for what scans make of them, and for those that tests use:
//   op(identity, a) = a = op(a, identity);  op(op(a, b), c) = op(a, op(b, c));  op(a, b) = op(b, a) if so marked.

#include "evenly/core/monoid.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/team.hpp"
#include "support/monoids.hpp"
#include "support/special_values.hpp"

namespace evenly {
namespace {

template <class Op, class T = typename Op::value_type>
void expect_laws(const std::vector<T>& values, const Op& op = {}) {
  const auto same = [](const T& a, const T& b) {
    if constexpr (std::floating_point<T>)
      return alike(a, b);
    else
      return a == b;
  };
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
  expect_laws<minimum<int>>({std::numeric_limits<int>::lowest(), 0, std::numeric_limits<int>::max()});
  expect_laws<maximum<int>>({std::numeric_limits<int>::lowest(), 0, std::numeric_limits<int>::max()});
}

template <class T> class FloatingPoint : public testing::Test {};
using floating_types = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(FloatingPoint, floating_types);

TYPED_TEST(FloatingPoint, LawsHoldForExtremesOfAllSpecialValues) {
  const auto values = special_values<TypeParam>();
  expect_laws<minimum<TypeParam>>(values);
  expect_laws<maximum<TypeParam>>(values);
  expect_laws<minimum_number<TypeParam>>(values);
  expect_laws<maximum_number<TypeParam>>(values);
}

TYPED_TEST(FloatingPoint, ExtremesAreThoseOfTheDefinition) {
  const auto values = special_values<TypeParam>();
  for (const detail::extreme which : all_extremes)
    for (const TypeParam a : values)
      for (const TypeParam b : values)
        EXPECT_TRUE(alike(any_extreme<TypeParam>{which}(a, b), extreme_by_definition(which, a, b)))
            << any_extreme<TypeParam>{which}.name() << " of " << a << " and " << b;
}

/// Sums and products are associative up to rounding only; the rest holds for all values. A sum with 0 loses the sign of
/// -0.
template <class Op, class T> void expect_symmetry_and_identity(const std::vector<T>& values) {
  const Op op;
  const auto same_up_to_zeros = [](T a, T b) { return alike(a, b) || (a == 0 && b == 0); };
  for (const T& a : values) {
    EXPECT_TRUE(same_up_to_zeros(op(op.identity(), a), a)) << a;
    EXPECT_TRUE(same_up_to_zeros(op(a, op.identity()), a)) << a;
    for (const T& b : values) EXPECT_TRUE(alike(op(a, b), op(b, a))) << a << " and " << b;
  }
}

TYPED_TEST(FloatingPoint, SumsAndProductsHaveAnIdentityAndDoNotDependOnTheOrderOfTwo) {
  expect_symmetry_and_identity<plus<TypeParam>>(special_values<TypeParam>());
  expect_symmetry_and_identity<multiplies<TypeParam>>(special_values<TypeParam>());
}

TEST(Monoid, ExtremesAreConstantExpressions) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  static_assert(maximum<float>{}(1, 2) == 2 && minimum<double>{}(1, 2) == 1);
  static_assert(maximum<float>{}(nan, 2) != maximum<float>{}(nan, 2));
  static_assert(maximum_number<float>{}(nan, 2) == 2 && minimum_number<float>{}(2, nan) == 2);
}

TEST(Monoid, WithoutATypeTakesTheTypeOfTheValues) {
  static_assert(std::is_same_v<decltype(plus{}), plus<>> && !monoid<plus<>>);
  static_assert(std::is_same_v<detail::monoid_type<plus<>, const float&>, plus<float>>);
  static_assert(std::is_same_v<detail::monoid_type<multiplies<>, int>, multiplies<int>>);
  static_assert(std::is_same_v<detail::monoid_type<minimum<>, int>, minimum<int>>);
  static_assert(std::is_same_v<detail::monoid_type<maximum<>, int>, maximum<int>>);
  static_assert(std::is_same_v<detail::monoid_type<minimum_number<>, float>, minimum_number<float>>);
  static_assert(std::is_same_v<detail::monoid_type<maximum_number<>, float>, maximum_number<float>>);
  static_assert(std::is_same_v<detail::monoid_type<plus<double>, float>, plus<double>>);
  const minimum<double> converted = minimum{};
  EXPECT_EQ(converted(2, 1), 1);
}

TEST(Monoid, IsMadeOfAnyFunction) {
  const auto product = monoid_of(std::multiplies<>{}, 1.0, commutative);
  static_assert(monoid<decltype(product)> && is_commutative<decltype(product)>);
  expect_laws(std::vector<double>{-2, 0, 0.5, 3, 1024}, product);

  const auto latest = monoid_of([](int a, int b) { return b == 0 ? a : b; }, 0);
  static_assert(!is_commutative<decltype(latest)>);
  expect_laws(std::vector<int>{0, 1, 2, -3}, latest);

  constexpr auto narrow = monoid_of(std::plus<>{}, std::uint8_t{0}); // of which the sum is an int
  static_assert(std::is_same_v<decltype(narrow(1, 2)), std::uint8_t> && narrow(200, 100) == 44);
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
