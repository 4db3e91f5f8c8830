// SPDX-License-Identifier: Apache-2.0
// reduce_by_index on cpu and simt: each of its three ways, and refused input.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/on_ranges.hpp"
#include "evenly/primitives/reduce_by_index.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

struct indexed_case {
  std::int64_t count;
  std::int64_t size;
};
// no values; serial; tables of chunks; split by digits, also with a size that is no power of 2
const indexed_case cases[] = {
    {0, 5}, {1, 1}, {1000, 300}, {100'000, 10}, {300'000, 1000}, {50'000, 1 << 18}, {200'000, 300'007}};

template <class Index> std::vector<Index> some_indices(const indexed_case& c) {
  std::vector<Index> index;
  for (std::int64_t i = 0; i < c.count; ++i)
    index.push_back(
        static_cast<Index>(mixed(static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(c.size)));
  return index;
}

/// A monoid of which a later value replaces an earlier one: it is not commutative.
struct last_value {
  using value_type = std::int64_t;
  constexpr value_type identity() const { return -1; }
  constexpr value_type operator()(value_type a, value_type b) const { return b < 0 ? a : b; }
};

template <class Index, class Executor> void expect_in_order(const Executor& exec) {
  for (const indexed_case& c : cases) {
    const auto index = some_indices<Index>(c);
    std::vector<std::int64_t> last(static_cast<std::size_t>(c.size), -1), counts(last.size(), 0);
    for (std::size_t i = 0; i < index.size(); ++i) {
      last[static_cast<std::size_t>(index[i])] = static_cast<std::int64_t>(i);
      ++counts[static_cast<std::size_t>(index[i])];
    }
    std::vector<std::int64_t> out(last.size(), 77);
    reduce_by_index(exec, index.data(), counting{}, c.count, last_value{}, out.data(), c.size);
    EXPECT_EQ(out, last) << c.count << " values of " << c.size;
    const auto one = [](std::int64_t) { return std::int64_t{1}; };
    reduce_by_index(exec, index.data(), generated{one}, c.count, plus<>{}, out.data(), c.size);
    EXPECT_EQ(out, counts) << c.count << " values of " << c.size;
  }
}

TEST(ReduceByIndex, CombinesInOrderOnCpu) {
  for (const int threads : {1, 4}) {
    expect_in_order<int>(cpu(threads));
    expect_in_order<std::uint64_t>(cpu(threads));
  }
}

TEST(ReduceByIndex, CombinesInOrderOnSimt) { expect_in_order<std::int64_t>(simt()); }

TEST(ReduceByIndex, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const indexed_case& c : cases) {
    const auto index = some_indices<std::uint32_t>(c);
    std::vector<float> values;
    for (std::size_t i = 0; i < index.size(); ++i) values.push_back(static_cast<float>(mixed(i)) / 3e18F);
    const auto sums = reduce_by_index(index, values, c.size, cpu(1));
    for (const int threads : {2, 3, 7})
      EXPECT_EQ(reduce_by_index(index, values, c.size, plus<float>{}, cpu(threads)), sums);
    EXPECT_EQ(reduce_by_index(index, values, c.size, simt()), sums);
  }
}

TEST(ReduceByIndex, TakesMemoryOnceForAWorkspace) {
  counting_resource resource;
  const cpu exec(2, &resource);
  std::vector<int> index(100'000, 1), out(10);
  workspace memory;
  const auto run = [&](std::int64_t count) {
    reduce_by_index(exec, index.data(), index.data(), count, plus<int>{}, out.data(), 10, memory);
  };
  run(100'000);
  const auto allocations = resource.allocations;
  for (const std::int64_t count : {100'000, 1, 0, 99'999}) run(count);
  EXPECT_EQ(resource.allocations, allocations);
}

TEST(ReduceByIndex, RefusesBadInput) {
  const cpu exec(2);
  for (const indexed_case& c : cases) {
    if (c.count == 0) continue;
    auto index = some_indices<int>(c);
    const std::vector<int> values(index.size(), 1);
    const auto text = [&](int bad) {
      index[index.size() / 2] = bad;
      return message_of<invalid_argument>([&] { (void)reduce_by_index(index, values, c.size, exec); });
    };
    EXPECT_EQ(text(static_cast<int>(c.size)),
              detail::concat("index ", c.size, " is not in [0, ", c.size, ")"));
    EXPECT_EQ(text(-1), detail::concat("index -1 is not in [0, ", c.size, ")"));
  }
  std::vector<int> index(10), values(10), out(10);
  const auto run = [&](std::int64_t count, int* to, std::int64_t size) {
    return message_of<invalid_argument>(
        [&] { reduce_by_index(exec, index.data(), values.data(), count, plus<int>{}, to, size); });
  };
  EXPECT_EQ(run(-1, out.data(), 10), "count = -1: must not be negative");
  EXPECT_EQ(run(10, out.data(), -1), "size = -1: must not be negative");
  EXPECT_EQ(run(10, nullptr, 10), "out is null, but must have 10 elements");
  EXPECT_EQ(run(10, index.data(), 10),
            "out begins 0 bytes after the start of index and overlaps it: they must be disjoint");
  EXPECT_EQ(run(1, out.data(), 0), "index 0 is not in [0, 0)");
  EXPECT_EQ(message_of<invalid_argument>([&] { (void)reduce_by_index(index, std::vector<int>(9), 10); }),
            "values has 9 elements and index has 10: the numbers must be equal");
}

} // namespace
} // namespace evenly
