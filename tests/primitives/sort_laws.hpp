// SPDX-License-Identifier: Apache-2.0
// The contracts of sort and sort_by_key, on any executor: what comes first by the order that the header says,
// and of equal keys what was first.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/primitives/sort.hpp"
#include "support/monoids.hpp"

namespace evenly::sort_laws {

/// Whether a comes before b, said otherwise than by bits turned over.
template <class Key> bool comes_before(Key a, Key b) {
  if constexpr (std::is_floating_point_v<Key>) {
    using bits = std::conditional_t<sizeof(Key) == 4, std::int32_t, std::int64_t>;
    const auto place = [](Key x) { return std::isnan(x) ? (std::signbit(x) ? -1 : 1) : 0; };
    if (place(a) != place(b)) return place(a) < place(b);
    if (place(a) == 0) return a < b;
    const bits x = std::bit_cast<bits>(a), y = std::bit_cast<bits>(b);
    return place(a) < 0 ? y < x : x < y; // as numbers with a sign: the more bits, the farther out
  } else {
    return a < b;
  }
}

/// Keys of all kinds: few and many different ones, the least and the greatest, of floating-point numbers both zeros,
/// both infinities and NaN of both signs.
template <class Key> std::vector<Key> keys_of(std::int64_t count, std::uint64_t different) {
  std::vector<Key> keys;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint64_t random = mixed(static_cast<std::uint64_t>(i)) % different;
    if constexpr (std::is_floating_point_v<Key>) {
      using limits = std::numeric_limits<Key>;
      const Key special[] = {Key{0},
                             -Key{0},
                             limits::infinity(),
                             -limits::infinity(),
                             limits::quiet_NaN(),
                             -limits::quiet_NaN(),
                             limits::denorm_min(),
                             limits::lowest()};
      keys.push_back(random % 5 == 0 ? special[mixed(random) % 8]
                                     : (static_cast<Key>(random) - static_cast<Key>(different / 2)) / 7);
    } else {
      keys.push_back(static_cast<Key>(mixed(random + 1)));
    }
  }
  if constexpr (std::is_integral_v<Key>)
    for (std::size_t i = 0; i < keys.size(); i += 97)
      keys[i] = i % 2 ? std::numeric_limits<Key>::max() : std::numeric_limits<Key>::min();
  return keys;
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class Key, class Executor>
void expect_sorted(const Executor& exec, std::int64_t count, std::uint64_t different, workspace& memory) {
  const std::vector<Key> keys = keys_of<Key>(count, different);
  std::vector<std::int64_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<std::int64_t> order = numbers;
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return comes_before(keys[a], keys[b]) || (!comes_before(keys[b], keys[a]) && a < b);
  });
  std::vector<Key> want;
  for (const std::int64_t i : order) want.push_back(keys[i]);

  const auto in = to_executor(exec, keys);
  const auto values = to_executor(exec, numbers);
  const auto alone = make_buffer<Key>(exec, keys.size()), out = make_buffer<Key>(exec, keys.size());
  const auto values_out = make_buffer<std::int64_t>(exec, keys.size());
  sort(exec, in.data(), count, alone.data(), memory);
  sort_by_key(exec, in.data(), values.span(), count, out.data(), values_out.data(), memory);
  EXPECT_TRUE(same_bits(to_host(exec, alone), want)) << count << " keys of " << sizeof(Key);
  EXPECT_TRUE(same_bits(to_host(exec, out), want)) << count << " keys of " << sizeof(Key);
  EXPECT_EQ(to_host(exec, values_out), order) << count << " keys of " << sizeof(Key);
  EXPECT_TRUE(same_bits(to_host(exec, in), keys)) << "inputs stay as they are";
}

template <class Key, class Executor> void expect_sorts_of(const Executor& exec, std::int64_t max) {
  workspace memory;
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{1000}, max})
    for (const std::uint64_t different : {1, 3, 1'000'000})
      expect_sorted<Key>(exec, count, different, memory);
}

template <class Executor> void expect_sorts(const Executor& exec, std::int64_t max) {
  expect_sorts_of<std::uint8_t>(exec, max);
  expect_sorts_of<std::int16_t>(exec, max);
  expect_sorts_of<std::int32_t>(exec, max);
  expect_sorts_of<std::uint64_t>(exec, max);
  expect_sorts_of<float>(exec, max);
  expect_sorts_of<double>(exec, max);
}

/// A value of an odd size.
struct three_bytes {
  char of[3];
};

template <class Executor> void expect_moves_any_value(const Executor& exec) {
  const auto keys = to_executor(exec, std::vector<std::int64_t>{5, -7, 5, 0});
  const auto values = to_executor(exec, std::vector<three_bytes>{{"aa"}, {"bb"}, {"cc"}, {"dd"}});
  const auto keys_out = make_buffer<std::int64_t>(exec, 4);
  const auto values_out = make_buffer<three_bytes>(exec, 4);
  sort_by_key(exec, keys.data(), values.data(), 4, keys_out.data(), values_out.data());
  EXPECT_EQ(to_host(exec, keys_out), (std::vector<std::int64_t>{-7, 0, 5, 5}));
  std::string said;
  for (const three_bytes& each : to_host(exec, values_out)) said += each.of[0];
  EXPECT_EQ(said, "bdac");
  const auto sorted = make_buffer<std::int64_t>(exec, 4);
  sort(exec, keys.span(), 4, sorted.span());
  EXPECT_EQ(to_host(exec, sorted), (std::vector<std::int64_t>{-7, 0, 5, 5}));
}

} // namespace evenly::sort_laws
