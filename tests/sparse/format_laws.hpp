// SPDX-License-Identifier: Apache-2.0
// What holds for matrices in every format on every executor: there and back keeps the entries, and y = A x is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
          identity<double>(70)};
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

template <class Executor> void expect_formats(const Executor& exec) {
  const merge_path<> schedule;
  for (const csr_matrix<double>& a : matrices_for_formats()) {
    const std::string where = std::to_string(a.rows) + " x " + std::to_string(a.cols);
    const auto on_exec = to_executor(exec, a);
    const auto same = [&](const auto& back) { return same_matrix(to_host(exec, back), a); };

    const auto coo = to_coo(exec, on_exec.view());
    EXPECT_TRUE(same(to_csr(exec, coo.view()))) << "coo, " << where;
    expect_product_with(exec, schedule, coo.view(), a, "coo, " + where);

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
    EXPECT_TRUE(same_matrix(to_host(exec, to_csr(exec, dia)), once)) << "dia, " << where;
    expect_product_with(exec, schedule, dia.view(), once, "dia, " + where);
    const auto blocks = to_bcsr<2, 3>(exec, one.view());
    EXPECT_TRUE(same_matrix(to_host(exec, to_csr(exec, blocks)), once)) << "bcsr, " << where;
    expect_product_with(exec, schedule, blocks.view(), once, "bcsr, " + where);
  }
}

} // namespace evenly::products
