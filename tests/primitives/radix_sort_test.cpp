// SPDX-License-Identifier: Apache-2.0
// sort and sort_by_key on cpu and simt, what they refuse, and whose memory they use.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/primitives/sort.hpp"
#include "primitives/sort_laws.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

TEST(Sorts, AreStableOnCpu) {
  for (const int threads : {1, 3}) sort_laws::expect_sorts(cpu(threads), 30'011);
  sort_laws::expect_moves_any_value(cpu(2));
}

TEST(Sorts, AreStableOnSimt) {
  sort_laws::expect_sorts(simt(), 5003);
  sort_laws::expect_moves_any_value(simt());
}

// Most keys have the same first digits: all cores split their segment again.
TEST(Sorts, AreStableForSkewedKeys) {
  constexpr std::size_t count = 150'000;
  std::vector<std::int64_t> keys(count), numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::int64_t>(mixed(i) >> mixed(~i) % 64);
  std::vector<std::int64_t> order = numbers;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  for (const int threads : {1, 4}) {
    std::vector<std::int64_t> sorted = keys, moved = numbers;
    sort_by_key(sorted, moved, cpu(threads));
    EXPECT_EQ(moved, order);
    std::sort(sorted.rbegin(), sorted.rend());
    sort(sorted, cpu(threads));
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sorted[i], keys[static_cast<std::size_t>(order[i])]);
  }
}

TEST(Sorts, TakeMemoryOnceForAWorkspace) {
  counting_resource resource;
  const cpu exec(2, &resource);
  std::vector<int> keys(10'000), out(10'000);
  workspace memory;
  sort(exec, keys.data(), 10'000, out.data(), memory);
  const auto allocations = resource.allocations;
  for (const std::int64_t count : {10'000, 1, 0, 9'999}) sort(exec, keys.data(), count, out.data(), memory);
  EXPECT_EQ(resource.allocations, allocations);
}

TEST(Sorts, RefuseBadInput) {
  const cpu exec(1);
  std::vector<int> keys(10), out(10);
  std::vector<float> values(10), values_out(10);
  EXPECT_EQ(message_of<invalid_argument>([&] { sort(exec, keys.data(), -1, out.data()); }),
            "count = -1: must not be negative");
  EXPECT_EQ(message_of<invalid_argument>([&] { sort(exec, keys.data(), 10, keys.data()); }),
            "out begins 0 bytes after the start of in and overlaps it: they must be disjoint");
  EXPECT_EQ(message_of<invalid_argument>([&] { sort(exec, static_cast<int*>(nullptr), 10, out.data()); }),
            "in is null, but must have 10 elements");
  EXPECT_EQ(message_of<invalid_argument>([&] {
              sort_by_key(exec, keys.data(), values.data(), 10, out.data(),
                          reinterpret_cast<float*>(out.data()));
            }),
            "values_out begins 0 bytes after the start of keys_out and overlaps it: they must be disjoint");
  EXPECT_EQ(message_of<invalid_argument>([&] {
              sort_by_key(exec, std::span<const int>(keys).first(9), values.data(), 10, out.data(),
                          values_out.data());
            }),
            "keys has 9 elements, of 10");
  EXPECT_NO_THROW(sort(exec, static_cast<int*>(nullptr), 0, static_cast<int*>(nullptr)));
  workspace memory;
  const auto sort_bits = [&](int bits) {
    sort_by_key(exec, keys.data(), values.data(), 10, out.data(), values_out.data(), memory, bits);
  };
  EXPECT_EQ(message_of<invalid_argument>([&] { sort_bits(0); }),
            "bits = 0: integers have 1 to 32, other keys 32");
  EXPECT_EQ(message_of<invalid_argument>([&] { sort_bits(33); }),
            "bits = 33: integers have 1 to 32, other keys 32");
}

TEST(Sorts, TakeKeysOfFewBits) {
  const cpu exec(2);
  const std::vector<int> keys{5, 1, 7, 0, 5, 2}, values{0, 1, 2, 3, 4, 5};
  std::vector<int> out(6), order(6);
  workspace memory;
  sort_by_key(exec, keys.data(), values.data(), 6, out.data(), order.data(), memory, 3);
  EXPECT_EQ(out, (std::vector<int>{0, 1, 2, 5, 5, 7}));
  EXPECT_EQ(order, (std::vector<int>{3, 1, 5, 0, 4, 2}));
}

} // namespace
} // namespace evenly
