// SPDX-License-Identifier: Apache-2.0
// The laws of matrices without values, or with values of 16 bits, on every executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/compact_matrix.hpp"
#include "sparse/format_laws.hpp"

namespace evenly::products {

inline csr_matrix<float> floats_of(const csr_matrix<double>& a) {
  return {a.rows, a.cols, a.offsets, a.columns, {a.values.begin(), a.values.end()}};
}

/// 2 A x - y in float, of whole numbers of a few bits, which 16 bits hold.
template <class Executor, class Schedule, class View>
void expect_float_product(const Executor& exec, Schedule&& schedule, const View& view,
                          const csr_matrix<double>& a, const std::string& where) {
  const auto x = whole_vector(a.cols), y = whole_vector(a.rows);
  const auto on_x = to_executor(exec, std::vector<float>(x.begin(), x.end()));
  auto on_y = to_executor(exec, std::vector<float>(y.begin(), y.end()));
  spmv(exec, schedule, view, on_x.span(), on_y.span(), 2, -1);
  const auto right = slow_product(a, x, y);
  EXPECT_EQ(to_host(exec, on_y), std::vector<float>(right.begin(), right.end())) << where;
}

template <class Executor> void expect_compact_formats(const Executor& exec) {
  const merge_path<> schedule;
  for (const csr_matrix<double>& a : matrices_for_formats()) {
    const std::string where = std::to_string(a.rows) + " x " + std::to_string(a.cols);
    const auto on_exec = to_executor(exec, floats_of(a));

    csr_matrix<double> ones = a;
    ones.values.assign(a.values.size(), 1);
    const auto pattern = pattern_of<float>(on_exec.view());
    expect_float_product(exec, schedule, pattern, ones, "pattern, " + where);
    auto plan = make_plan(exec, schedule, pattern.tiles());
    expect_product_with(exec, plan, pattern_of<double>(on_exec.view()), ones, "planned pattern, " + where);

    const auto halves = to_narrow<half>(exec, on_exec.view());
    expect_float_product(exec, schedule, with_values(on_exec.view(), halves.data()), a, "half, " + where);
    const auto brains = to_narrow<bfloat16>(exec, on_exec.view());
    expect_float_product(exec, plan, with_values(on_exec.view(), brains.data()), a, "bfloat16, " + where);

    if (a.rows < 2) continue; // all but the first row
    auto later = on_exec.view();
    later.rows -= 1;
    later.offsets += 1;
    const auto stored = to_narrow<half>(exec, later);
    csr_matrix<double> rest = a;
    rest.rows -= 1;
    rest.offsets.erase(rest.offsets.begin());
    expect_float_product(exec, schedule, with_values(later, stored.data()), rest, "from row 1, " + where);
  }
}

} // namespace evenly::products
