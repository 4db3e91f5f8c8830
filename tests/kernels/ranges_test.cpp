// SPDX-License-Identifier: Apache-2.0
// Ranges of numbers: each number once, none beyond the end, no overflow.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ranges>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/atomic.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/ranges.hpp"

namespace evenly {
namespace {

template <class Range> std::vector<std::int64_t> listed(Range&& range) {
  std::vector<std::int64_t> all;
  for (const auto each : range) all.push_back(each);
  return all;
}
using list = std::vector<std::int64_t>;

TEST(StepRange, GoesFromBeginToEndInSteps) {
  EXPECT_EQ(listed(step_range(0, 10, 3)), (list{0, 3, 6, 9}));
  EXPECT_EQ(listed(step_range(0, 9, 3)), (list{0, 3, 6}));
  EXPECT_EQ(listed(step_range(-2, 3)), (list{-2, -1, 0, 1, 2}));
  EXPECT_EQ(listed(step_range(5, 5)), list{});
  EXPECT_EQ(listed(step_range(7, 5)), list{});
  EXPECT_EQ(listed(step_range<std::int64_t>(1, 2, 1'000'000'000'000)), list{1});
  for (int end = 0; end < 20; ++end)
    for (int step = 1; step < 8; ++step) {
      const step_range range(3, end, step);
      EXPECT_EQ(range.size(), listed(range).size()) << end << " by " << step;
      EXPECT_EQ(range.empty(), range.size() == 0);
    }
}

TEST(StepRange, EndsAtTheLastNumbersOfItsType) {
  constexpr int max = std::numeric_limits<int>::max(), min = std::numeric_limits<int>::min();
  EXPECT_EQ(listed(step_range(max - 3, max, 2)), (list{max - 3, max - 1}));
  EXPECT_EQ(listed(step_range(max - 3, max, max)), (list{max - 3}));
  EXPECT_EQ(listed(step_range(min, min + 5, 3)), (list{min, min + 3}));
  EXPECT_EQ(listed(step_range(0, max, max - 1)), (list{0, max - 1}));
  EXPECT_EQ(step_range(min, -1).size(), 0x7fffffffu);
}

TEST(ConsecutiveRange, GoesFromBeginToEnd) {
  constexpr int max = std::numeric_limits<int>::max(), min = std::numeric_limits<int>::min();
  EXPECT_EQ(listed(consecutive_range(-1, 2)), (list{-1, 0, 1}));
  EXPECT_EQ(listed(consecutive_range(5, 5)), list{});
  EXPECT_EQ(listed(consecutive_range(7, 5)), list{});
  EXPECT_EQ(listed(consecutive_range(max - 2, max)), (list{max - 2, max - 1}));
  EXPECT_EQ(consecutive_range(min, max).size(), 0xffffffffu);
  EXPECT_TRUE(consecutive_range(7, 5).empty());
  static_assert(std::ranges::forward_range<consecutive_range<int>> &&
                std::ranges::sized_range<consecutive_range<int>>);
}

TEST(StepRange, IsAForwardRangeOfTheStandardLibrary) {
  static_assert(std::ranges::forward_range<step_range<int>> && std::ranges::sized_range<step_range<int>>);
  static_assert(std::ranges::forward_range<infinite_range<int>>);
  EXPECT_EQ(listed(step_range(0, 100, 10) | std::views::drop(7)), (list{70, 80, 90}));
  EXPECT_EQ(listed(infinite_range(5, 2) | std::views::take(4)), (list{5, 7, 9, 11}));
}

TEST(InfiniteRange, GoesOn) {
  int turns = 0;
  for (const std::int64_t i : infinite_range<std::int64_t>(3, 4)) {
    EXPECT_EQ(i, 3 + 4 * turns);
    if (++turns == 100) break;
  }
  EXPECT_EQ(turns, 100);
}

/// The threads that get the same numbers: of a launch, a block, a warp.
struct shared_numbers {
  std::int64_t begin, end;
  int *by_grid, *by_block, *by_warp;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    for (const auto i : grid_stride_range(block, begin, end)) atomic_ref(by_grid[i - begin]).fetch_add(1);
    for (const auto i : block_stride_range(block, begin, end)) atomic_ref(by_block[i - begin]).fetch_add(1);
    for (const int i : warp_stride_range(block, static_cast<int>(begin), static_cast<int>(end)))
      atomic_ref(by_warp[i - begin]).fetch_add(1);
  }
};

template <class Executor> void expect_each_once(const Executor& exec, int blocks, int block_size, int warps) {
  for (const int count : {0, 1, 31, 32, 33, 1000}) {
    std::vector<int> by_grid(count), by_block(count), by_warp(count);
    launch(exec, {blocks, block_size},
           shared_numbers{-7, count - 7, by_grid.data(), by_block.data(), by_warp.data()});
    EXPECT_EQ(std::ranges::count(by_grid, 1), count) << blocks << " blocks of " << block_size;
    EXPECT_EQ(std::ranges::count(by_block, blocks), count) << blocks << " blocks of " << block_size;
    EXPECT_EQ(std::ranges::count(by_warp, blocks * warps), count) << blocks << " blocks of " << block_size;
  }
}

TEST(StrideRanges, HaveEachNumberOnce) {
  expect_each_once(simt(), 1, 1, 1);
  expect_each_once(simt(), 3, 100, 4);
  expect_each_once(simt(), 5, 64, 2);
  expect_each_once(simt({.warp_size = 4}), 2, 10, 3);
  expect_each_once(cpu(), 4, 128, 1);
}

TEST(StrideRanges, TakeStridesThatTheirTypeCannotCount) {
  EXPECT_EQ(listed(detail::strided(0, 100, 99, std::int64_t{1} << 40)), list{99});
  EXPECT_EQ(listed(detail::strided(0, 100, std::int64_t{1} << 40, 7)), list{});
}

} // namespace
} // namespace evenly
