// SPDX-License-Identifier: Apache-2.0
// Three handlers are a skeleton: first_match.hpp, on the CPU and on the simulated GPU.

#include <gtest/gtest.h>

#include "algorithms/first_match_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"

namespace evenly::laws {
namespace {

TEST(ThreeHandlers, RunUnderEveryScheduleOnCpu) {
  for (const int threads : {1, 3}) expect_first_matches(cpu(threads), 128);
}
TEST(ThreeHandlers, RunUnderEveryScheduleOnSimt) {
  expect_first_matches(simt({.warp_size = 32}), 33);
  expect_first_matches(simt({.warp_size = 4, .seed = 1}), 8);
}

} // namespace
} // namespace evenly::laws
