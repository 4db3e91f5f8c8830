// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "layouts/store_laws.hpp"
#include "support/messages.hpp"

namespace evenly::laws {

using namespace layouts;
namespace {

template <class Executor> void expect_right_stores(const Executor& exec) {
  for_each_broken_store(
      exec, [](const std::string& wrong, const std::string& where) { EXPECT_EQ(wrong, "") << where; });
}

TEST(Stores, ReachTheirElementsOnCpu) { expect_right_stores(cpu(2)); }
TEST(Stores, ReachTheirElementsOnSimt) { expect_right_stores(simt({.seed = 3})); }

std::string refusal(const std::vector<int>& p, std::int64_t references) {
  const access_shape shape{.threads = static_cast<std::int64_t>(p.size()) / references,
                           .references = references,
                           .elements = 100,
                           .element_bytes = sizeof(particle)};
  return message_of<invalid_argument>(
      [&] { make_store_plan(cpu(2), index_list<int>(p), shape, access_objective{}, none{}); });
}

TEST(Stores, ThroughAnElementTwiceAreRefused) {
  const std::string rest =
      ": stores through P must write each element at most once; use accumulate() for other updates";
  EXPECT_EQ(refusal({5, 9, 7, 3, 9, 7}, 1), "threads 1 and 4 both store to element 9" + rest);
  EXPECT_EQ(refusal({5, 9, 8, 3, 1, 9}, 2), "threads 1 and 2 both store to element 9" + rest);
  EXPECT_EQ(refusal({5, 9, 8, 3, 9, 1}, 2), "thread 1 stores twice to element 9" + rest);
  EXPECT_EQ(refusal({5, 100}, 1).substr(0, 10), "P[1] = 100");
}

} // namespace
} // namespace evenly::laws
