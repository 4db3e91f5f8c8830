// SPDX-License-Identifier: Apache-2.0
// The laws of transposes and sums of sparse matrices on every executor.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/sparse/add.hpp"
#include "evenly/sparse/transpose.hpp"
#include "sparse/products.hpp"

namespace evenly::products {

inline std::vector<csr_matrix<double>> some_matrices() {
  return {csr_matrix<double>{},
          with_sizes<double>({0, 0}, 3, numbers::whole, 1),
          with_sizes<double>({}, 3, numbers::whole, 1),
          with_sizes<double>({3, 0, 40, 1, 7}, 9, numbers::real, 1),
          with_sizes<double>({1, 1, 200, 0, 0, 2}, 1000, numbers::real, 2),
          with_sizes<double>({5, 2}, 1, numbers::real, 3)};
}

template <class Executor> void expect_transposes(const Executor& exec) {
  for (const auto& a : some_matrices()) {
    const auto on_exec = to_executor(exec, a);
    EXPECT_TRUE(same_matrix(to_host(exec, transpose(exec, on_exec.view())), transposed(a))) << a.rows;
    if (a.rows < 2) continue;
    const csr_view<double> last{a.rows - 1, a.cols, on_exec.offsets.data() + 1, on_exec.columns.data(),
                                on_exec.values.data()}; // whose first entry is not 0
    csr_matrix<double> rest{a.rows - 1, a.cols, {}, {}, {}};
    for (int r = 1; r <= a.rows; ++r) rest.offsets.push_back(a.offsets[r] - a.offsets[1]);
    rest.columns.assign(a.columns.begin() + a.offsets[1], a.columns.end());
    rest.values.assign(a.values.begin() + a.offsets[1], a.values.end());
    EXPECT_TRUE(same_matrix(to_host(exec, transpose(exec, last)), transposed(rest))) << a.rows;
  }
}
template <class Executor> void expect_sums(const Executor& exec) {
  for (const auto& a : some_matrices()) {
    std::vector<int> sizes(static_cast<std::size_t>(a.rows), 3);
    const auto b = with_sizes<double>(sizes, a.cols, numbers::real, 5);
    row_lists<double> rows(static_cast<std::size_t>(a.rows)), ones(rows.size());
    for (int r = 0; r < a.rows; ++r) {
      auto& row = rows[static_cast<std::size_t>(r)];
      for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) row.emplace_back(a.columns[k], 2 * a.values[k]);
      for (int k = b.offsets[r]; k < b.offsets[r + 1]; ++k)
        row.emplace_back(b.columns[k], -0.5 * b.values[k]);
      ones[static_cast<std::size_t>(r)] = {{r, 1.0}};
    }
    const auto on_a = to_executor(exec, a), on_b = to_executor(exec, b);
    const auto sum = to_host(exec, add(exec, on_a.view(), on_b.view(), 2, -0.5));
    expect_product(sum, matrix_of(a.rows, ones), matrix_of(a.cols, rows), std::to_string(a.rows) + " rows");
  }
}
} // namespace evenly::products
