// SPDX-License-Identifier: Apache-2.0
// The laws of arms on a GPU: reorganize/arm_laws.hpp.
#include <array>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "reorganize/arm_laws.hpp"

namespace evenly::laws {
namespace {

void expect_laws_of_arms(std::span<const int> blocks) {
  for_each_broken_law(cuda(), blocks, [](const std::string& wrong, const std::string& where) {
    EXPECT_EQ(wrong, "") << where;
  });
}

TEST(ArmsOnCuda, KeepTheirLaws) {
  constexpr std::array blocks{1, 32, 256};
  expect_laws_of_arms(blocks);
}

TEST(ReducedArmsOnCuda, KeepTheirLaws) {
  constexpr std::array blocks{100};
  expect_laws_of_arms(blocks);
}

} // namespace
} // namespace evenly::laws
