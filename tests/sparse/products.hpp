// SPDX-License-Identifier: Apache-2.0
// Matrices for tests of sparse products, and products that are slow and obviously right.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::products {

/// Rows as lists of (column, value), in any order, with any columns several times.
template <class Value> using row_lists = std::vector<std::vector<std::pair<int, Value>>>;

template <class Value> csr_matrix<Value> matrix_of(int cols, const row_lists<Value>& rows) {
  csr_matrix<Value> a;
  a.rows = static_cast<int>(rows.size());
  a.cols = cols;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      a.columns.push_back(column);
      a.values.push_back(value);
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

/// Values of any random matrix: whole ones are exact in sums.
enum class numbers { whole, real };
template <class Value> class random_values {
 public:
  random_values(numbers kind, unsigned seed) : kind_(kind), engine_(seed) {}
  Value operator()() {
    const int whole = static_cast<int>(engine_() % 19) - 9;
    if (kind_ == numbers::whole) return static_cast<Value>(whole);
    return static_cast<Value>(whole * std::exp(0.01 * static_cast<double>(engine_() % 1000)) / 3);
  }
  unsigned below(unsigned bound) { return static_cast<unsigned>(engine_() % bound); }

 private:
  numbers kind_;
  std::mt19937_64 engine_;
};

/// Of these sizes, columns anywhere: unsorted, some several times.
template <class Value>
csr_matrix<Value> with_sizes(const std::vector<int>& sizes, int cols, numbers kind, unsigned seed) {
  random_values<Value> next(kind, seed);
  row_lists<Value> rows;
  for (const int size : sizes) {
    rows.emplace_back();
    for (int k = 0; k < size && cols > 0; ++k)
      rows.back().emplace_back(static_cast<int>(next.below(static_cast<unsigned>(cols))), next());
  }
  return matrix_of(cols, rows);
}
/// The same in order, each column once.
template <class Value> csr_matrix<Value> tidy(const csr_matrix<Value>& a) {
  row_lists<Value> rows;
  for (int r = 0; r < a.rows; ++r) {
    std::map<int, Value> row;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) row[a.columns[k]] = a.values[k];
    rows.emplace_back(row.begin(), row.end());
  }
  return matrix_of(a.cols, rows);
}

template <class Value> csr_matrix<Value> identity(int n) {
  row_lists<Value> rows;
  for (int i = 0; i < n; ++i) rows.push_back({{i, Value{1}}});
  return matrix_of(n, rows);
}
template <class Value> csr_matrix<Value> full(int rows, int cols, unsigned seed) {
  random_values<Value> next(numbers::whole, seed);
  row_lists<Value> lists(static_cast<std::size_t>(rows));
  for (auto& row : lists)
    for (int c = 0; c < cols; ++c) row.emplace_back(c, next());
  return matrix_of(cols, lists);
}
template <class Value> csr_matrix<Value> transposed(const csr_matrix<Value>& a) {
  row_lists<Value> rows(static_cast<std::size_t>(a.cols));
  for (int r = 0; r < a.rows; ++r)
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k)
      rows[static_cast<std::size_t>(a.columns[k])].emplace_back(r, a.values[k]);
  return matrix_of(a.rows, rows);
}

/// One long row, some empty ones, and few of middle length.
inline std::vector<int> power_law_sizes() {
  std::vector<int> sizes;
  for (int r = 0; r < 160; ++r) sizes.push_back(r % 7 == 3 ? 0 : r == 50 ? 1500 : 400 / (r + 1));
  return sizes;
}
/// The row is in the middle.
template <class Value> csr_matrix<Value> dense_column_and_row(numbers kind) {
  row_lists<Value> arrow;
  random_values<Value> next(kind, 9);
  for (int r = 0; r < 120; ++r) {
    arrow.push_back({{0, next()}});
    for (int c = 1; r == 60 && c < 120; ++c) arrow.back().emplace_back(c, next());
  }
  return matrix_of(120, arrow);
}

template <class Value> std::uint64_t bits_of(Value value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

/// What a product is compared with: the sums in the order that is promised, and what bounds their error.
template <class Value> struct entry_of_product {
  Value sum{0};
  double exact = 0;
  double magnitude = 0;
  int products = 0;
};
template <class Value> using reference_row = std::map<int, entry_of_product<Value>>;

template <class Value>
std::vector<reference_row<Value>> reference_product(const csr_matrix<Value>& a, const csr_matrix<Value>& b) {
  std::vector<reference_row<Value>> rows(static_cast<std::size_t>(a.rows));
  for (int r = 0; r < a.rows; ++r)
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k)
      for (int e = b.offsets[a.columns[k]]; e < b.offsets[a.columns[k] + 1]; ++e) {
        auto& entry = rows[static_cast<std::size_t>(r)][b.columns[e]];
        const volatile Value product = a.values[k] * b.values[e]; // rounded before it is added
        entry.sum += product;
        const double exact = static_cast<double>(a.values[k]) * static_cast<double>(b.values[e]);
        entry.exact += exact;
        entry.magnitude += std::abs(exact);
        ++entry.products;
      }
  return rows;
}

/// The same entries, in order, with the same bits; and none farther from the exact sum than its products allow.
template <class Value, class Offset>
bool expect_product(const csr_matrix<Value, Offset>& c, const csr_matrix<Value>& a,
                    const csr_matrix<Value>& b, const std::string& where) {
  const auto expected = reference_product(a, b);
  EXPECT_EQ(c.rows, a.rows) << where;
  EXPECT_EQ(c.cols, b.cols) << where;
  if (c.offsets.size() != expected.size() + 1 || c.offsets.front() != 0 ||
      c.offsets.back() != static_cast<Offset>(c.columns.size()) || c.values.size() != c.columns.size()) {
    ADD_FAILURE() << "sizes of arrays; " << where;
    return false;
  }
  for (std::size_t r = 0; r < expected.size(); ++r) {
    const std::string row = "row " + std::to_string(r) + "; " + where;
    auto k = static_cast<std::size_t>(c.offsets[r]);
    EXPECT_EQ(static_cast<std::size_t>(c.offsets[r + 1]) - k, expected[r].size()) << "entries of " << row;
    if (static_cast<std::size_t>(c.offsets[r + 1]) - k != expected[r].size()) return false;
    for (const auto& [column, entry] : expected[r]) {
      const double unit = std::numeric_limits<Value>::epsilon();
      const bool right = c.columns[k] == column && bits_of(c.values[k]) == bits_of(entry.sum) &&
                         std::abs(static_cast<double>(c.values[k]) - entry.exact) <=
                             (entry.products + 1) * unit * entry.magnitude;
      EXPECT_TRUE(right) << "column " << c.columns[k] << ", " << c.values[k] << ", not column " << column
                         << ", " << entry.sum << "; " << row;
      if (!right) return false;
      ++k;
    }
  }
  return true;
}

template <class Value, class Offset, class Other>
bool same_matrix(const csr_matrix<Value, Offset>& a, const csr_matrix<Value, Other>& b) {
  return a.rows == b.rows && a.cols == b.cols && a.columns == b.columns &&
         std::ranges::equal(a.offsets, b.offsets, [](auto x, auto y) { return std::cmp_equal(x, y); }) &&
         std::ranges::equal(a.values, b.values, [](Value x, Value y) { return bits_of(x) == bits_of(y); });
}

} // namespace evenly::products
