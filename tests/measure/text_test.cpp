// SPDX-License-Identifier: Apache-2.0
// Numbers in words for people: nouns agree with their number, and times keep their digits.
#include "measure/text.hpp"

#include <gtest/gtest.h>

namespace evenly::cli {

using measure::milliseconds, measure::with_noun;

namespace {

TEST(Text, NounsAgreeWithTheirNumber) {
  EXPECT_EQ(with_noun(0, "tile"), "0 tiles");
  EXPECT_EQ(with_noun(1, "tile"), "1 tile");
  EXPECT_EQ(with_noun(1200, "tile"), "1,200 tiles");
  EXPECT_EQ(with_noun(1, "vertex", "vertices"), "1 vertex");
  EXPECT_EQ(with_noun(2, "vertex", "vertices"), "2 vertices");
}

TEST(Text, TimesKeepThreeDigits) {
  EXPECT_EQ(milliseconds(0.0000123456), "1.23e-05");
  EXPECT_EQ(milliseconds(0.000343), "0.000343");
  EXPECT_EQ(milliseconds(0.00104), "0.0010");
  EXPECT_EQ(milliseconds(0.12345), "0.1235");
  EXPECT_EQ(milliseconds(12.345), "12.35");
  EXPECT_EQ(milliseconds(123456), "123456");
  EXPECT_EQ(milliseconds(0), "0");
}

} // namespace
} // namespace evenly::cli
