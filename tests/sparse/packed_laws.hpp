// SPDX-License-Identifier: Apache-2.0
// The laws of packed columns on every executor: each is what it was, and products have the bits that they have with
// the columns as they are, under every schedule.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/packed_matrix.hpp"
#include "sparse/compact_laws.hpp"

namespace evenly::products {

/// A matrix of one row whose columns are these.
inline csr_matrix<double> row_of_columns(const std::vector<int>& columns, int cols) {
  return {1, cols, {0, static_cast<int>(columns.size())}, columns, std::vector<double>(columns.size(), 1)};
}

/// Blocks of every width from 1 to 31 bits, whole and in part, and ones of one column.
inline std::vector<csr_matrix<double>> matrices_for_packing() {
  std::vector<csr_matrix<double>> all = matrices_for_formats();
  constexpr int cols = std::numeric_limits<int>::max();
  random_values<int> next(numbers::whole, 3);
  std::vector<int> columns;
  for (int width = 0; width <= 31; ++width) {
    const unsigned max = smaller((1u << width) - 1, static_cast<unsigned>(cols) - 1);
    const unsigned base = width < 20 ? 1000 * next.below(1000) : 0;
    for (int e = 0; e < packed_block_entries; ++e)
      columns.push_back(static_cast<int>(base + (e == 5 ? 0 : e == 9 ? max : next.below(max + 1))));
    if (width % 7 == 3) all.push_back(row_of_columns(columns, cols));
  }
  all.push_back(row_of_columns(columns, cols));
  columns.resize(columns.size() - packed_block_entries / 2 - 1);
  all.push_back(row_of_columns(columns, cols));
  return all;
}

template <class Offset> struct unpacked_column {
  packed_column_view<Offset> columns;
  bool streaming;
  EVENLY_FN int operator()(std::int64_t k) const {
    const auto number = static_cast<Offset>(columns.first + k);
    return streaming ? columns.streaming(number) : columns[number];
  }
};

template <class Executor, class Offset>
void expect_columns(const Executor& exec, const packed_columns<Offset>& packed, const std::vector<int>& right,
                    const std::string& where) {
  const auto found = make_buffer<int>(exec, right.size());
  for (const bool streaming : {false, true}) {
    tabulate(exec, static_cast<std::int64_t>(right.size()), unpacked_column<Offset>{packed.view(), streaming},
             found.data());
    EXPECT_EQ(to_host(exec, found), right) << where;
  }
}

/// Each column is what it was; also of a matrix that begins somewhere in its arrays, and with wide offsets.
template <class Executor> void expect_columns_again(const Executor& exec) {
  for (const csr_matrix<double>& a : matrices_for_packing()) {
    const std::string where = std::to_string(a.rows) + " x " + std::to_string(a.cols);
    const auto on_exec = to_executor(exec, a);
    const auto packed = pack_columns(exec, on_exec.view());
    expect_columns(exec, packed, a.columns, where);
    EXPECT_EQ(packed.unpacked_bytes(), static_cast<std::int64_t>(4 * a.columns.size()));
    EXPECT_EQ(packed.bytes(), static_cast<std::int64_t>(8 * packed.heads.size() + 4 * packed.words.size()));

    const csr_matrix<double, std::int64_t> wide{
        a.rows, a.cols, {a.offsets.begin(), a.offsets.end()}, a.columns, a.values};
    expect_columns(exec, pack_columns(exec, to_executor(exec, wide).view()), a.columns, "wide, " + where);

    if (a.rows < 2) continue; // all but the first row
    auto later = on_exec.view();
    later.rows -= 1;
    later.offsets += 1;
    expect_columns(exec, pack_columns(exec, later), {a.columns.begin() + a.offsets[1], a.columns.end()},
                   "from row 1, " + where);
  }
}

/// 2 A x - y, by a view and by another of the same entries.
template <class Executor, class Schedule, class View, class Other>
void expect_same_product(const Executor& exec, const Schedule& schedule, const View& view, const Other& other,
                         const std::string& where) {
  using value = typename View::value_type;
  random_values<value> next(numbers::real, 6);
  std::vector<value> x(static_cast<std::size_t>(view.cols)), y(static_cast<std::size_t>(view.rows));
  for (value& each : x) each = next();
  for (value& each : y) each = next();
  const auto on_x = to_executor(exec, x);
  auto one = to_executor(exec, y), two = to_executor(exec, y);
  spmv(exec, schedule, view, on_x.span(), one.span(), 2, -1);
  spmv(exec, schedule, other, on_x.span(), two.span(), 2, -1);
  const auto first = to_host(exec, one), second = to_host(exec, two);
  if constexpr (Executor::on_host) {
    for (std::size_t r = 0; r < first.size(); ++r)
      ASSERT_EQ(bits_of(first[r]), bits_of(second[r])) << "row " << r << ", " << where;
  } else { // compilers for GPUs fuse a product and an addition in one kernel, and not in another
    constexpr int max_terms = 1700;
    value largest = 1;
    for (const value each : first)
      if (std::abs(each) < std::numeric_limits<value>::infinity())
        largest = std::max(largest, std::abs(each));
    for (std::size_t r = 0; r < first.size(); ++r) {
      if (first[r] == second[r] || (first[r] != first[r] && second[r] != second[r])) continue;
      ASSERT_NEAR(first[r], second[r], max_terms * std::numeric_limits<value>::epsilon() * largest)
          << "row " << r << ", " << where;
    }
  }
}

/// Packed columns change no bit of a product on the host, with values of any kind; on a GPU, none but by rounding.
template <class Executor, class Schedule>
void expect_packed_products(const Executor& exec, const Schedule& schedule, const std::string& where) {
  std::vector<int> sizes;
  for (int r = 0; r < 300; ++r) sizes.push_back(r % 9 == 4 ? 0 : r == 90 ? 1700 : r % 13);
  const auto a = with_sizes<double>(sizes, 700, numbers::real, 3);
  const auto on_exec = to_executor(exec, a);
  const auto packed = pack_columns(exec, on_exec.view());
  EXPECT_TRUE(packed.saves_memory());
  expect_same_product(exec, schedule, with_packed(on_exec.view(), packed), on_exec.view(),
                      "double, " + where);
  const csr_view<float> floats{a.rows, a.cols, on_exec.offsets.data(), on_exec.columns.data(), nullptr};
  const auto pattern = pattern_of<float>(floats);
  expect_same_product(exec, schedule, with_packed(pattern, packed), pattern, "pattern, " + where);
  const auto stored = to_narrow<half>(exec, on_exec.view());
  const auto halves = with_values(on_exec.view(), stored.data());
  expect_same_product(exec, schedule, with_packed(halves, packed), halves, "half, " + where);
}

/// With one thread per row, entries are added in order, for any number of entries and of loads at once. The matrices
/// are patterns, so that compilers cannot fuse a product with an addition.
template <class Executor> void expect_sums_of_lone_threads_in_order(const Executor& exec) {
  std::vector<int> sizes;
  for (int r = 0; r < 400; ++r) sizes.push_back(r == 90 ? 700 : r % 37);
  const auto a = with_sizes<double>(sizes, 900, numbers::real, 4);
  const auto on_exec = to_executor(exec, a);
  random_values<float> next(numbers::real, 5);
  std::vector<float> x(static_cast<std::size_t>(a.cols));
  for (float& each : x) each = next();
  std::vector<float> right;
  for (int r = 0; r < a.rows; ++r) {
    float sum = 0;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) sum += x[a.columns[k]];
    right.push_back(sum);
  }
  const auto on_x = to_executor(exec, x);
  const auto expect = [&](const auto& view, const std::string& where) {
    auto y = to_executor(exec, std::vector<float>(right.size(), -1));
    spmv(exec, group_per_tile<1>{}, view, on_x.span(), y.span());
    const auto found = to_host(exec, y);
    for (std::size_t r = 0; r < right.size(); ++r)
      ASSERT_EQ(bits_of(found[r]), bits_of(right[r])) << "row " << r << ", " << where;
  };
  const auto packed = pack_columns(exec, on_exec.view());
  const csr_view<float> floats{a.rows, a.cols, on_exec.offsets.data(), on_exec.columns.data(), nullptr};
  expect(pattern_of<float>(floats), "pattern");
  expect(with_packed(pattern_of<float>(floats), packed), "packed pattern");
}

} // namespace evenly::products
