// SPDX-License-Identifier: Apache-2.0
// The laws of matrices in every format on every executor: there and back keeps the entries, and y = A x is right.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/bcsr_matrix.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csc_matrix.hpp"
#include "evenly/sparse/dia_matrix.hpp"
#include "evenly/sparse/ell_matrix.hpp"
#include "evenly/sparse/transpose.hpp"
#include "sparse/products.hpp"

namespace evenly::products {

inline std::vector<csr_matrix<double>> matrices_for_formats() {
  return {csr_matrix<double>{},
          with_sizes<double>({0, 0}, 3, numbers::whole, 1),
          with_sizes<double>({}, 3, numbers::whole, 1),
          with_sizes<double>({3, 0, 40, 1, 7}, 9, numbers::whole, 1),
          with_sizes<double>({1, 1, 200, 0, 0, 2}, 1000, numbers::whole, 2),
          with_sizes<double>({5, 2}, 1, numbers::whole, 3),
          identity<double>(70),
          with_sizes<double>({700}, 300, numbers::whole, 4),
          with_sizes<double>(power_law_sizes(), 90, numbers::whole, 5),
          dense_column_and_row<double>(numbers::whole)};
}

/// The first entry of each place, in order, and not 0.
inline csr_matrix<double> one_at_each_place(const csr_matrix<double>& a) {
  row_lists<double> rows(static_cast<std::size_t>(a.rows));
  for (int r = 0; r < a.rows; ++r) {
    std::map<int, double> row;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k)
      row.try_emplace(a.columns[k], a.values[k] == 0 ? 9 : a.values[k]);
    rows[static_cast<std::size_t>(r)].assign(row.begin(), row.end());
  }
  return matrix_of(a.cols, rows);
}

inline std::vector<double> whole_vector(int size) {
  std::vector<double> x;
  for (int i = 0; i < size; ++i) x.push_back(i % 7 - 3);
  return x;
}
/// 2 A x - y, of whole numbers, so exact in any order.
inline std::vector<double> slow_product(const csr_matrix<double>& a, const std::vector<double>& x,
                                        std::vector<double> y) {
  for (int r = 0; r < a.rows; ++r) {
    double sum = 0;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    y[r] = 2 * sum - y[r];
  }
  return y;
}

template <class Executor, class Schedule, class View>
void expect_product_with(const Executor& exec, Schedule&& schedule, const View& view,
                         const csr_matrix<double>& a, const std::string& where) {
  const auto x = whole_vector(a.cols), y = whole_vector(a.rows);
  const auto on_x = to_executor(exec, x);
  auto on_y = to_executor(exec, y);
  spmv(exec, schedule, view, on_x.span(), on_y.span(), 2, -1);
  EXPECT_EQ(to_host(exec, on_y), slow_product(a, x, y)) << where;
}

/// y = A x of real numbers: each within the bound of its row's products, and the same bits in ten runs of a plan.
/// `a`: what the view holds, exactly.
template <class Executor, class Schedule, class View>
void expect_real_product(const Executor& exec, const Schedule& schedule, const View& view,
                         const csr_matrix<double>& a, const std::string& where) {
  using value = typename View::value_type;
  random_values<value> next(numbers::real, 8);
  std::vector<value> x(static_cast<std::size_t>(a.cols));
  for (value& each : x) each = next();
  const auto on_x = to_executor(exec, x);
  auto plan = make_plan(exec, schedule, view.tiles());
  std::vector<std::uint64_t> first;
  for (int run = 0; run < 10; ++run) {
    const auto on_y = make_buffer<value>(exec, static_cast<std::size_t>(a.rows));
    spmv(exec, plan, view, on_x.span(), on_y.span());
    const auto y = to_host(exec, on_y);
    std::vector<std::uint64_t> bits;
    for (const value each : y) bits.push_back(bits_of(each));
    if (run > 0) {
      EXPECT_EQ(bits, first) << "run " << run << ", " << where;
      continue;
    }
    first = bits;
    for (int r = 0; r < a.rows; ++r) {
      double sum = 0, magnitude = 0;
      for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) {
        const double term = a.values[k] * static_cast<double>(x[a.columns[k]]);
        sum += term;
        magnitude += std::abs(term);
      }
      const double unit = std::numeric_limits<value>::epsilon();
      EXPECT_NEAR(y[r], sum, (a.offsets[r + 1] - a.offsets[r] + 2) * unit * magnitude)
          << "row " << r << ", " << where;
    }
  }
}

/// Of enough entries that cores share rows.
inline csr_matrix<double> matrix_of_several_blocks(numbers kind) {
  std::vector<int> sizes;
  for (int r = 0; r < 1500; ++r) sizes.push_back(r % 9 == 4 ? 0 : r == 300 ? 1400 : r % 17);
  return with_sizes<double>(sizes, 400, kind, 7);
}
/// The same of few diagonals.
inline csr_matrix<double> diagonals_of_several_blocks(numbers kind) {
  constexpr int rows = 3000;
  random_values<double> next(kind, 7);
  row_lists<double> band(rows);
  for (int r = 0; r < rows; ++r)
    for (const int diagonal : {-900, -50, -1, 0, 1, 2, 700})
      if (r + diagonal >= 0 && r + diagonal < rows)
        band[static_cast<std::size_t>(r)].emplace_back(r + diagonal, next());
  return matrix_of(rows, band);
}

template <class Executor, class Schedule>
void expect_real_products(const Executor& exec, const Schedule& schedule) {
  const auto a = matrix_of_several_blocks(numbers::real);
  const csr_matrix<double> once = one_at_each_place(a), few = diagonals_of_several_blocks(numbers::real);
  const auto on_exec = to_executor(exec, a), one = to_executor(exec, once), band = to_executor(exec, few);
  const auto check = [&](const auto& of, const csr_matrix<double>& held, const std::string& where) {
    expect_real_product(exec, schedule, of.view(), held, where);
  };
  check(to_coo(exec, on_exec.view()), a, "coo");
  check(to_ell(exec, on_exec.view()), a, "ell");
  check(to_dia(exec, band.view()), few, "dia");
  check(to_bcsr<2, 3>(exec, one.view()), once, "bcsr");
  const auto csc = to_csc(exec, on_exec.view());
  const rows_of_csc by_rows(exec, csc);
  expect_real_product(exec, schedule, by_rows.view(csc.view()), a, "csc");
}

/// y = A x of compressed rows whose offsets have 64 bits.
template <class Executor, class Schedule>
void expect_rows_with_wide_offsets(const Executor& exec, const Schedule& schedule) {
  for (const csr_matrix<double>& a : matrices_for_formats()) {
    const csr_matrix<double, std::int64_t> wide{
        a.rows, a.cols, {a.offsets.begin(), a.offsets.end()}, a.columns, a.values};
    const auto on_exec = to_executor(exec, wide);
    expect_product_with(exec, schedule, on_exec.view(), a,
                        std::to_string(a.rows) + " x " + std::to_string(a.cols));
  }
}

/// A^T x by compressed columns has the bits that it has by a transpose, and both have them again.
template <class Executor, class Schedule>
void expect_transposed_products(const Executor& exec, const Schedule& schedule, const std::string& where) {
  std::vector<int> sizes;
  for (int r = 0; r < 400; ++r) sizes.push_back(r % 9 == 4 ? 0 : r == 90 ? 2500 : r % 13);
  const auto a = with_sizes<double>(sizes, 130, numbers::real, 3);
  const auto on_exec = to_executor(exec, a);
  const auto csc = to_csc(exec, on_exec.view());
  const auto rows = transpose(exec, on_exec.view());
  random_values<double> next(numbers::real, 6);
  std::vector<double> x(400);
  for (double& each : x) each = next();
  const auto on_x = to_executor(exec, x);
  const auto product = [&](const auto& view) {
    const auto y = make_buffer<double>(exec, 130);
    spmv(exec, schedule, view, on_x.span(), y.span());
    std::vector<std::uint64_t> bits;
    for (const double each : to_host(exec, y)) bits.push_back(bits_of(each));
    return bits;
  };
  const auto first = product(rows.view());
  for (int run = 0; run < 10; ++run)
    EXPECT_EQ(product(transpose_of(csc.view())), first) << "run " << run << ", " << where;
}

/// y = A x by a thread for each row, of formats whose arrays have rows one behind the other or side by side.
template <class Executor> void expect_products_of_lone_threads(const Executor& exec) {
  const group_per_tile<1> schedule;
  std::vector<csr_matrix<double>> all = matrices_for_formats();
  std::vector<int> sizes;
  for (int r = 0; r < 600; ++r) sizes.push_back(r % 7);
  all.push_back(with_sizes<double>(sizes, 50, numbers::whole, 6));
  for (const csr_matrix<double>& a : all) {
    const std::string where = std::to_string(a.rows) + " x " + std::to_string(a.cols);
    const auto on_exec = to_executor(exec, a);
    expect_product_with(exec, schedule, on_exec.view(), a, "csr, " + where);
    const auto ell = to_ell(exec, on_exec.view());
    expect_product_with(exec, schedule, ell.view(), a, "ell by columns, " + where);

    const auto by_rows = ell_by_rows(a.rows, ell.layout.width());
    std::vector<int> columns = to_host(exec, ell.columns), old_columns = columns;
    std::vector<double> values = to_host(exec, ell.values), old_values = values;
    for (int r = 0; r < a.rows; ++r)
      for (int rank = 0; rank < by_rows.width(); ++rank) {
        columns[by_rows.slot(r, rank)] = old_columns[ell.layout.slot(r, rank)];
        values[by_rows.slot(r, rank)] = old_values[ell.layout.slot(r, rank)];
      }
    const auto on_columns = to_executor(exec, columns);
    const auto on_values = to_executor(exec, values);
    const ell_view<double> view{a.rows,          a.cols, by_rows, ell.lengths.data(), on_columns.data(),
                                on_values.data()};
    expect_product_with(exec, schedule, view, a, "ell by rows, " + where);
  }
  const auto few = diagonals_of_several_blocks(numbers::whole);
  expect_product_with(exec, schedule, to_dia(exec, to_executor(exec, few).view()).view(), few, "dia");
}

template <class Executor> void expect_formats(const Executor& exec) {
  const merge_path<> schedule;
  for (const csr_matrix<double>& a : matrices_for_formats()) {
    const std::string where = std::to_string(a.rows) + " x " + std::to_string(a.cols);
    const auto on_exec = to_executor(exec, a);
    const auto same = [&](const auto& back) { return same_matrix(to_host(exec, back), a); };

    const auto coo = to_coo(exec, on_exec.view());
    EXPECT_TRUE(same(to_csr(exec, coo.view()))) << "coo, " << where;
    expect_product_with(exec, schedule, coo.view(), a, "coo, " + where);
    const rows_of_coo rows(exec, coo);
    expect_product_with(exec, schedule, rows.view(coo.view()), a, "coo, rows found, " + where);

    const auto csc = to_csc(exec, on_exec.view());
    EXPECT_TRUE(same_matrix(to_host(exec, to_csr(exec, csc.view())), transposed(transposed(a)))) << where;
    expect_product_with(exec, schedule, transpose_of(csc.view()), transposed(a), "csc transposed, " + where);
    const rows_of_csc by_rows(exec, csc);
    expect_product_with(exec, schedule, by_rows.view(csc.view()), a, "csc, " + where);

    const auto ell = to_ell(exec, on_exec.view());
    EXPECT_TRUE(same(to_csr(exec, ell.view()))) << "ell, " << where;
    expect_product_with(exec, schedule, ell.view(), a, "ell, " + where);

    const csr_matrix<double> once = one_at_each_place(a);
    const auto one = to_executor(exec, once);
    const auto dia = to_dia(exec, one.view());
    EXPECT_TRUE(same_matrix(to_host(exec, to_csr(exec, dia.view())), once)) << "dia, " << where;
    expect_product_with(exec, schedule, dia.view(), once, "dia, " + where);
    const auto blocks = to_bcsr<2, 3>(exec, one.view());
    EXPECT_TRUE(same_matrix(to_host(exec, to_csr(exec, blocks)), once)) << "bcsr, " << where;
    expect_product_with(exec, schedule, blocks.view(), once, "bcsr, " + where);
  }
}

} // namespace evenly::products
