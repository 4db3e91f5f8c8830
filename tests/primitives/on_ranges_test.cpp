// SPDX-License-Identifier: Apache-2.0
// Reduce, scan, sort, select and reduce by key on ranges: any contiguous range, sizes from it, results as values.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"
#include "support/predicates.hpp"

namespace evenly {
namespace {

std::vector<int> random_ints(std::size_t count, int max) {
  std::mt19937 random(7);
  std::vector<int> values(count);
  for (int& each : values) each = static_cast<int>(random() % static_cast<unsigned>(max));
  return values;
}

template <class Out> std::vector<detail::value_of<Out>> copied(const Out& out) {
  return {std::data(out), std::data(out) + std::size(out)};
}

TEST(Ranges, HaveTheirSums) {
  const std::vector<float> values{1, 2, 3};
  const std::array<int, 2> array{4, 5};
  const int plain[] = {6, 7, 8};
  EXPECT_EQ(reduce(values), 6);
  EXPECT_EQ(reduce(array), 9);
  EXPECT_EQ(reduce(plain), 21);
  EXPECT_EQ(reduce(std::span(values).first(2)), 3);
  EXPECT_EQ(reduce(vector(cpu(1), values)), 6);
  EXPECT_EQ(reduce(to_executor(cpu(1), values)), 6);
  EXPECT_EQ(reduce(std::vector<float>{}), 0);
  EXPECT_EQ(reduce(plain, maximum<int>{}), 8);
  EXPECT_EQ(reduce(plain, plus<std::int64_t>{}), 21);
  static_assert(std::is_same_v<decltype(reduce(plain, plus<std::int64_t>{})), std::int64_t>);
  EXPECT_TRUE(std::isnan(reduce(std::vector<float>{1, std::nanf(""), 2})));
  using complex = std::complex<double>;
  EXPECT_EQ(reduce(std::vector<complex>{{1, 2}, {3, -5}}), (complex{4, -3}));
}

TEST(Ranges, HaveTheBitsOfTheLongForm) {
  std::vector<float> values(10'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i + 1);
  const auto count = static_cast<std::int64_t>(values.size());
  const cpu exec(2);
  EXPECT_EQ(reduce(values, exec), reduce(exec, values.data(), count, plus<float>{}));
  std::vector<float> expected(values.size());
  inclusive_scan(exec, values.data(), count, plus<float>{}, expected.data());
  EXPECT_EQ(inclusive_scan(values, exec), expected);
}

TEST(Ranges, AreScanned) {
  std::vector<int> values{3, 1, 2};
  const std::vector<int> inclusive{3, 4, 6}, exclusive{0, 3, 4};
  EXPECT_EQ(inclusive_scan(values), inclusive);
  EXPECT_EQ(exclusive_scan(values), exclusive);
  EXPECT_EQ(inclusive_scan(values, maximum<int>{}), (std::vector<int>{3, 3, 3}));
  EXPECT_EQ(exclusive_scan(values, plus<int>{}, cpu(1)), exclusive);
  EXPECT_TRUE(inclusive_scan(std::vector<int>{}).empty());
  EXPECT_EQ(exclusive_scan(std::array<int, 1>{7}), (std::vector<int>{0}));

  std::array<int, 3> out{};
  inclusive_scan(values, out);
  EXPECT_EQ(copied(out), inclusive);
  exclusive_scan(values, std::span(out), cpu(1));
  EXPECT_EQ(copied(out), exclusive);
  exclusive_scan(values, values, plus<int>{});
  EXPECT_EQ(values, exclusive) << "in place";
}

TEST(Ranges, AreScannedOnSimtWhereTheyAre) {
  const auto values = random_ints(3000, 100);
  const vector there(simt({.seed = 3}), values);
  const auto sums = inclusive_scan(there);
  static_assert(std::is_same_v<decltype(sums), const std::vector<int>>);
  std::vector<int> expected(values.size());
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  EXPECT_EQ(sums, expected);
  EXPECT_EQ(reduce(there), expected.back());
}

TEST(Ranges, AreCombinedByAMonoidWithoutAType) {
  const std::vector<float> values{3, 1, 2};
  EXPECT_EQ(reduce(values, minimum{}), 1);
  EXPECT_EQ(reduce(cpu(1), values, maximum{}), 3);
  EXPECT_EQ(reduce(cpu(1), values.data(), 3, multiplies{}), 6);
  EXPECT_EQ(inclusive_scan(values, plus{}), (std::vector<float>{3, 4, 6}));
  std::vector<float> out(3);
  evenly::exclusive_scan(values, out, plus{}, cpu(1));
  EXPECT_EQ(out, (std::vector<float>{0, 3, 4}));
  inclusive_scan(cpu(1), values, plus{}, out);
  EXPECT_EQ(out, (std::vector<float>{3, 4, 6}));
  EXPECT_EQ(reduce_by_key(std::vector<int>{1, 1, 2}, values, plus{}).values, (std::vector<float>{4, 2}));
}

TEST(Ranges, AreRefusedWhenSizesDoNotFit) {
  std::vector<int> three(3), four(4);
  const auto out_refused = [&](const auto& scan) { return message_of<invalid_argument>(scan); };
  EXPECT_EQ(out_refused([&] { inclusive_scan(three, four); }),
            "out has 4 elements and values has 3: the numbers must be equal");
  EXPECT_EQ(out_refused([&] { exclusive_scan(four, three); }),
            "out has 3 elements and values has 4: the numbers must be equal");
  EXPECT_EQ(message_of<invalid_argument>([&] { sort_by_key(three, four); }),
            "values has 4 elements and keys has 3: the numbers must be equal");
  EXPECT_EQ(message_of<invalid_argument>([&] { reduce_by_key(four, three); }),
            "values has 3 elements and keys has 4: the numbers must be equal");
}

TEST(Ranges, AreRefusedWhenTheyOverlap) {
  std::vector<int> values(10);
  const std::span all(values);
  EXPECT_TRUE(contains(message_of<invalid_argument>([&] { inclusive_scan(all.first(5), all.subspan(1, 5)); }),
                       "out begins 4 bytes after the start of in and overlaps it"));
  EXPECT_TRUE(contains(message_of<invalid_argument>([&] { sort_by_key(all.first(5), all.subspan(4, 5)); }),
                       "values begins 16 bytes after the start of keys and overlaps it"));
  EXPECT_TRUE(
      contains(message_of<invalid_argument>([&] { sort_by_key(values, values); }), "must be disjoint"));
}

/// Keys that differ in as many bytes as is said: the number of passes of a radix sort.
TEST(Ranges, AreSortedInPlaceWhateverTheNumberOfPasses) {
  for (const int max : {1, 200, 60'000, 10'000'000, std::numeric_limits<int>::max()})
    for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
      auto keys = random_ints(count, max);
      std::vector<std::uint16_t> values(count);
      std::iota(values.begin(), values.end(), std::uint16_t{0});
      std::vector<std::pair<int, std::uint16_t>> expected;
      for (std::size_t i = 0; i < count; ++i) expected.emplace_back(keys[i], values[i]);
      std::sort(expected.begin(), expected.end()); // values ascend, so equal keys stay in their order
      auto alone = keys;
      sort(alone);
      sort_by_key(keys, values, cpu(3));
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(alone[i], expected[i].first) << "of " << count << " less than " << max;
        EXPECT_EQ(keys[i], expected[i].first);
        EXPECT_EQ(values[i], expected[i].second) << "stable";
      }
    }
}

TEST(Ranges, AreSortedWhateverRangeTheyAre) {
  std::array<float, 4> array{2, -std::numeric_limits<float>::infinity(), std::nanf(""), -1};
  sort(array);
  EXPECT_TRUE(std::isnan(array[3]));
  EXPECT_EQ(array[2], 2);
  EXPECT_EQ(array[1], -1);
  std::int64_t plain[] = {3, -4, 1};
  char letters[] = {'c', 'a', 'b'};
  sort_by_key(plain, letters);
  EXPECT_EQ(std::string(letters, 3), "abc");
  std::vector<int> values{3, 2, 1, 0};
  sort(std::span(values).first(3));
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3, 0}));
  const vector there(simt(), std::vector<int>{3, 1, 2});
  sort(there);
  EXPECT_EQ(there.to_host(), (std::vector<int>{1, 2, 3}));
}

TEST(Ranges, ThatAreSortedTakeMemoryOnlyOnce) {
  counting_resource resource;
  const cpu exec(2, &resource);
  workspace memory;
  auto keys = random_ints(5000, 1 << 30);
  sort(keys, on(exec).with(memory));
  EXPECT_EQ(resource.allocations, 1);
  keys = random_ints(5000, 1 << 30);
  sort(keys, on(exec).with(memory));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(resource.allocations, 1);
}

TEST(Ranges, ThatAreSelectedOrReducedByKeyUseTheWorkspace) {
  counting_resource resource;
  const cpu exec(2, &resource);
  workspace memory;
  const auto values = random_ints(5000, 100);
  const auto run_both = [&] {
    const int before = resource.allocations;
    EXPECT_EQ(select(values, is_odd{}, on(exec).with(memory)), select(values, is_odd{}));
    EXPECT_EQ(reduce_by_key(values, values, on(exec).with(memory)).values,
              reduce_by_key(values, values).values);
    return resource.allocations - before;
  };
  const int first = run_both();
  EXPECT_EQ(run_both(), 2); // how many were found, each time
  EXPECT_GT(first, 2);
}

TEST(Ranges, HaveElementsSelected) {
  const auto values = random_ints(2000, 100);
  std::vector<int> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected), is_odd{});
  EXPECT_EQ(select(values, is_odd{}), expected);
  EXPECT_EQ(select(values, [](int i) { return i % 2 != 0; }, cpu(2)), expected);
  EXPECT_EQ(copied(select(vector(simt(), values), is_odd{})), expected);
  EXPECT_TRUE(select(std::array{2, 4}, is_odd{}).empty());
  EXPECT_TRUE(select(std::vector<int>{}, is_odd{}).empty());
}

TEST(Ranges, HaveRunsOfKeysReduced) {
  const std::array keys{5, 5, 2, 5};
  const std::vector<double> values{1, 2, 4, 8};
  const auto [distinct, sums] = reduce_by_key(keys, values);
  EXPECT_EQ(distinct, (std::vector<int>{5, 2, 5}));
  EXPECT_EQ(sums, (std::vector<double>{3, 4, 8}));
  EXPECT_EQ(reduce_by_key(keys, values, maximum<double>{}).values, (std::vector<double>{2, 4, 8}));
  EXPECT_EQ(reduce_by_key(keys, values, cpu(1)).values, sums);
  EXPECT_TRUE(reduce_by_key(std::vector<int>{}, std::vector<double>{}).keys.empty());
}

TEST(Ranges, AreUsedByTwoThreadsAtATime) {
  const auto values = random_ints(20'000, 1 << 30);
  auto expected = values;
  std::sort(expected.begin(), expected.end());
  std::vector<int> results[2];
  {
    std::vector<std::jthread> threads;
    for (auto& result : results)
      threads.emplace_back([&] {
        for (int round = 0; round < 3; ++round) {
          result = values;
          sort(result);
        }
      });
  }
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

} // namespace
} // namespace evenly
