// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/errors.hpp"

namespace evenly::io::testing {
namespace {

TEST(did_you_mean, names_what_a_slip_was_meant_to_be) {
  const std::vector<std::string> names{"compare", "spmv", "spmm", "bfs"};
  EXPECT_EQ(host::did_you_mean("comapre", names), " (did you mean compare?)"); // swapped
  EXPECT_EQ(host::did_you_mean("compar", names), " (did you mean compare?)");
  EXPECT_EQ(host::did_you_mean("comparre", names), " (did you mean compare?)");
  EXPECT_EQ(host::did_you_mean("spmc", names), " (did you mean spmv?)"); // the first of two that are as near
  EXPECT_EQ(host::did_you_mean("bsf", names), " (did you mean bfs?)");
}

TEST(did_you_mean, says_nothing_of_other_words) {
  const std::vector<std::string> names{"compare", "spmv"};
  for (const char* other : {"", "x", "draw", "multiply"})
    EXPECT_EQ(host::did_you_mean(other, names), "") << other;
  EXPECT_EQ(host::did_you_mean("spmv", {}), "");
  EXPECT_EQ(host::did_you_mean(std::string(100'000, 'a'), names), "");
}

} // namespace
} // namespace evenly::io::testing
