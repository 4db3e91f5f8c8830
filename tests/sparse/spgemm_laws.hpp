// SPDX-License-Identifier: Apache-2.0
// The laws of C = A B on every executor: the same entries as a slow product, in order, with the same bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "sparse/products.hpp"

namespace evenly::products {

template <class Executor, class Value>
csr_matrix<Value, std::int64_t> product(const Executor& exec, const csr_matrix<Value>& a,
                                        const csr_matrix<Value>& b) {
  const auto on_exec_a = to_executor(exec, a), on_exec_b = to_executor(exec, b);
  return to_host(exec, spgemm(exec, on_exec_a.view(), on_exec_b.view()));
}

template <class Executor, class Value>
bool expect_right(const Executor& exec, const csr_matrix<Value>& a, const csr_matrix<Value>& b,
                  const std::string& where) {
  return expect_product(product(exec, a, b), a, b, where);
}

/// Rows of A of all sizes on either side of the bounds of bins, times rows of one entry: as many products.
template <class Value, class Executor>
void expect_products_of_all_sizes(const Executor& exec, const std::vector<int>& sizes, int cols) {
  const auto a = with_sizes<Value>(sizes, 50, numbers::real, 1);
  const auto b = with_sizes<Value>(std::vector<int>(50, 1), cols, numbers::real, 2);
  expect_right(exec, a, b, "rows of all sizes");
}

/// Rows of B are searched for columns where these ascend and are distinct, whether or not rows are empty.
template <class Executor> void expect_order_of_columns(const Executor& exec) {
  const auto has_disorder = [&](const std::vector<int>& offsets, const std::vector<int>& columns) {
    const auto o = to_executor(exec, offsets), c = to_executor(exec, columns);
    auto disorder = make_buffer<int>(exec, 1);
    detail::find_disorder(exec, o.data(), c.data(), static_cast<int>(offsets.size()) - 1, disorder.data());
    return to_host(exec, disorder).front() != 0;
  };
  EXPECT_FALSE(has_disorder({0, 3, 5}, {1, 2, 7, 0, 4}));
  EXPECT_FALSE(has_disorder({0, 0, 3, 3, 3, 5, 5}, {1, 2, 7, 0, 4})) << "empty rows";
  EXPECT_FALSE(has_disorder({0, 0, 0}, {})) << "no entries";
  EXPECT_TRUE(has_disorder({0, 0, 3, 5}, {1, 2, 2, 0, 4})) << "a column twice";
  EXPECT_TRUE(has_disorder({0, 3, 5, 5}, {1, 2, 3, 4, 0})) << "columns that descend";
}

/// Small matrices of all forms.
template <class Value, class Executor> void expect_products_of_all_forms(const Executor& exec) {
  const auto matrix = [](const std::vector<int>& sizes, int cols, unsigned seed) {
    return with_sizes<Value>(sizes, cols, numbers::real, seed);
  };
  expect_right(exec, csr_matrix<Value>{}, csr_matrix<Value>{}, "0 x 0");
  expect_right(exec, matrix({0, 0, 0}, 2, 1), matrix({0, 0}, 5, 1), "no entries");
  expect_right(exec, matrix({}, 2, 1), matrix({3, 1}, 5, 1), "no rows");
  expect_right(exec, matrix({1, 2}, 2, 1), matrix({0, 0}, 0, 1), "no columns");
  expect_right(exec, matrix({40, 0, 1, 0, 300, 2, 3}, 7, 1), matrix({0, 3, 0, 9, 1, 0, 2}, 11, 2),
               "empty rows");
  expect_right(exec, full<Value>(1, 700, 1), full<Value>(700, 1, 2), "1 x n times n x 1");
  expect_right(exec, full<Value>(40, 1, 1), full<Value>(1, 50, 2), "n x 1 times 1 x n");
  expect_right(exec, full<Value>(9, 30, 1), full<Value>(30, 70, 2), "full ones");
  std::vector<int> one_long(60, 2);
  one_long[30] = 900;
  expect_right(exec, matrix(one_long, 60, 3), matrix(one_long, 60, 4), "a long row of duplicates");
  const auto dense_row = tidy(matrix({1, 0, 3000, 2, 0, 5}, 6, 5));
  expect_right(exec, dense_row, tidy(matrix({0, 2, 900, 1, 3, 0}, 400, 6)), "a dense row");
  expect_right(exec, transposed(dense_row), dense_row, "A^T A");
  row_lists<Value> cancels{{{0, Value{1}}, {1, Value{1}}}, {{0, Value{2}}, {1, Value{-2}}}};
  expect_right(exec, matrix_of(2, cancels), matrix_of(2, row_lists<Value>{{{3, Value{5}}}, {{3, Value{-5}}}}),
               "products that cancel");
  row_lists<Value> permuted, banded;
  for (int i = 0; i < 97; ++i) {
    permuted.push_back({{i * 31 % 97, static_cast<Value>(i)}});
    banded.emplace_back();
    for (int c = i - 3; c <= i + 3; ++c)
      if (c >= 0 && c < 97) banded.back().emplace_back(c, static_cast<Value>(c - i + 0.5));
  }
  expect_right(exec, matrix_of(97, permuted), matrix_of(97, banded), "a permutation of a band");
  expect_right(exec, matrix_of(97, banded), matrix_of(97, banded), "a band squared");
}

/// Rows with more products than any storage has room for; B's rows in order, which are searched, and in disorder.
template <class Executor> void expect_products_of_giants(const Executor& exec, int products, int cols) {
  std::vector<int> sizes(40, 3);
  sizes[7] = 2 * products / 500;
  auto b = with_sizes<double>(std::vector<int>(30, 500), cols, numbers::real, 2);
  const auto a = with_sizes<double>(sizes, 30, numbers::real, 1);
  expect_right(exec, a, b, "giants, in disorder");
  expect_right(exec, a, tidy(b), "giants, in order");
}

/// A giant of many short rows of B, each several times: too many parts to search for, so sums lie in memory.
template <class Executor> void expect_products_of_short_rows(const Executor& exec) {
  const auto a = with_sizes<double>({3, 7000, 1}, 3000, numbers::real, 1);
  const auto b = with_sizes<double>(std::vector<int>(3000, 1), 400'000, numbers::real, 2);
  expect_right(exec, a, b, "a giant of short rows");
}

/// Giants whose columns are anywhere, in one place, or at both ends, so that most parts of their bitmaps are empty; one
/// after the other by the same block, and with so many columns.
template <class Executor> void expect_products_of_bitmaps(const Executor& exec, int cols) {
  const int products = cols <= 1 << 19 ? 1100 : 4200;
  random_values<double> next(numbers::real, static_cast<unsigned>(cols));
  const auto near = [&](int from, int width) {
    const int at = from + static_cast<int>(next.below(static_cast<unsigned>(width)));
    return larger(0, smaller(at, cols - 1));
  };
  row_lists<double> of_b(4);
  for (int k = 0; k < products; ++k) {
    of_b[0].emplace_back(near(0, cols), next());
    of_b[1].emplace_back(near(cols / 2, 70), next());
    of_b[2].emplace_back(near(k % 2 == 0 ? 0 : cols - 40, 40), next());
    of_b[3].emplace_back(near(cols - 5000, 5000), next());
  }
  for (int column = 0; column < 3; ++column) of_b[3].emplace_back(cols - 1, next());
  row_lists<double> of_a;
  for (const auto& all : std::vector<std::vector<int>>{
           {0}, {1}, {2}, {3}, {0, 0}, {1, 0, 2}, {2, 2, 2}, {3, 1, 3, 0}, {1, 1}, {0, 1, 2, 3}}) {
    of_a.emplace_back();
    for (const int row : all) of_a.back().emplace_back(row, next());
  }
  const auto a = matrix_of(4, of_a), b = matrix_of(cols, of_b);
  expect_right(exec, a, b, "bitmaps, " + std::to_string(cols) + " columns");
  expect_right(exec, a, tidy(b), "bitmaps, " + std::to_string(cols) + " columns, in order");
}

/// Rows of few products next to those of many; of many entries whose rows of B are empty; and of equal columns.
template <class Executor> void expect_products_of_neighbours(const Executor& exec) {
  std::vector<int> of_b, of_a;
  for (int row = 0; row < 90; ++row) of_b.push_back(row % 3 == 0 ? row % 8 : 0);
  for (int row = 0; row < 150; ++row) of_a.push_back(row % 11 == 5 ? 70 : row % 7 == 3 ? 0 : row % 13);
  for (const int cols : {3, 500})
    expect_right(exec, with_sizes<double>(of_a, 90, numbers::real, 5),
                 with_sizes<double>(of_b, cols, numbers::real, 6),
                 "neighbours, " + std::to_string(cols) + " columns");
  const std::vector<int> all_short(70, 5);
  expect_right(exec, with_sizes<double>(all_short, 70, numbers::real, 7),
               with_sizes<double>(all_short, 2, numbers::real, 8), "rows of one length");
}

/// Short rows on both sides of the bounds of their classes, alone and in one group; with numbers of columns that leave
/// just enough bits for positions, or none.
template <class Executor> void expect_products_of_classes(const Executor& exec) {
  const auto ones = [](int cols) {
    return with_sizes<double>(std::vector<int>(50, 1), cols, numbers::real, 2);
  };
  std::vector<int> mixed;
  for (const int bound : {8, 16, 32, 64})
    for (const int size : {bound - 1, bound, bound + 1}) {
      std::vector<int> alike(70, size);
      alike[33] = 0;
      expect_right(exec, with_sizes<double>(alike, 50, numbers::real, 1), ones(40),
                   "rows of " + std::to_string(size));
      mixed.insert(mixed.end(), {size, 0, 1, 70, size});
    }
  for (const int cols : {1, 30, (1 << 26) - 1, 1 << 26, std::numeric_limits<int>::max()})
    expect_right(exec, with_sizes<double>(mixed, 50, numbers::real, 3), ones(cols),
                 "mixed rows, " + std::to_string(cols) + " columns");
}

/// Rows of many entries of A, some with few products; next to each other, and so many that warps share them.
template <class Executor> void expect_products_of_many_entries(const Executor& exec) {
  std::vector<int> of_a(40, 2), of_b(60, 0);
  for (int row = 0; row < 40; ++row)
    if (row % 5 < 2) of_a[static_cast<std::size_t>(row)] = 65 + 97 * row;
  for (int row = 0; row < 60; row += 20) of_b[static_cast<std::size_t>(row)] = 1 + row / 20;
  expect_right(exec, with_sizes<double>(of_a, 60, numbers::real, 1),
               with_sizes<double>(of_b, 300, numbers::real, 2), "many entries of A");
}

/// Rows that are sorted in storage: of few columns, which have many products each, across all that warps share; and of
/// columns that need digits of all lengths.
template <class Executor> void expect_products_of_sorts(const Executor& exec) {
  const std::vector<int> sizes{65, 200, 1000, 1500, 66, 2048};
  for (const int cols : {1, 2, 3, 129, 20'000, 3'000'000, std::numeric_limits<int>::max()})
    expect_right(exec, with_sizes<double>(sizes, 30, numbers::real, 1),
                 with_sizes<double>(std::vector<int>(30, 1), cols, numbers::real, 2),
                 "sorted, " + std::to_string(cols) + " columns");
}

/// Each of whole numbers, where sums are exact in any order.
template <class Executor> void expect_identities(const Executor& exec, unsigned seed) {
  const auto a = tidy(with_sizes<double>({3, 0, 70, 1, 9, 2, 33, 5}, 20, numbers::whole, seed));
  const auto b = tidy(with_sizes<double>({2, 5, 0, 1, 8, 3, 3, 0, 1, 40, 2, 2, 6, 1, 0, 4, 1, 2, 9, 1}, 30,
                                         numbers::whole, seed + 1));
  const auto widened = [](const csr_matrix<double, std::int64_t>& c) {
    return csr_matrix<double>{c.rows, c.cols, {c.offsets.begin(), c.offsets.end()}, c.columns, c.values};
  };
  EXPECT_TRUE(same_matrix(product(exec, a, identity<double>(a.cols)), a)) << "A I";
  EXPECT_TRUE(same_matrix(product(exec, identity<double>(a.rows), a), a)) << "I A";
  const auto ab = widened(product(exec, a, b));
  EXPECT_TRUE(same_matrix(product(exec, tidy(transposed(b)), tidy(transposed(a))), transposed(ab)))
      << "(A B)^T";
  const auto x = full<double>(b.cols, 1, 5);
  const auto abx = product(exec, a, widened(product(exec, b, x)));
  EXPECT_TRUE(same_matrix(product(exec, ab, x), abx)) << "(A B) x";
}

/// Again and again, with other values, and in chunks of rows of any size: the same bits.
template <class Executor>
void expect_fills(const Executor& exec, const csr_matrix<double>& a, const csr_matrix<double>& b) {
  const auto on_exec_a = to_executor(exec, a), on_exec_b = to_executor(exec, b);
  spgemm_plan plan(exec, on_exec_a.view(), on_exec_b.view());
  const auto entries = static_cast<std::size_t>(plan.entries());
  const auto columns = make_buffer<int>(exec, entries);
  const auto values = make_buffer<double>(exec, entries);
  const auto filled = [&](const csr_buffers<double, int>& from) {
    plan.fill(exec, from.view(), on_exec_b.view(), columns.span(), values.span());
    return csr_matrix<double, std::int64_t>{plan.rows(), plan.cols(), to_host(exec, plan.offsets()),
                                            to_host(exec, columns), to_host(exec, values)};
  };
  const auto first = filled(on_exec_a);
  expect_product(first, a, b, "planned");
  for (int run = 0; run < 10; ++run) EXPECT_TRUE(same_matrix(filled(on_exec_a), first)) << "run " << run;

  csr_matrix<double> other = a;
  for (double& value : other.values) value = 1 / (value + 20);
  csr_buffers<double, int> changed = to_executor(exec, a);
  const auto other_values = to_executor(exec, other.values);
  const csr_view<double> now{a.rows, a.cols, on_exec_a.offsets.data(), on_exec_a.columns.data(),
                             other_values.data()};
  plan.fill(exec, now, on_exec_b.view(), columns.span(), values.span());
  expect_product(csr_matrix<double, std::int64_t>{plan.rows(), plan.cols(), to_host(exec, plan.offsets()),
                                                  to_host(exec, columns), to_host(exec, values)},
                 other, b, "other values");
  const std::vector<int> columns_before = to_host(exec, columns);
  const std::vector<double> wanted = to_host(exec, values);
  plan.fill(exec, on_exec_a.view(), on_exec_b.view(), columns.span(), values.span());
  for (int run = 0; run < 2; ++run) { // the sums of the first run must leave zeros
    plan.fill_values(exec, now, on_exec_b.view(), columns.span(), values.span());
    EXPECT_EQ(to_host(exec, values), wanted) << "only values, run " << run;
    EXPECT_EQ(to_host(exec, columns), columns_before);
  }
  EXPECT_THROW(
      plan.fill_values(exec, now, on_exec_b.view(), columns.span(), values.span().first(entries - 1)),
      invalid_argument);
  EXPECT_THROW(plan.fill(exec, changed.view(), on_exec_b.view(), columns.span(), values.span()),
               invalid_argument);
  EXPECT_THROW(
      plan.fill(exec, on_exec_a.view(), on_exec_b.view(), columns.span().first(entries - 1), values.span()),
      invalid_argument);

  std::int64_t longest = 0;
  for (std::size_t r = 0; r + 1 < first.offsets.size(); ++r)
    longest = std::max(longest, first.offsets[r + 1] - first.offsets[r]);
  for (const std::int64_t max : {longest, 2 * longest + 1, plan.entries()}) {
    csr_matrix<double, std::int64_t> pieces;
    int chunks = 0;
    pieces.rows = a.rows;
    pieces.cols = b.cols;
    pieces.offsets = first.offsets;
    plan.fill_in_chunks(
        exec, on_exec_a.view(), on_exec_b.view(), 12 * max, [&](const product_chunk<double>& chunk) {
          EXPECT_EQ(chunk.first_entry, static_cast<std::int64_t>(pieces.columns.size()));
          EXPECT_EQ(chunk.first_entry, first.offsets[static_cast<std::size_t>(chunk.first_row)]);
          EXPECT_LE(static_cast<std::int64_t>(chunk.columns.size()), max);
          const auto more_columns = to_host(exec, chunk.columns);
          const auto more_values = to_host(exec, chunk.values);
          pieces.columns.insert(pieces.columns.end(), more_columns.begin(), more_columns.end());
          pieces.values.insert(pieces.values.end(), more_values.begin(), more_values.end());
          ++chunks;
        });
    EXPECT_TRUE(same_matrix(pieces, first)) << "chunks of " << max << " entries";
    EXPECT_EQ(chunks == 1, max == plan.entries()) << "chunks of " << max << " entries";
  }
  EXPECT_THROW(
      plan.fill_in_chunks(exec, on_exec_a.view(), on_exec_b.view(), 12 * longest - 1,
                          [](const product_chunk<double>&) { ADD_FAILURE() << "a chunk too large"; }),
      invalid_argument);
}

} // namespace evenly::products
