// SPDX-License-Identifier: Apache-2.0
// Systems for tests of solvers, and checks that are slow and obviously right.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/solve_triangular.hpp"

namespace evenly::systems {

template <class Value> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<std::complex<T>> = true;
/// The type of slow references.
template <class Value>
using exact = std::conditional_t<is_complex<Value>, std::complex<long double>, long double>;
template <class Value> exact<Value> exactly(const Value& value) { return static_cast<exact<Value>>(value); }
template <class Value> constexpr long double epsilon_of() {
  return std::numeric_limits<decltype(std::abs(Value{}))>::epsilon();
}

/// Random values of size 1/2 to 1.
template <class Value> class sizable_values {
 public:
  explicit sizable_values(unsigned seed) : engine_(seed) {}
  Value operator()() {
    if constexpr (is_complex<Value>)
      return {static_cast<typename Value::value_type>(part()),
              static_cast<typename Value::value_type>(part())};
    else
      return static_cast<Value>(part());
  }
  int below(int bound) { return static_cast<int>(engine_() % static_cast<unsigned>(bound)); }

 private:
  double part() { return (engine_() % 2 ? 1 : -1) * (0.5 + static_cast<double>(engine_() % 1024) / 2048); }
  std::mt19937_64 engine_;
};
template <class Value> std::vector<Value> some_values(std::size_t size, unsigned seed) {
  sizable_values<Value> next(seed);
  std::vector<Value> values(size);
  for (Value& each : values) each = next();
  return values;
}

template <class Value> using rows_of_entries = std::vector<std::vector<std::pair<int, Value>>>;
template <class Value, class Offset> csr_matrix<Value, Offset> square(const rows_of_entries<Value>& rows) {
  csr_matrix<Value, Offset> a;
  a.rows = a.cols = static_cast<int>(rows.size());
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      a.columns.push_back(column);
      a.values.push_back(value);
    }
    a.offsets.push_back(static_cast<Offset>(a.columns.size()));
  }
  return a;
}

/// A square matrix whose row r has entries in the columns that columns(r, next) returns, and a diagonal of size 1 and
/// more. Other entries are divided by the number of columns, so that solutions stay small.
template <class Value, class Offset, class Columns>
csr_matrix<Value, Offset> with_columns(int rows, const Columns& columns, unsigned seed) {
  sizable_values<Value> next(seed);
  rows_of_entries<Value> entries;
  for (int r = 0; r < rows; ++r) {
    auto& row = entries.emplace_back();
    const std::vector<int> others = columns(r, next);
    for (const int c : others)
      if (c >= 0 && c < rows && c != r)
        row.emplace_back(c, next() / static_cast<Value>(static_cast<float>(others.size())));
    row.insert(row.begin() + next.below(static_cast<int>(row.size()) + 1), {r, Value{3} + next() * next()});
  }
  return square<Value, Offset>(entries);
}

template <class Value, class Offset> struct named_matrix {
  std::string name;
  csr_matrix<Value, Offset> a;
};
/// All kinds of dependencies, in both triangles.
template <class Value, class Offset> std::vector<named_matrix<Value, Offset>> some_systems() {
  using columns = std::vector<int>;
  const auto made = [](int rows, const auto& of, unsigned seed) {
    return with_columns<Value, Offset>(rows, of, seed);
  };
  const auto all = [](int n) {
    columns every;
    for (int c = 0; c < n; ++c) every.push_back(c);
    return every;
  };
  return {
      {"empty", {}},
      {"one row", made(
                      1, [](int, auto&) { return columns{}; }, 1)},
      {"diagonal only", made(
                            100, [](int, auto&) { return columns{}; }, 2)},
      {"chain", made(
                    90, [](int r, auto&) { return columns{r - 1, r + 1}; }, 3)},
      {"dense rows", made(
                         150, [&](int r, auto&) { return r % 149 == 0 ? all(150) : columns{}; }, 4)},
      {"full", made(
                   40, [&](int, auto&) { return all(40); }, 5)},
      {"random, with duplicates", made(
                                      300,
                                      [](int r, auto& next) {
                                        columns some;
                                        for (int k = next.below(r % 50 == 0 ? 200 : 9); k > 0; --k)
                                          some.push_back(next.below(300));
                                        return some;
                                      },
                                      6)},
  };
}
/// Two wide levels, which cores share.
template <class Value, class Offset> csr_matrix<Value, Offset> wide_levels(int rows) {
  return with_columns<Value, Offset>(
      rows, [&](int r, auto&) { return std::vector<int>{r >= rows / 2 ? r - rows / 2 : r + rows / 2}; }, 7);
}

/// The triangle of a system, or its transpose, as rows of columns and values; positions may occur several times.
template <class Value, class Offset>
rows_of_entries<Value> triangle_of(const csr_matrix<Value, Offset>& a, const triangular_options& options) {
  rows_of_entries<Value> rows(static_cast<std::size_t>(a.rows));
  for (int r = 0; r < a.rows; ++r) {
    for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(r)]);
         e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(r) + 1]); ++e) {
      const int c = a.columns[e];
      if (c == r ? options.unit_diagonal : (c < r) != options.lower) continue;
      rows[static_cast<std::size_t>(options.transpose ? c : r)].emplace_back(options.transpose ? r : c,
                                                                             a.values[e]);
    }
    if (options.unit_diagonal) rows[static_cast<std::size_t>(r)].emplace_back(r, Value{1});
  }
  return rows;
}

/// Whether x satisfies each equation up to the rounding errors of its row. x and b have `width` columns.
template <class Value>
::testing::AssertionResult solves(const rows_of_entries<Value>& rows, const std::vector<Value>& b,
                                  const std::vector<Value>& x, std::size_t width) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < width; ++c) {
      exact<Value> sum = -exactly(b[r * width + c]);
      long double size = std::abs(sum);
      for (const auto& [column, value] : rows[r]) {
        const exact<Value> term = exactly(value) * exactly(x[static_cast<std::size_t>(column) * width + c]);
        sum += term;
        size += std::abs(term);
      }
      const long double bound = 4 * static_cast<long double>(rows[r].size() + 2) * epsilon_of<Value>() * size;
      if (!(std::abs(sum) <= bound))
        return ::testing::AssertionFailure() << "row " << r << ", column " << c << " is off by "
                                             << std::abs(sum) << ", more than " << bound;
    }
  return ::testing::AssertionSuccess();
}

template <class Value> bool same_bits(const std::vector<Value>& a, const std::vector<Value>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

/// The five-point Laplacian of a grid with fixed borders.
template <class Value, class Offset = int> csr_matrix<Value, Offset> poisson(int side) {
  rows_of_entries<Value> rows;
  for (int r = 0; r < side * side; ++r) {
    auto& row = rows.emplace_back();
    if (r >= side) row.emplace_back(r - side, Value{-1});
    if (r % side > 0) row.emplace_back(r - 1, Value{-1});
    row.emplace_back(r, Value{4});
    if (r % side < side - 1) row.emplace_back(r + 1, Value{-1});
    if (r + side < side * side) row.emplace_back(r + side, Value{-1});
  }
  return square<Value, Offset>(rows);
}
/// The same with transport: not symmetric.
template <class Value, class Offset = int> csr_matrix<Value, Offset> transport(int side) {
  auto a = poisson<Value, Offset>(side);
  for (int r = 0; r < a.rows; ++r)
    for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(r)]);
         e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(r) + 1]); ++e)
      if (a.columns[e] == r + 1)
        a.values[e] += Value{0.5f};
      else if (a.columns[e] == r - 1)
        a.values[e] -= Value{0.5f};
  return a;
}

/// |b - A x| / |b|, computed slowly.
template <class Value, class Offset>
double relative_residual(const csr_matrix<Value, Offset>& a, const std::vector<Value>& b,
                         const std::vector<Value>& x) {
  long double squared = 0, right = 0;
  for (std::size_t r = 0; r < b.size(); ++r) {
    long double sum = b[r];
    for (auto e = static_cast<std::size_t>(a.offsets[r]); e < static_cast<std::size_t>(a.offsets[r + 1]); ++e)
      sum -= static_cast<long double>(a.values[e]) * x[static_cast<std::size_t>(a.columns[e])];
    squared += sum * sum;
    right += static_cast<long double>(b[r]) * b[r];
  }
  return static_cast<double>(std::sqrt(squared / right));
}

} // namespace evenly::systems
