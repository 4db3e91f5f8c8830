// SPDX-License-Identifier: Apache-2.0
// The laws of segment plans on every executor: reductions of whole numbers are those of a loop, exponentials are near,
// whether segments are given by offsets, by a sorted index or by one in any order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/monoid.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/sparse/segment_plan.hpp"
#include "sparse/products.hpp"

namespace evenly::products {

/// Rows of features with the segment of each.
struct segmented_rows {
  int segments = 0, width = 1;
  std::vector<std::int64_t> index;
  std::vector<float> values;

  float at(std::size_t row, int column) const {
    return values[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)];
  }
};

enum class index_order { sorted, any };

/// One segment has most of the rows, many have none.
inline segmented_rows random_rows(int rows, int segments, int width, index_order order, unsigned seed) {
  random_values<float> next(numbers::whole, seed);
  segmented_rows made{segments, width, {}, {}};
  for (int i = 0; i < rows; ++i) {
    const auto giant =
        next.below(2) == 0 ? static_cast<unsigned>(segments / 2) : next.below(unsigned(segments));
    made.index.push_back(giant % 5 == 3 ? giant - 1 : giant);
    for (int j = 0; j < width; ++j) made.values.push_back(next());
  }
  if (order == index_order::sorted) std::ranges::sort(made.index);
  return made;
}

/// The result of `combine` over the rows of each segment in order, from `first` on.
template <class Combine>
std::vector<float> by_loop(const segmented_rows& of, float first, const Combine& combine) {
  std::vector<float> out(static_cast<std::size_t>(of.segments * of.width), first);
  for (std::size_t i = 0; i < of.index.size(); ++i)
    for (int j = 0; j < of.width; ++j) {
      float& at = out[static_cast<std::size_t>(of.index[i] * of.width + j)];
      at = combine(at, of.at(i, j));
    }
  return out;
}

template <class T, class Value, class Executor, class Op>
std::vector<T> reduced(const Executor& exec, segment_plan<Executor>& plan, const segmented_rows& of,
                       const Op& op) {
  const auto values = to_executor(exec, [&] {
    std::vector<Value> typed;
    for (const float each : of.values) typed.push_back(static_cast<Value>(each));
    return typed;
  }());
  const auto out = to_executor(exec, std::vector<T>(static_cast<std::size_t>(of.segments * of.width)));
  plan.reduce(op, dense_rows(static_cast<int>(of.index.size()), of.width, values.data()),
              dense_rows(of.segments, of.width, out.data()));
  return to_host(exec, out);
}

template <class Executor>
std::vector<float> softmax_of(const Executor& exec, segment_plan<Executor>& plan, const segmented_rows& of) {
  const auto values = to_executor(exec, of.values);
  const auto rows = dense_rows(static_cast<int>(of.index.size()), of.width, values.data());
  plan.softmax(rows, rows);
  return to_host(exec, values);
}

inline void expect_near(const std::vector<float>& found, const std::vector<double>& right,
                        const std::string& where) {
  ASSERT_EQ(found.size(), right.size()) << where;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const bool same = std::isinf(right[i]) ? static_cast<double>(found[i]) == right[i]
                                           : std::abs(static_cast<double>(found[i]) - right[i]) <=
                                                 1e-5 * (1 + std::abs(right[i]));
    ASSERT_TRUE(same) << "element " << i << " is " << found[i] << ", not " << right[i] << "; " << where;
  }
}

template <class Value = float, class Executor>
void expect_reductions(const Executor& exec, segment_plan<Executor>& plan, const segmented_rows& of,
                       const std::string& where) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto sums = by_loop(of, 0, [](float a, float b) { return a + b; });
  const auto sizes = by_loop(of, 0, [](float a, float) { return a + 1; });
  EXPECT_EQ((reduced<float, Value>(exec, plan, of, plus{})), sums) << where;
  EXPECT_EQ((reduced<float, Value>(exec, plan, of, maximum{})),
            by_loop(of, -inf, [](float a, float b) { return std::max(a, b); }))
      << where;
  std::vector<std::int64_t> least(sums.size(), -1), greatest = least;
  std::vector<double> logs(sums.size(), -static_cast<double>(inf));
  for (std::size_t i = 0; i < of.index.size(); ++i)
    for (int j = 0; j < of.width; ++j) {
      const auto s = static_cast<std::size_t>(of.index[i] * of.width + j);
      const auto better = [&](std::int64_t& best, bool greater) {
        const float value = of.at(i, j);
        if (best < 0 || (greater ? value > of.at(static_cast<std::size_t>(best), j)
                                 : value < of.at(static_cast<std::size_t>(best), j)))
          best = static_cast<std::int64_t>(i);
      };
      better(least[s], false);
      better(greatest[s], true);
      logs[s] = std::log(std::exp(logs[s]) + std::exp(static_cast<double>(of.at(i, j))));
    }
  EXPECT_EQ((reduced<std::int64_t, Value>(exec, plan, of, segment_argmin{})), least) << where;
  EXPECT_EQ((reduced<std::int64_t, Value>(exec, plan, of, segment_argmax{})), greatest) << where;
  const auto means = reduced<float, Value>(exec, plan, of, segment_mean{});
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_TRUE(sizes[i] == 0 ? std::isnan(means[i]) : means[i] == sums[i] / sizes[i]) << i << "; " << where;
  expect_near(reduced<float, Value>(exec, plan, of, segment_logsumexp{}), logs, where);
  const auto shares = softmax_of(exec, plan, of);
  std::vector<double> right;
  for (std::size_t i = 0; i < of.index.size(); ++i)
    for (int j = 0; j < of.width; ++j)
      right.push_back(std::exp(static_cast<double>(of.at(i, j)) -
                               logs[static_cast<std::size_t>(of.index[i] * of.width + j)]));
  expect_near(shares, right, where);
}

/// By an index of both types, in any order and sorted, and by offsets.
template <class Executor>
void expect_segment_laws(const Executor& exec, const std::vector<std::pair<int, int>>& shapes,
                         const std::vector<int>& widths, const std::string& name) {
  unsigned seed = 1;
  for (const auto& [rows, segments] : shapes)
    for (const int width : widths) {
      const std::string where = name + ", " + std::to_string(rows) + " rows, " + std::to_string(segments) +
                                " segments, width " + std::to_string(width);
      const auto any = random_rows(rows, segments, width, index_order::any, ++seed);
      const auto index = to_executor(exec, std::vector<int>(any.index.begin(), any.index.end()));
      auto by_index = segments_by_index(exec, std::span<const int>(index.data(), index.size()), segments);
      EXPECT_EQ(by_index.has_order(), !std::ranges::is_sorted(any.index)) << where;
      expect_reductions(exec, by_index, any, where + ", by index");
      const auto sorted = random_rows(rows, segments, width, index_order::sorted, ++seed);
      const auto wide = to_executor(exec, sorted.index);
      auto by_sorted =
          segments_by_index(exec, std::span<const std::int64_t>(wide.data(), wide.size()), segments);
      EXPECT_FALSE(by_sorted.has_order()) << where;
      expect_reductions(exec, by_sorted, sorted, where + ", by sorted index");
      std::vector<int> offsets(static_cast<std::size_t>(segments) + 1);
      for (const std::int64_t s : sorted.index) ++offsets[static_cast<std::size_t>(s) + 1];
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) offsets[s + 1] += offsets[s];
      const auto begins = to_executor(exec, offsets);
      auto by_offsets = segments_by_offsets(exec, std::span<const int>(begins.data(), begins.size()), rows);
      EXPECT_EQ(by_offsets.segments(), segments);
      expect_reductions<half>(exec, by_offsets, sorted, where + ", by offsets, half");
    }
}

/// NaN and infinities in segments {NaN, 1}, {inf, 2}, {-inf, -inf}, {} and {-inf, 3}.
template <class Executor> void expect_segments_of_not_numbers(const Executor& exec) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const segmented_rows of{5, 1, {4, 0, 1, 2, 0, 1, 2, 4}, {-inf, 1, 2, -inf, nan, inf, -inf, 3}};
  const auto index = to_executor(exec, of.index);
  auto plan = segments_by_index(exec, std::span<const std::int64_t>(index.data(), index.size()), 5);
  const auto is = [&](const std::vector<float>& found, const std::vector<float>& right, const char* what) {
    for (std::size_t i = 0; i < right.size(); ++i)
      EXPECT_TRUE(std::isnan(right[i]) ? std::isnan(found[i]) : found[i] == right[i])
          << what << ": element " << i << " is " << found[i] << ", not " << right[i];
  };
  is(reduced<float, float>(exec, plan, of, plus{}), {nan, inf, -inf, 0, -inf}, "sum");
  is(reduced<float, float>(exec, plan, of, minimum{}), {nan, 2, -inf, inf, -inf}, "min");
  is(reduced<float, float>(exec, plan, of, maximum{}), {nan, inf, -inf, -inf, 3}, "max");
  is(reduced<float, float>(exec, plan, of, segment_mean{}), {nan, inf, -inf, nan, -inf}, "mean");
  is(reduced<float, float>(exec, plan, of, segment_logsumexp{}), {nan, inf, -inf, -inf, 3}, "logsumexp");
  EXPECT_EQ((reduced<std::int64_t, float>(exec, plan, of, segment_argmax{})),
            (std::vector<std::int64_t>{4, 5, 3, -1, 7}));
  EXPECT_EQ((reduced<std::int64_t, float>(exec, plan, of, segment_argmin{})),
            (std::vector<std::int64_t>{4, 2, 3, -1, 0}));
  is(softmax_of(exec, plan, of), {0, nan, nan, nan, nan, nan, nan, 1}, "softmax");
}

} // namespace evenly::products
