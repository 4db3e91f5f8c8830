// SPDX-License-Identifier: Apache-2.0
// Stores through P on a GPU: reorganize/store_laws.hpp.
#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "reorganize/store_laws.hpp"

namespace evenly::laws {
namespace {

TEST(ReducedStoresOnCuda, ReachTheirElements) {
  for_each_broken_store(
      cuda(), [](const std::string& wrong, const std::string& where) { EXPECT_EQ(wrong, "") << where; });
}

} // namespace
} // namespace evenly::laws
