// SPDX-License-Identifier: Apache-2.0
// Matrices without values, or with values of 16 bits, on the CPU and on the simulated GPU; and these numbers.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "sparse/compact_laws.hpp"
#include "sparse/refusals.hpp"
#include "support/messages.hpp"

namespace evenly::products {
namespace {

TEST(CompactFormats, KeepTheirLawsOnCores) { expect_compact_formats(cpu(2)); }
TEST(CompactFormats, KeepTheirLawsOnSimt) { expect_compact_formats(simt({.warp_size = 32, .seed = 1})); }

TEST(CompactFormats, HaveRealProductsWithinTheirBoundAndTheirBitsAgain) {
  const cpu exec(3);
  auto a = matrix_of_several_blocks(numbers::whole);
  const auto on_exec = to_executor(exec, floats_of(a));
  const auto halves = to_narrow<half>(exec, on_exec.view());
  expect_real_product(exec, merge_path{}, with_values(on_exec.view(), halves.data()), a, "half");
  a.values.assign(a.values.size(), 1);
  expect_real_product(exec, merge_path{}, pattern_of<float>(on_exec.view()), a, "pattern");
}

/// By the definition, in double: sign, exponent, fraction.
double by_definition(std::uint32_t bits, int exponent_bits, int fraction_bits) {
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits >> 15 & 1u) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + std::ldexp(1.0, fraction_bits), exponent - bias - fraction_bits);
}

/// Every one of them becomes the float that it is, and that one becomes it again.
template <class T> void expect_all(int exponent_bits, int fraction_bits) {
  for (std::uint32_t bits = 0; bits < 1u << 16; ++bits) {
    const T number = T::of_bits(static_cast<std::uint16_t>(bits));
    const double right = by_definition(bits, exponent_bits, fraction_bits);
    const float wide = number;
    if (std::isnan(right)) {
      EXPECT_TRUE(std::isnan(wide) && std::isnan(float{T(wide)})) << bits;
    } else {
      EXPECT_EQ(wide, right) << bits;
      EXPECT_EQ(std::signbit(wide), std::signbit(right)) << bits;
      EXPECT_EQ(T(wide).bits, bits);
    }
  }
}
TEST(NarrowFloats, AreWhatTheirBitsSay) {
  expect_all<half>(5, 10);
  expect_all<bfloat16>(8, 7);
}

/// Between two neighbours: the nearer one, and in the middle that with an even last bit.
template <class T> void expect_rounding(std::uint16_t largest) {
  for (std::uint16_t bits = 0; bits < largest; ++bits) {
    const float low = T::of_bits(bits), high = T::of_bits(static_cast<std::uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    if (middle == low || middle == high) continue; // no float is between them
    EXPECT_EQ(T(middle).bits, bits % 2 == 0 ? bits : bits + 1) << bits;
    EXPECT_EQ(T(-middle).bits, 0x8000 | (bits % 2 == 0 ? bits : bits + 1)) << bits;
    EXPECT_EQ(T(std::nextafter(middle, low)).bits, bits) << bits;
    EXPECT_EQ(T(std::nextafter(middle, high)).bits, bits + 1) << bits;
  }
}
TEST(NarrowFloats, AreRoundedToTheNearest) {
  expect_rounding<half>(0x7BFF);
  expect_rounding<bfloat16>(0x7F7F);
  EXPECT_EQ(half(65519.996f).bits, 0x7BFF);
  EXPECT_EQ(half(65520.0f).bits, 0x7C00);
  EXPECT_EQ(half(-std::numeric_limits<float>::infinity()).bits, 0xFC00);
  EXPECT_EQ(bfloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  static_assert(half(1.5f).bits == 0x3E00 && float{half(-0.25f)} == -0.25f);
}

TEST(CompactFormats, RefuseWhatCannotBe) {
  const cpu exec;
  auto a = floats_of(matrix_of<double>(4, {{{1, 1}, {2, 3}}, {{3, 1}}}));
  a.values[1] = 65520;
  const auto on_exec = to_executor(exec, a);
  EXPECT_EQ(message_of<invalid_argument>([&] { to_narrow<half>(exec, on_exec.view()); }),
            "values[1] = 65520.000000 does not fit into 16 bits: the largest value is 65504.000000");
  EXPECT_NO_THROW(to_narrow<bfloat16>(exec, on_exec.view()));
  a.values[1] = std::numeric_limits<float>::infinity();
  a.values[2] = std::numeric_limits<float>::quiet_NaN();
  const auto special = to_narrow<half>(exec, to_executor(exec, a).view());
  EXPECT_EQ(float{special.data()[1]}, a.values[1]);
  EXPECT_TRUE(std::isnan(float{special.data()[2]}));
  EXPECT_EQ(message_of<invalid_argument>([&] { pattern_of<float>(csr_view<float>{-1, 2}); }),
            "a matrix of -1 rows and 2 columns: sizes must not be negative");
  EXPECT_EQ(message_of<invalid_argument>([&] { to_narrow<half>(exec, csr_view<float>{2, 2}); }),
            "offsets are null, but the matrix has 2 rows");
}

TEST(CompactFormats, RefuseToBeWrittenOver) {
  const cpu exec;
  const auto a = to_executor(exec, floats_of(row_of_every_third_column()));
  const auto halves = to_narrow<half>(exec, a.view());
  const named_array offsets("offsets", a.offsets.data(), 2), columns("columns", a.columns.data(), 300);
  expect_apart(with_values(a.view(), halves.data()), {offsets, columns, {"values", halves.data(), 300}});
  expect_apart(pattern_of<float>(a.view()), {offsets, columns});
}

TEST(CompactFormats, RefuseThePlanOfAnotherMatrix) {
  const cpu exec;
  const auto a = to_executor(exec, row_of_every_third_column()),
             other = to_executor(exec, row_of_every_third_column());
  expect_plan_refused(pattern_of<double>(a.view()), pattern_of<double>(other.view()));
}

/// A finite double beyond floats is refused as well; columns alone make a pattern.
TEST(CompactFormats, TakeDoublesAndColumnsAlone) {
  const cpu exec;
  const std::vector<int> offsets{0, 1}, columns{0};
  const std::vector<double> values{1e300};
  const csr_view<double> large{1, 1, offsets.data(), columns.data(), values.data()};
  EXPECT_THROW(to_narrow<bfloat16>(exec, large), invalid_argument);
  const std::vector<float> x{5};
  std::vector<float> y{7};
  spmv(exec, merge_path{}, pattern_of<float>(csr_view<int>{1, 1, offsets.data(), columns.data()}), x, y, 1,
       1);
  EXPECT_EQ(y[0], 12);
}

} // namespace
} // namespace evenly::products
