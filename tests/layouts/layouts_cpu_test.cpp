// SPDX-License-Identifier: Apache-2.0
// The laws of layouts on the cores of this machine.
#include <array>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "layouts/layout_laws.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

TEST(Layouts, KeepTheirLawsOnCpu) {
  constexpr std::array blocks{1, 32, 96, 256};
  for (const int threads : {1, 3})
    for_each_broken_law(cpu(threads), blocks, [](const std::string& wrong, const std::string& where) {
      EXPECT_EQ(wrong, "") << where;
    });
}

} // namespace
} // namespace evenly::laws
