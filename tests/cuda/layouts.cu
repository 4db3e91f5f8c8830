// SPDX-License-Identifier: Apache-2.0
// The laws of layouts on a GPU: layouts/layout_laws.hpp.
#include <array>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "layouts/layout_laws.hpp"
#include "support/messages.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

void expect_laws_of_layouts(std::span<const int> blocks, const std::vector<named_references>& references) {
  for_each_broken_law(
      cuda(), blocks,
      [](const std::string& wrong, const std::string& where) { EXPECT_EQ(wrong, "") << where; }, references);
}

TEST(ArmsOnCuda, KeepTheirLaws) {
  constexpr std::array blocks{1, 32, 100, 256};
  expect_laws_of_layouts(blocks, adversarial_references());
}

TEST(ReducedArmsOnCuda, KeepTheirLaws) {
  constexpr std::array blocks{40};
  expect_laws_of_layouts(blocks, few_references());
}

TEST(ArmsOnCuda, ArePlannedForOneDevice) {
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  if (devices < 2) GTEST_SKIP() << "there is one device";
  const cuda here(0), there(1);
  const auto p = to_executor(here, std::vector<int>{1, 0});
  const auto plan = make_access_plan(here, index_list<int>(p), {.threads = 2, .elements = 2}, {}, none{});
  EXPECT_EQ(message_of<invalid_argument>([&] { plan.require_for(there, index_list<int>(p)); }),
            "the access plan is in the memory of device 0, but the executor uses that of device 1");
}

} // namespace
} // namespace evenly::laws
