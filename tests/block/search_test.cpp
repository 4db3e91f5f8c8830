// SPDX-License-Identifier: Apache-2.0
// Searches against straight loops, up to the last number that an integer type has.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/execution/simt.hpp"
#include "support/monoids.hpp"

namespace evenly {
namespace {

/// All searches in [first, last) for `answer`, with a count of the calls, and no call outside.
template <class Integer> void expect_found(Integer first, Integer last, Integer answer) {
  int calls = 0;
  const auto past = [&](Integer i) {
    EXPECT_TRUE(first <= i && i < last) << i << " is not in [" << first << ", " << last << ")";
    ++calls;
    return i >= answer;
  };
  const auto log2 = [](double n) { return n < 1 ? 0 : static_cast<int>(std::log2(n)) + 1; };
  ASSERT_EQ(first_past(first, last, past), answer);
  EXPECT_LE(calls, log2(static_cast<double>(last - first)) + 1);
  calls = 0;
  ASSERT_EQ(first_past_by_quarters(first, last, past), answer);
  EXPECT_LE(calls, 3 * (log2(static_cast<double>(last - first)) / 2 + 1) + 2);
  calls = 0;
  ASSERT_EQ(first_past_near_by_quarters(first, last, past), answer);
  EXPECT_LE(calls, 2.5 * log2(static_cast<double>(answer - first) + 1) + 7);
  calls = 0;
  ASSERT_EQ(first_past_near(first, last, past), answer);
  EXPECT_LE(calls, 2 * log2(static_cast<double>(answer - first) + 1) + 2);
}

/// first_past_together, by one warp.
template <class Integer> struct searches_together {
  Integer first, last, answer;
  int* steps; ///< of each lane
  Integer* found;

  template <class Block> void operator()(Block& block) const {
    const auto warp = this_warp(block);
    int calls = 0;
    const Integer at = first_past_together(warp, first, last, [&](Integer i) {
      ++calls;
      return i < first || i >= last || i >= answer;
    });
    steps[block.rank()] = calls;
    found[block.rank()] = at;
  }
};

template <class Integer> void expect_found_together(Integer first, Integer last, Integer answer, int warp) {
  std::vector<int> steps(warp);
  std::vector<Integer> found(warp);
  launch(simt({.warp_size = warp}), {1, warp},
         searches_together<Integer>{first, last, answer, steps.data(), found.data()});
  ASSERT_EQ(found, std::vector<Integer>(warp, answer)) << first << ' ' << last;
  const double ranges = std::log(static_cast<double>(last - first) + 1) / std::log(warp > 1 ? warp : 2);
  for (const int each : steps) EXPECT_LE(each, ranges + 2);
}

TEST(FirstPastTogether, FindsEveryAnswerInFewSteps) {
  for (const int warp : {2, 4, 32})
    for (const int length : {0, 1, 2, 3, 5, 31, 32, 33, 34, 63, 64, 65})
      for (int answer = 0; answer <= length; ++answer) {
        expect_found_together<int>(0, length, answer, warp);
        constexpr int max = std::numeric_limits<int>::max();
        expect_found_together<int>(max - length, max, max - length + answer, warp);
      }
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t answer : {std::int64_t{0}, std::int64_t{1}, max / 3, max - 2, max - 1, max})
    expect_found_together<std::int64_t>(0, max, answer, 32);
  constexpr int max_int = std::numeric_limits<int>::max();
  for (const int answer : {0, 1, max_int / 3, max_int - 1, max_int})
    expect_found_together<int>(0, max_int, answer, 64);
}

TEST(FirstPast, EveryAnswerInShortRanges) {
  for (int length = 0; length <= 40; ++length)
    for (int answer = 0; answer <= length; ++answer) {
      expect_found<int>(0, length, answer);
      expect_found<std::int64_t>(-7, length - 7, answer - 7);
      constexpr int max = std::numeric_limits<int>::max();
      expect_found<int>(max - length, max, max - length + answer);
    }
}

template <class Integer> void expect_found_at_the_limits() {
  constexpr Integer max = std::numeric_limits<Integer>::max();
  for (const Integer first : {Integer{0}, Integer{1}, max / 2, max - 3})
    for (const Integer back : {0, 1, 2, 3}) {
      expect_found<Integer>(first, max, max - back);
      expect_found<Integer>(first, max, first + back);
      expect_found<Integer>(first, max, first + (max - first) / 2);
    }
}

TEST(FirstPast, NearTheLimitsOfTheType) {
  expect_found_at_the_limits<std::int32_t>();
  expect_found_at_the_limits<std::int64_t>();
}

/// Walks the merge path step by step and compares every diagonal.
template <class Tile, class Diagonal> void expect_merge(const std::vector<int>& sizes) {
  std::vector<Diagonal> ends;
  for (const int size : sizes) ends.push_back((ends.empty() ? 0 : ends.back()) + size);
  const auto tiles = static_cast<Tile>(sizes.size());
  const Diagonal atoms = ends.empty() ? 0 : ends.back();
  Tile ended = 0;
  for (Diagonal diagonal = 0; diagonal <= tiles + atoms; ++diagonal) {
    ASSERT_EQ(merge_path_search(diagonal, tiles, atoms, [&](Tile t) { return ends[t]; }), ended)
        << "diagonal " << diagonal;
    const Diagonal done = diagonal - ended;
    if (ended < tiles && ends[ended] <= done) ++ended;
  }
}

TEST(MergePathSearch, AgreesWithTheStepByStepMerge) {
  for (const auto& sizes : std::vector<std::vector<int>>{
           {}, {0}, {1}, {5}, {0, 0, 0}, {0, 3, 0, 0, 2, 0}, {1, 1, 1, 1}, {100, 0, 0, 1}, {0, 1, 100}}) {
    expect_merge<int, int>(sizes);
    expect_merge<int, std::int64_t>(sizes);
    expect_merge<std::int64_t, std::int64_t>(sizes);
  }
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<int> sizes;
    for (std::uint64_t t = 0; t < 60; ++t) sizes.push_back(static_cast<int>(mixed(seed << 32 | t) % 9) - 4);
    for (int& size : sizes) size = size < 0 ? 0 : size;
    expect_merge<int, std::int64_t>(sizes);
  }
}

} // namespace
} // namespace evenly
