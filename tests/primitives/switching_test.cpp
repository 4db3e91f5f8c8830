// SPDX-License-Identifier: Apache-2.0
// Primitives whose blocks pass values on, with switches between threads at atomic operations too: the protocol between
// blocks is correct in every order.

#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/select.hpp"
#include "support/predicates.hpp"

namespace evenly {
namespace {

TEST(SwitchAtAtomics, LeavesPrimitivesAsTheyAre) {
  const int count = 3000, block_size = 32;
  std::vector<int> values(count), expected(count);
  std::iota(values.begin(), values.end(), -100);
  std::partial_sum(values.begin(), values.end(), expected.begin());
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    simt_options options;
    options.seed = seed;
    options.warp_size = seed % 3 == 2 ? 4 : 32;
    options.switch_at_atomics = true;
    const simt exec(options);
    workspace memory;
    for (int turn = 0; turn < 2; ++turn) {
      std::vector<int> sums(count), in_place = values;
      inclusive_scan(exec, values.data(), count, plus<int>{}, sums.data(), memory, block_size);
      EXPECT_EQ(sums, expected) << seed;
      int sum = 0;
      reduce(exec, values.data(), count, plus<int>{}, &sum, memory, block_size);
      EXPECT_EQ(sum, expected.back()) << seed;
      std::int64_t found = 0;
      select(exec, in_place.data(), count, is_odd{}, in_place.data(), &found, memory, block_size);
      EXPECT_EQ(found, count / 2) << seed;
      for (int i = 0; i < count / 2; ++i) EXPECT_EQ(in_place[i], 2 * i - 99) << seed;
    }
  }
}

} // namespace
} // namespace evenly
