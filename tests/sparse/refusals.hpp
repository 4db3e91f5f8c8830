// SPDX-License-Identifier: Apache-2.0
// For every format, a product is refused if its result overlaps an input, or if its plan is of another matrix.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "sparse/products.hpp"
#include "support/messages.hpp"

namespace evenly::products {

/// One row, so that a y of one value fits into every array.
inline csr_matrix<double> row_of_every_third_column() {
  row_lists<double> row(1);
  for (int k = 0; k < 300; ++k) row[0].emplace_back(3 * k, 1.0);
  return matrix_of(900, row);
}

struct named_array {
  template <class T>
  named_array(const char* of, const T* at, std::size_t count)
      : name(of), data(at), bytes(count * sizeof(T)) {}
  std::string name;
  const void* data;
  std::size_t bytes;
};

/// y may lie neither at the begin nor at the end of an array of the matrix, which has one row, nor in x.
template <class View> void expect_apart(const View& view, const std::vector<named_array>& arrays) {
  using value = typename View::value_type;
  std::vector<value> x(static_cast<std::size_t>(view.cols));
  const auto message = [&](void* y) {
    return message_of<invalid_argument>(
        [&] { spmv(cpu(), merge_path{}, view, x, std::span(static_cast<value*>(y), 1)); });
  };
  const auto overlap = [](std::size_t bytes, const std::string& name) {
    return "y begins " + std::to_string(bytes) + " bytes after the start of " + name +
           " and overlaps it: they must be disjoint";
  };
  for (const named_array& each : arrays) {
    auto* const begin = static_cast<std::byte*>(const_cast<void*>(each.data));
    EXPECT_EQ(message(begin), overlap(0, each.name));
    if (each.bytes < sizeof(value)) continue;
    const std::size_t last = (each.bytes / sizeof(value) - 1) * sizeof(value);
    EXPECT_EQ(message(begin + last), overlap(last, each.name));
  }
  EXPECT_EQ(message(x.data() + 2), overlap(2 * sizeof(value), "x"));
}

/// `other`: of as many tiles, elsewhere.
template <class View> void expect_plan_refused(const View& view, const View& other) {
  const cpu exec;
  auto plan = make_plan(exec, merge_path{}, other.tiles());
  const std::vector<typename View::value_type> x(static_cast<std::size_t>(view.cols));
  std::vector<typename View::value_type> y(static_cast<std::size_t>(view.rows), 7);
  const auto before = y;
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, plan, view, x, y); }),
            "the plan is for another matrix of " + std::to_string(view.tiles().tiles()) +
                " tiles: a plan supports only the arrays that it was made for");
  EXPECT_EQ(y, before);
}

} // namespace evenly::products
