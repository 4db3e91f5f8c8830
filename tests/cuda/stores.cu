// SPDX-License-Identifier: Apache-2.0
// Stores through P on a GPU: layouts/store_laws.hpp.
#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "layouts/store_laws.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

void expect_no_fault(const std::string& wrong, const std::string& where) { EXPECT_EQ(wrong, "") << where; }

TEST(StoresOnCuda, ReachTheirElements) { for_each_broken_store(cuda(), expect_no_fault); }

TEST(ReducedStoresOnCuda, ReachTheirElements) {
  for_each_broken_store(cuda(), expect_no_fault, {40}, few_one_to_one_references());
}

} // namespace
} // namespace evenly::laws
