// SPDX-License-Identifier: Apache-2.0
// What holds for triangular solves on every executor.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/solve_triangular.hpp"
#include "sparse/solver_systems.hpp"
#include "support/messages.hpp"

namespace evenly::systems {

template <class Executor, class Value> class solved_on {
 public:
  solved_on(const Executor& exec, const std::vector<Value>& b)
      : exec_(exec), b_(to_executor(exec, b)), x_(make_buffer<Value>(exec, b.size())) {}

  template <class Offset>
  std::vector<Value> once(const csr_view<Value, Offset>& a, int width, const triangular_options& options) {
    solve_triangular(exec_, a, dense_rows<const Value>(a.rows, width, b_.data()),
                     dense_rows(a.rows, width, x_.data()), options);
    return to_host(exec_, x_);
  }
  template <class Offset>
  std::vector<Value> by_plan(triangular_plan<Executor, Value, Offset>& plan, int rows, int width) {
    plan.solve(dense_rows<const Value>(rows, width, b_.data()), dense_rows(rows, width, x_.data()));
    return to_host(exec_, x_);
  }

 private:
  Executor exec_;
  buffer<Value> b_, x_;
};

inline std::vector<triangular_options> all_triangles() {
  std::vector<triangular_options> all;
  for (const bool lower : {true, false})
    for (const bool unit : {false, true})
      for (const bool transpose : {false, true}) all.push_back({lower, unit, transpose});
  return all;
}
inline std::string words_of(const triangular_options& of) {
  return std::string(of.lower ? "lower" : "upper") + (of.unit_diagonal ? ", unit" : "") +
         (of.transpose ? ", transposed" : "");
}

/// Each equation holds, with and without a plan, for one and several right-hand sides; repeated solves have the same
/// bits. Returns all solutions.
template <class Value, class Offset, class Executor>
std::vector<std::vector<Value>> expect_solutions(const Executor& exec) {
  std::vector<std::vector<Value>> found;
  for (const auto& [name, a] : some_systems<Value, Offset>()) {
    const auto on_exec = to_executor(exec, a);
    for (const triangular_options& options : all_triangles()) {
      const auto rows = triangle_of(a, options);
      triangular_plan plan(exec, on_exec.view(), options);
      for (const int width : {1, 3}) {
        const std::string what = name + ", " + words_of(options) + ", width " + std::to_string(width);
        const auto b = some_values<Value>(static_cast<std::size_t>(a.rows * width), 11);
        solved_on<Executor, Value> solved(exec, b);
        const auto once = solved.once(on_exec.view(), width, options);
        EXPECT_TRUE(solves(rows, b, once, static_cast<std::size_t>(width))) << what;
        EXPECT_TRUE(same_bits(once, solved.once(on_exec.view(), width, options))) << what;
        const auto planned = solved.by_plan(plan, a.rows, width);
        EXPECT_TRUE(solves(rows, b, planned, static_cast<std::size_t>(width))) << what;
        EXPECT_TRUE(same_bits(planned, solved.by_plan(plan, a.rows, width))) << what;
        found.push_back(once);
        found.push_back(planned);
      }
    }
  }
  return found;
}

/// Rows of several pieces, which warps share if there is a plan.
template <class Executor> void expect_long_rows(const Executor& exec) {
  const int n = 2 * detail::entries_of_piece + 90;
  const auto a = with_columns<float, int>(
      n,
      [&](int r, auto&) {
        std::vector<int> some{r / 2, (r + n) / 2};
        for (int c = 0; r % 250 == 249 && c < n; ++c) some.push_back(c);
        return some;
      },
      13);
  const auto on_exec = to_executor(exec, a);
  for (const bool lower : {true, false}) {
    const triangular_options options{.lower = lower};
    triangular_plan plan(exec, on_exec.view(), options);
    for (const int width : {1, 2}) {
      const auto b = some_values<float>(static_cast<std::size_t>(n * width), 14);
      solved_on<Executor, float> solved(exec, b);
      const auto x = solved.by_plan(plan, n, width);
      EXPECT_TRUE(solves(triangle_of(a, options), b, x, static_cast<std::size_t>(width))) << width;
      EXPECT_TRUE(same_bits(x, solved.by_plan(plan, n, width))) << width;
    }
  }
}

/// The number of levels is the length of the longest chain.
template <class Executor> void expect_levels(const Executor& exec) {
  const std::vector<int> lower{0, 1, 1, 90, 3, 40};
  const auto systems = some_systems<double, int>();
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const auto on_exec = to_executor(exec, systems[i].a);
    // The last row of "dense rows" depends on all others, of which the first has no dependencies.
    const int expected = systems[i].name == "dense rows" ? 2 : lower[i];
    EXPECT_EQ(triangular_plan(exec, on_exec.view(), {.unit_diagonal = true}).levels(), expected)
        << systems[i].name;
  }
}

/// Part of a matrix, whose first entry is not 0; solutions by columns and in place.
template <class Executor> void expect_solutions_of_views(const Executor& exec) {
  const auto all =
      with_columns<float, int>(50, [](int r, auto&) { return std::vector<int>{r - 2, r - 3, r + 1}; }, 3);
  const auto on_exec = to_executor(exec, all);
  // Rows from 10 on, as rows of a matrix of 40 rows: columns below 30 only.
  csr_matrix<float> a{40, 40, {}, {}, {}};
  for (int r = 0; r <= 40; ++r)
    a.offsets.push_back(all.offsets[static_cast<std::size_t>(r) + 10] - all.offsets[10]);
  for (auto e = static_cast<std::size_t>(all.offsets[10]); e < all.columns.size(); ++e) {
    a.columns.push_back(all.columns[e]);
    a.values.push_back(all.values[e]);
  }
  std::vector<int> columns = all.columns;
  for (std::size_t e = 0; e < a.columns.size(); ++e)
    a.columns[e] = columns[e + static_cast<std::size_t>(all.offsets[10])] %= 40;
  const auto shifted = to_executor(exec, columns);
  const csr_view<float> view{40, 40, on_exec.offsets.data() + 10, shifted.data(), on_exec.values.data()};
  const triangular_options options{.lower = false, .unit_diagonal = true};
  const auto rows = triangle_of(a, options);
  const auto b = some_values<float>(80, 12);
  auto x = to_executor(exec, b);
  const auto sides = dense_columns(40, 2, x.data());
  solve_triangular(exec, view, sides, sides, options);
  const auto found = to_host(exec, x);
  for (const std::size_t c : {0u, 1u}) {
    const auto column = [&](const std::vector<float>& of) {
      return std::vector<float>(of.begin() + static_cast<std::ptrdiff_t>(40 * c),
                                of.begin() + static_cast<std::ptrdiff_t>(40 * c + 40));
    };
    EXPECT_TRUE(solves(rows, column(b), column(found), 1)) << c;
  }
}

/// NaN and infinities spread along dependencies only.
template <class Executor> void expect_nan_where_it_belongs(const Executor& exec) {
  const auto a = square<double, int>({{{0, 2.0}}, {{0, 1.0}, {1, 1.0}}, {{2, 4.0}}, {{1, 1.0}, {3, 1.0}}});
  const auto on_exec = to_executor(exec, a);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  solved_on<Executor, double> solved(exec, {nan, 1, 8, 1});
  const auto x = solved.once(on_exec.view(), 1, {});
  EXPECT_TRUE(x[0] != x[0] && x[1] != x[1] && x[3] != x[3]);
  EXPECT_EQ(x[2], 2);
}

template <class Executor> void expect_refusals_of_diagonals(const Executor& exec) {
  const auto missing = square<double, int>({{{0, 2.0}}, {{0, 1.0}}, {{1, 1.0}, {2, 0.0}}});
  const auto on_exec = to_executor(exec, missing);
  const std::string expected =
      "row 1 has no diagonal entry other than 0, by which a triangular solve divides: "
      "choose unit_diagonal if ones are meant";
  solved_on<Executor, double> solved(exec, {1, 1, 1});
  EXPECT_EQ(message_of<invalid_argument>([&] { solved.once(on_exec.view(), 1, {}); }), expected);
  EXPECT_EQ(message_of<invalid_argument>([&] { triangular_plan(exec, on_exec.view()); }), expected);
  EXPECT_EQ(solved.once(on_exec.view(), 1, {.unit_diagonal = true}), (std::vector<double>{1, 0, 1}));
}

} // namespace evenly::systems
