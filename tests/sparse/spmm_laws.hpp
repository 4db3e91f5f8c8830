// SPDX-License-Identifier: Apache-2.0
// The laws of C = alpha A B + beta C on every executor, under every schedule, in all layouts: the entries of a slow
// product, nothing else touched, and the same bits again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/spmm.hpp"
#include "sparse/products.hpp"

namespace evenly::products {

inline constexpr dense_layout layouts[] = {dense_layout::rows, dense_layout::columns};

/// A dense matrix on the host, with `gap` elements between its lines, and as many before the first one.
template <class Value> struct dense_matrix {
  int rows, cols, gap;
  dense_layout layout;
  std::vector<Value> memory;

  dense_matrix(int of_rows, int of_cols, dense_layout of_layout, int of_gap, Value fill = 0)
      : rows(of_rows), cols(of_cols), gap(of_gap), layout(of_layout) {
    const int lines = layout == dense_layout::rows ? rows : cols;
    memory.assign(static_cast<std::size_t>(gap + lines * leading()), fill);
  }
  int leading() const { return (layout == dense_layout::rows ? cols : rows) + gap; }
  Value& operator()(int row, int column) {
    const int line = layout == dense_layout::rows ? row : column;
    return memory[static_cast<std::size_t>(gap + line * leading() + row + column - line)];
  }
  Value operator()(int row, int column) const { return const_cast<dense_matrix&>(*this)(row, column); }
  template <class T> dense_view<T> at(T* copy) const { return {rows, cols, copy + gap, leading(), layout}; }
};

template <class Value>
dense_matrix<Value> random_dense(int rows, int cols, dense_layout layout, int gap, numbers kind,
                                 unsigned seed) {
  random_values<Value> next(kind, seed);
  dense_matrix<Value> m(rows, cols, layout, gap, std::numeric_limits<Value>::quiet_NaN());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) m(r, c) = next();
  return m;
}

/// C as spmm leaves it.
template <class Executor, class Schedule, class Value, class Offset>
dense_matrix<Value> multiplied(const Executor& exec, const Schedule& schedule,
                               const csr_matrix<Value, Offset>& a, const dense_matrix<Value>& b,
                               dense_matrix<Value> c, Value alpha = 1, Value beta = 0, int times = 1) {
  const auto offsets = to_executor(exec, a.offsets);
  const auto columns = to_executor(exec, a.columns);
  const auto values = to_executor(exec, a.values);
  const auto in = to_executor(exec, b.memory), out = to_executor(exec, c.memory);
  const csr_view<Value, Offset> view{a.rows, a.cols, offsets.data(), columns.data(), values.data()};
  auto plan = make_plan(exec, schedule, rows_of(view));
  for (int i = 0; i < times; ++i) spmm(exec, plan, view, b.at(in.data()), c.at(out.data()), alpha, beta);
  c.memory = to_host(exec, out);
  return c;
}

template <class Value> bool same_bits(const dense_matrix<Value>& a, const dense_matrix<Value>& b) {
  return std::ranges::equal(a.memory, b.memory, [](Value x, Value y) { return bits_of(x) == bits_of(y); });
}

/// One product, held to the bound of each entry's error; of whole numbers that is exact.
template <class Executor, class Schedule, class Value, class Offset>
bool expect_product(const Executor& exec, const Schedule& schedule, const csr_matrix<Value, Offset>& a,
                    const dense_matrix<Value>& b, const dense_matrix<Value>& before, Value alpha, Value beta,
                    bool exact, const std::string& where) {
  const auto c = multiplied(exec, schedule, a, b, before, alpha, beta);
  auto untouched = c;
  std::vector<double> sum(static_cast<std::size_t>(b.cols)), magnitude(sum);
  for (int r = 0; r < a.rows; ++r) {
    std::ranges::fill(sum, 0.0);
    std::ranges::fill(magnitude, 0.0);
    const auto begin = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(r)]);
    const auto end = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(r) + 1]);
    for (std::size_t k = begin; k < end; ++k)
      for (int j = 0; j < b.cols; ++j) {
        const double term = static_cast<double>(a.values[k]) * static_cast<double>(b(a.columns[k], j));
        sum[static_cast<std::size_t>(j)] += term;
        magnitude[static_cast<std::size_t>(j)] += std::abs(term);
      }
    for (int j = 0; j < b.cols; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double old = beta == Value{0} ? 0 : static_cast<double>(beta) * static_cast<double>(before(r, j));
      const double wanted = static_cast<double>(alpha) * sum[at] + old;
      const double of_all = std::abs(static_cast<double>(alpha)) * magnitude[at] + std::abs(old);
      const double bound = exact ? 0
                                 : static_cast<double>(end - begin + 3) * of_all *
                                       static_cast<double>(std::numeric_limits<Value>::epsilon());
      const double found = static_cast<double>(c(r, j));
      if (!(std::abs(found - wanted) <= bound)) {
        ADD_FAILURE() << "C[" << r << "][" << j << "] = " << found << ", not " << wanted << "; " << where;
        return false;
      }
      untouched(r, j) = before(r, j);
    }
  }
  EXPECT_TRUE(same_bits(untouched, before)) << "between the rows of C; " << where;
  return true;
}

inline std::string name_of(dense_layout b, dense_layout c, int width, int gap) {
  const auto letter = [](dense_layout l) { return l == dense_layout::rows ? "rows" : "columns"; };
  return std::string("B by ") + letter(b) + ", C by " + letter(c) + ", width " + std::to_string(width) +
         ", gap " + std::to_string(gap);
}

/// In all layouts, with gaps that keep packs whole and with ones that do not; C begins as what is not a number where it
/// is not read.
template <class Executor, class Schedule, class Value, class Offset>
void expect_in_all_layouts(const Executor& exec, const Schedule& schedule, const csr_matrix<Value, Offset>& a,
                           const std::vector<int>& widths, numbers kind, const std::string& where) {
  unsigned seed = 1;
  for (const int width : widths)
    for (const dense_layout of_b : layouts)
      for (const dense_layout of_c : layouts) {
        ++seed;
        const int gap = static_cast<int>(seed / 2 % 3) * (seed % 4 == 1 ? 1 : 4);
        const auto b = random_dense<Value>(a.cols, width, of_b, gap, kind, seed);
        const dense_matrix<Value> none(a.rows, width, of_c, gap, std::numeric_limits<Value>::quiet_NaN());
        const auto some = random_dense<Value>(a.rows, width, of_c, gap, kind, seed + 100);
        const std::string here = name_of(of_b, of_c, width, gap) + "; " + where;
        const bool exact = kind == numbers::whole;
        if (!expect_product(exec, schedule, a, b, none, Value{1}, Value{0}, exact, here)) return;
        if (!expect_product(exec, schedule, a, b, some, Value{2}, Value{-3}, exact, here)) return;
      }
}

/// Matrices of all forms: visit(name, matrix).
template <class Value, class Visit> void for_each_form(numbers kind, const Visit& visit) {
  const auto matrix = [&](const std::vector<int>& sizes, int cols) {
    return with_sizes<Value>(sizes, cols, kind, 5);
  };
  visit("0 x 0", csr_matrix<Value>{});
  visit("no entries", matrix({0, 0, 0}, 2));
  visit("no rows", matrix({}, 4));
  visit("no columns", matrix({0, 0}, 0));
  visit("1 x n", matrix({700}, 300));
  visit("n x 1", matrix(std::vector<int>(300, 1), 1));
  visit("a power law, with empty rows, unsorted columns and duplicates", matrix(power_law_sizes(), 90));
  visit("a dense column and a dense row", dense_column_and_row<Value>(kind));
}

template <class Value, class Executor, class Schedule>
void expect_wide_offsets(const Executor& exec, const Schedule& schedule) {
  const auto narrow = with_sizes<Value>({3, 0, 200, 1, 5}, 30, numbers::real, 1);
  const csr_matrix<Value, std::int64_t> a{
      5, 30, {narrow.offsets.begin(), narrow.offsets.end()}, narrow.columns, narrow.values};
  expect_in_all_layouts(exec, schedule, a, {1, 8, 33}, numbers::real, "wide offsets");
}

/// A I = A, (A B) x = A (B x), and A^T B is what rows of A scatter.
template <class Value, class Executor, class Schedule>
void expect_identities_of_spmm(const Executor& exec, const Schedule& schedule, const std::string& where) {
  std::vector<int> sizes;
  for (int r = 0; r < 70; ++r) sizes.push_back(r % 9 == 4 ? 0 : r == 30 ? 200 : r % 6);
  const auto a = with_sizes<Value>(sizes, 40, numbers::whole, 3);
  for (const dense_layout layout : layouts) {
    dense_matrix<Value> unit(40, 40, layout, 0);
    for (int i = 0; i < 40; ++i) unit(i, i) = 1;
    const auto same = multiplied(exec, schedule, a, unit, dense_matrix<Value>(70, 40, layout, 0));
    dense_matrix<Value> as_dense(70, 40, layout, 0);
    for (int r = 0; r < 70; ++r)
      for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) as_dense(r, a.columns[k]) += a.values[k];
    EXPECT_TRUE(same.memory == as_dense.memory) << "A I = A; " << where;

    const auto b = random_dense<Value>(40, 12, layout, 0, numbers::whole, 7);
    const auto x = random_dense<Value>(12, 1, layout, 0, numbers::whole, 8);
    const auto ab = multiplied(exec, schedule, a, b, dense_matrix<Value>(70, 12, layout, 0));
    dense_matrix<Value> bx(40, 1, layout, 0), abx(70, 1, layout, 0);
    for (int r = 0; r < 40; ++r)
      for (int c = 0; c < 12; ++c) bx(r, 0) += b(r, c) * x(c, 0);
    for (int r = 0; r < 70; ++r)
      for (int c = 0; c < 12; ++c) abx(r, 0) += ab(r, c) * x(c, 0);
    const auto a_bx = multiplied(exec, schedule, a, bx, dense_matrix<Value>(70, 1, layout, 0));
    EXPECT_TRUE(a_bx.memory == abx.memory) << "(A B) x = A (B x); " << where;

    const auto d = random_dense<Value>(70, 12, layout, 0, numbers::whole, 9);
    const auto td = multiplied(exec, schedule, transposed(a), d, dense_matrix<Value>(40, 12, layout, 0));
    dense_matrix<Value> scattered(40, 12, layout, 0);
    for (int r = 0; r < 70; ++r)
      for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k)
        for (int c = 0; c < 12; ++c) scattered(a.columns[k], c) += a.values[k] * d(r, c);
    EXPECT_TRUE(td.memory == scattered.memory) << "A^T by its rows; " << where;
  }
}

/// What is not a number, and infinities, are in the entries whose sums have them, and nowhere else.
template <class Value, class Executor, class Schedule>
void expect_not_numbers(const Executor& exec, const Schedule& schedule) {
  constexpr Value nan = std::numeric_limits<Value>::quiet_NaN();
  constexpr Value inf = std::numeric_limits<Value>::infinity();
  const auto a = matrix_of<Value>(3, {{{0, Value{1}}, {2, Value{2}}}, {{1, Value{3}}}, {}, {{0, inf}}});
  for (const dense_layout layout : layouts) {
    dense_matrix<Value> b(3, 4, layout, 0, Value{1});
    b(0, 1) = nan;
    b(2, 2) = inf;
    b(0, 3) = -inf;
    b(2, 3) = inf;
    const auto c = multiplied(exec, schedule, a, b, dense_matrix<Value>(4, 4, layout, 0, nan));
    EXPECT_EQ(c(0, 0), Value{3});
    EXPECT_TRUE(std::isnan(c(0, 1)));
    EXPECT_EQ(c(0, 2), inf);
    EXPECT_TRUE(std::isnan(c(0, 3)));
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ(c(1, j), Value{3}) << j;
      EXPECT_EQ(c(2, j), Value{0}) << j;
    }
    EXPECT_EQ(c(3, 0), inf);
    EXPECT_TRUE(std::isnan(c(3, 1)));
    EXPECT_EQ(c(3, 2), inf);
    EXPECT_EQ(c(3, 3), -inf);
    const auto kept = multiplied(exec, schedule, a, dense_matrix<Value>(3, 4, layout, 0, Value{1}),
                                 dense_matrix<Value>(4, 4, layout, 0, nan), Value{1}, Value{1});
    EXPECT_TRUE(std::isnan(kept(2, 0))) << "C is read where beta is not 0";
  }
}

/// Ten products under one plan, and one under another.
template <class Value, class Executor, class Schedule>
void expect_same_bits_again(const Executor& exec, const Schedule& schedule, const csr_matrix<Value>& a,
                            int width, const std::string& where) {
  for (const dense_layout layout : layouts) {
    const auto b = random_dense<Value>(a.cols, width, layout, 0, numbers::real, 11);
    const dense_matrix<Value> none(a.rows, width, layout, 0);
    const auto first = multiplied(exec, schedule, a, b, none);
    for (int run = 0; run < 10; ++run)
      EXPECT_TRUE(same_bits(multiplied(exec, schedule, a, b, none, Value{1}, Value{0}, 1 + run % 2), first))
          << "run " << run << "; " << where;
  }
}

} // namespace evenly::products
