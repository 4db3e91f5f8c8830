// SPDX-License-Identifier: Apache-2.0
// Three handlers are a skeleton: algorithms/first_match.hpp, on a GPU.

#include <gtest/gtest.h>

#include "algorithms/first_match_laws.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly::laws {
namespace {

TEST(ThreeHandlersOnCuda, RunUnderEverySchedule) {
  for (const int block_size : {32, 100, 128}) expect_first_matches(cuda(), block_size);
}

} // namespace
} // namespace evenly::laws
