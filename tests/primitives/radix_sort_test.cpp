// SPDX-License-Identifier: Apache-2.0
// sort and sort_by_key on cpu and simt, refusals, and whose memory they use.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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

/// Sorts the keys key(i) with their numbers, to other memory and in place.
template <class Key, class Make> void expect_sorted(const char* what, const Make& key) {
  SCOPED_TRACE(what);
  constexpr std::size_t count = 140'000;
  std::vector<Key> keys(count);
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::size_t i = 0; i < count; ++i) keys[i] = key(i);
  std::vector<int> order = numbers;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  for (const int threads : {1, 3}) {
    const cpu exec(threads);
    std::vector<Key> out(count), in_place = keys;
    std::vector<int> moved(count), moved_in_place = numbers;
    sort_by_key(exec, keys.data(), numbers.data(), count, out.data(), moved.data());
    EXPECT_EQ(moved, order);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], keys[static_cast<std::size_t>(order[i])]) << i;
    sort_by_key(in_place, moved_in_place, exec);
    EXPECT_EQ(moved_in_place, order);
    EXPECT_EQ(in_place, out);
    std::vector<Key> alone(count);
    sort(exec, keys.data(), count, alone.data());
    EXPECT_EQ(alone, out);
  }
}

// A sample of the keys decides how the first pass splits them.
TEST(Sorts, AreStableForKeysThatFewDigitsHave) {
  using limits = std::numeric_limits<std::int64_t>;
  const auto any = [](std::size_t i) { return static_cast<std::int64_t>(mixed(i)); };
  const auto rarely = [&](std::size_t i, std::int64_t usual) { return i % 97 == 5 ? any(i) : usual; };
  expect_sorted<std::int64_t>("one key", [](std::size_t) { return 7; });
  expect_sorted<std::int64_t>("one frequent key", [&](std::size_t i) { return rarely(i, 123'456'789'012); });
  expect_sorted<std::int64_t>("half one key", [&](std::size_t i) { return i % 2 == 0 ? any(i) : 0; });
  expect_sorted<std::int64_t>("the least key", [&](std::size_t i) { return rarely(i, limits::min()); });
  expect_sorted<std::int64_t>("the greatest key", [&](std::size_t i) { return rarely(i, limits::max()); });
  expect_sorted<std::int64_t>("close keys",
                              [&](std::size_t i) { return rarely(i, any(i) % 100'000 + 300'000'000); });
  expect_sorted<std::int64_t>("two groups", [&](std::size_t i) {
    return any(i) % 1000 + (any(~i) < 0 ? limits::min() / 2 : limits::max() / 2);
  });
  expect_sorted<int>("one frequent int",
                     [&](std::size_t i) { return static_cast<int>(rarely(i, 123'456'789)); });
  expect_sorted<int>("half one int",
                     [&](std::size_t i) { return i % 2 == 0 ? static_cast<int>(any(i)) : 77; });
  expect_sorted<int>("few keys",
                     [&](std::size_t i) { return static_cast<int>(mixed(i) % 10) * 123'456'789; });
  expect_sorted<int>("keys around 0",
                     [&](std::size_t i) { return static_cast<int>(mixed(i) % 3001) - 1500; });
  expect_sorted<std::uint32_t>("one digit after the sample", [](std::size_t i) {
    return i < 138'000 ? 0 : static_cast<std::uint32_t>(mixed(i));
  });
  expect_sorted<std::uint16_t>("short keys", [&](std::size_t i) {
    return i % 50 == 0 ? static_cast<std::uint16_t>(mixed(i)) : std::uint16_t{3};
  });
  expect_sorted<float>("in [0, 1)",
                       [](std::size_t i) { return static_cast<float>(mixed(i) >> 40) * 0x1p-24f; });
  expect_sorted<double>("of both signs", [&](std::size_t i) {
    return static_cast<double>(any(i)) * static_cast<double>(any(~i));
  });
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
