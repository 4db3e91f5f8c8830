// SPDX-License-Identifier: Apache-2.0
// What holds for masked products, scaling and norms on every executor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/masked_spgemm.hpp"
#include "evenly/sparse/scale.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "sparse/solver_systems.hpp"
#include "support/messages.hpp"

namespace evenly::systems {

/// Ascending columns; row `dense` has all of them, and every fifth row none.
inline csr_matrix<double> positions(int rows, int cols, int each, int dense, unsigned seed) {
  sizable_values<double> next(seed);
  csr_matrix<double> made;
  made.rows = rows;
  made.cols = cols;
  made.offsets.assign(1, 0);
  for (int r = 0; r < rows; ++r) {
    std::vector<int> columns;
    for (int k = 0; r % 5 != 0 && k < each; ++k) columns.push_back(next.below(cols));
    for (int c = 0; r == dense && c < cols; ++c) columns.push_back(c);
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    for (const int c : columns) {
      made.columns.push_back(c);
      made.values.push_back(next());
    }
    made.offsets.push_back(static_cast<int>(made.columns.size()));
  }
  return made;
}

/// The result has the positions that the mask and the product share, with the bits of spgemm.
template <class Executor>
void expect_masked_product(const Executor& exec, const csr_matrix<double>& mask, const csr_matrix<double>& a,
                           const csr_matrix<double>& b) {
  const auto m = to_executor(exec, mask), left = to_executor(exec, a), right = to_executor(exec, b);
  const auto found = to_host(exec, masked_spgemm(exec, m.view(), left.view(), right.view()));
  const auto all = to_host(cpu(1), spgemm<int>(cpu(1), a.view(), b.view()));
  csr_matrix<double> expected;
  expected.rows = mask.rows;
  expected.cols = mask.cols;
  expected.offsets.assign(1, 0);
  for (std::size_t r = 0; r < static_cast<std::size_t>(mask.rows); ++r) {
    for (auto e = static_cast<std::size_t>(all.offsets[r]); e < static_cast<std::size_t>(all.offsets[r + 1]);
         ++e) {
      const auto begin = mask.columns.begin() + mask.offsets[r],
                 end = mask.columns.begin() + mask.offsets[r + 1];
      if (!std::binary_search(begin, end, all.columns[e])) continue;
      expected.columns.push_back(all.columns[e]);
      expected.values.push_back(all.values[e]);
    }
    expected.offsets.push_back(static_cast<int>(expected.columns.size()));
  }
  EXPECT_EQ(found.offsets, expected.offsets);
  EXPECT_EQ(found.columns, expected.columns);
  EXPECT_TRUE(same_bits(found.values, expected.values));
}

template <class Executor> void expect_masked_products(const Executor& exec) {
  const auto a = positions(60, 50, 6, 7, 41), b = positions(50, 70, 5, 11, 42);
  expect_masked_product(exec, positions(60, 70, 8, 7, 43), a, b);
  expect_masked_product(exec, positions(60, 70, 1, -1, 44), a, b); // rows of B are longer
  expect_masked_product(exec, positions(60, 70, 60, 7, 45), a, b); // rows of the mask are longer
  expect_masked_product(exec, positions(60, 70, 0, -1, 46), a, b); // an empty mask
  expect_masked_product(exec, positions(60, 70, 3, 1, 47), positions(60, 50, 0, -1, 48), b); // A = 0
  expect_masked_product(exec, csr_matrix<double>{}, csr_matrix<double>{}, csr_matrix<double>{});
  const auto refusal = [&](const csr_matrix<double>& mask, const csr_matrix<double>& other) {
    const auto m = to_executor(exec, mask), left = to_executor(exec, a), right = to_executor(exec, other);
    return refusal_of([&] { masked_spgemm(exec, m.view(), left.view(), right.view()); });
  };
  EXPECT_EQ(refusal(positions(60, 71, 3, -1, 49), b),
            "the mask has 60 rows and 71 columns: A B has 60 and 70");
  auto twice = positions(60, 70, 9, 7, 50);
  twice.columns[1] = twice.columns[0];
  EXPECT_EQ(refusal(twice, b),
            "columns of the mask must ascend in each row, without duplicates, for a masked product");
  auto turned = b;
  std::swap(turned.columns[0], turned.columns[1]);
  EXPECT_EQ(refusal(positions(60, 70, 9, 7, 51), turned),
            "columns of B must ascend in each row, without duplicates, for a masked product");
}

template <class Executor> void expect_scaling_and_norms(const Executor& exec) {
  const auto a = positions(40, 30, 5, 3, 52);
  const auto on_exec = to_executor(exec, a);
  const auto rows = some_values<double>(40, 53), columns = some_values<double>(30, 54);
  const auto of_rows = to_executor(exec, rows), of_columns = to_executor(exec, columns);
  for (int which = 0; which < 4; ++which) {
    auto out = make_buffer<double>(exec, a.values.size());
    const bool by_rows = (which & 1) != 0, by_columns = (which & 2) != 0;
    const std::span<const double> none;
    scale(exec, on_exec.view(), by_rows ? of_rows.span() : none, by_columns ? of_columns.span() : none,
          out.span());
    const auto found = to_host(exec, out);
    for (std::size_t r = 0; r < 40; ++r)
      for (auto e = static_cast<std::size_t>(a.offsets[r]); e < static_cast<std::size_t>(a.offsets[r + 1]);
           ++e)
        EXPECT_EQ(found[e], (by_rows ? rows[r] : 1.0) * a.values[e] *
                                (by_columns ? columns[static_cast<std::size_t>(a.columns[e])] : 1.0));
  }
  for (const auto kind : {norm_kind::one, norm_kind::two, norm_kind::max}) {
    std::vector<double> expected(40), across(30);
    const auto add = [&](double& sum, double value) {
      if (kind == norm_kind::one) sum += std::abs(value);
      if (kind == norm_kind::two) sum += value * value;
      if (kind == norm_kind::max) sum = std::max(sum, std::abs(value));
    };
    for (std::size_t r = 0; r < 40; ++r)
      for (auto e = static_cast<std::size_t>(a.offsets[r]); e < static_cast<std::size_t>(a.offsets[r + 1]);
           ++e) {
        add(expected[r], a.values[e]);
        add(across[static_cast<std::size_t>(a.columns[e])], a.values[e]);
      }
    auto norms = make_buffer<double>(exec, 40);
    row_norms(exec, on_exec.view(), kind, norms.span());
    const auto found = to_host(exec, norms);
    auto others = make_buffer<double>(exec, 30);
    column_norms(exec, on_exec.view(), kind, others.span());
    const auto found_across = to_host(exec, others);
    const auto size_of = [&](double sum) { return kind == norm_kind::two ? std::sqrt(sum) : sum; };
    for (std::size_t r = 0; r < 40; ++r)
      EXPECT_NEAR(found[r], size_of(expected[r]), 1e-14 * size_of(expected[r])) << r;
    for (std::size_t c = 0; c < 30; ++c)
      EXPECT_NEAR(found_across[c], size_of(across[c]), 1e-14 * size_of(across[c])) << c;
  }
  auto with_nan = a;
  with_nan.values[0] = std::numeric_limits<double>::quiet_NaN(); // row 1
  const auto nan = to_executor(exec, with_nan);
  auto norms = make_buffer<double>(exec, 40);
  row_norms(exec, nan.view(), norm_kind::max, norms.span());
  const auto found = to_host(exec, norms);
  EXPECT_TRUE(std::isnan(found[1]));
  EXPECT_EQ(found[0], 0); // an empty row
  EXPECT_EQ(refusal_of([&] { row_norms(exec, on_exec.view(), norm_kind::one, norms.span().first(39)); }),
            "norms has 39 elements, but the matrix has 40 rows");
  EXPECT_EQ(refusal_of([&] { scale(exec, on_exec.view(), norms.span().first(3), {}, norms.span()); }),
            "rows has 3 elements, but the matrix has 40 rows");
}

} // namespace evenly::systems
