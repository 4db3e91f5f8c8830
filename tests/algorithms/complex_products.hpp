// SPDX-License-Identifier: Apache-2.0
// spmv of complex values on any executor: exact where sums of whole numbers are.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/spmv.hpp"
#include "support/monoids.hpp"
#include "support/schedules.hpp"

namespace evenly {

/// 200 rows, empty ones and one of 3,000 entries among them. number(i): the i-th value.
template <class Value, class Number> csr_matrix<Value> make_matrix(const Number& number) {
  csr_matrix<Value> a;
  a.rows = 200;
  a.cols = 70;
  for (int row = 0; row < a.rows; ++row) {
    const int size = row == 80 ? 3000 : row % 4 == 0 ? 0 : row % 11;
    for (int k = 0; k < size; ++k) {
      const std::uint64_t place = a.columns.size();
      a.columns.push_back(static_cast<int>(mixed(place) % 70));
      a.values.push_back(number(place));
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

template <class Value> Value small_whole(std::uint64_t i) {
  const std::uint64_t bits = mixed(i + 99);
  using part = typename Value::value_type;
  return {static_cast<part>(static_cast<int>(bits & 7) - 3),
          static_cast<part>(static_cast<int>(bits >> 8 & 7) - 4)};
}

template <class Value, class Executor> void expect_exact(const Executor& exec) {
  const auto a = make_matrix<Value>(small_whole<Value>);
  std::vector<Value> x, y;
  for (std::uint64_t i = 0; i < 70; ++i) x.push_back(small_whole<Value>(i + 10'000));
  for (std::uint64_t i = 0; i < 200; ++i) y.push_back(small_whole<Value>(i + 20'000));
  const Value alpha{2, -1}, beta{0, 3};
  std::vector<Value> expected, without_beta;
  for (int row = 0; row < a.rows; ++row) {
    Value sum{};
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    without_beta.push_back(sum);
    expected.push_back(alpha * sum + beta * y[row]);
  }
  const auto offsets = to_executor(exec, a.offsets);
  const auto columns = to_executor(exec, a.columns);
  const auto values = to_executor(exec, a.values);
  const auto there = to_executor(exec, x);
  const csr_view<Value> view{a.rows, a.cols, offsets.data(), columns.data(), values.data()};
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    auto plan = make_plan(exec, schedule, rows_of(view));
    auto got = to_executor(exec, y);
    spmv(exec, plan, view, there.span(), got.span(), alpha, beta);
    EXPECT_EQ(to_host(exec, got), expected) << name;
    spmv(exec, plan, view, there.span(), got.span());
    EXPECT_EQ(to_host(exec, got), without_beta) << name;
  });
}

} // namespace evenly
