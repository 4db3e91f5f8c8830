// SPDX-License-Identifier: Apache-2.0
// spmv: alpha and beta, both types of values and of offsets, and arguments that are refused.

#include "evenly/sparse/spmv.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "support/messages.hpp"
#include "support/monoids.hpp"
#include "support/schedules.hpp"

namespace evenly {
namespace {

/// 300 rows of very different lengths, whose values are small whole numbers, so that every sum is exact.
template <class Value, class Offset> csr_matrix<Value, Offset> small_matrix() {
  csr_matrix<Value, Offset> a;
  a.rows = 300;
  a.cols = 90;
  for (int row = 0; row < a.rows; ++row) {
    const int size = row == 150 ? 4000 : row % 5 == 0 ? 0 : row % 13;
    for (int k = 0; k < size; ++k) {
      const auto bits = mixed(static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint64_t>(k));
      a.columns.push_back(static_cast<int>(bits % 90));
      a.values.push_back(static_cast<Value>(static_cast<int>(bits >> 32 & 7) - 3));
    }
    a.offsets.push_back(static_cast<Offset>(a.columns.size()));
  }
  return a;
}

template <class Value> std::vector<Value> small_vector(int size, int seed) {
  std::vector<Value> made;
  for (int i = 0; i < size; ++i) made.push_back(static_cast<Value>((i * 7 + seed) % 9 - 4));
  return made;
}

template <class Value, class Offset>
std::vector<Value> reference(const csr_matrix<Value, Offset>& a, const std::vector<Value>& x, Value alpha,
                             Value beta, const std::vector<Value>& y) {
  std::vector<Value> result;
  for (int row = 0; row < a.rows; ++row) {
    Value sum = 0;
    for (Offset k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    result.push_back(beta == 0 ? alpha * sum : alpha * sum + beta * y[row]);
  }
  return result;
}

template <class Value, class Offset, class Executor> void expect_right_results(const Executor& exec) {
  const auto a = small_matrix<Value, Offset>();
  const auto x = small_vector<Value>(a.cols, 1);
  const auto y = small_vector<Value>(a.rows, 5);
  for_each_kind_on<Executor>([&](const char* name, const auto& schedule) {
    auto plan = make_plan(exec, schedule, rows_of(a.view()));
    for (const Value alpha : {1, 0, -2})
      for (const Value beta : {0, 1, 3}) {
        auto got = y;
        spmv(exec, plan, a.view(), x, got, alpha, beta);
        EXPECT_EQ(got, reference(a, x, alpha, beta, y)) << name << ", alpha " << alpha << ", beta " << beta;
      }
    auto got = y;
    spmv(exec, schedule, a.view(), x, got); // plans, and runs with alpha 1 and beta 0
    EXPECT_EQ(got, reference(a, x, Value{1}, Value{0}, y)) << name;
  });
}

TEST(Spmv, AgreesWithTheReferenceOnCpu) {
  expect_right_results<float, int>(cpu(2));
  expect_right_results<double, std::int64_t>(cpu(2));
}

TEST(Spmv, AgreesWithTheReferenceOnSimt) { expect_right_results<float, int>(simt()); }

TEST(Spmv, WithBetaZeroDoesNotReadY) {
  const auto a = small_matrix<float, int>();
  const auto x = small_vector<float>(a.cols, 1);
  const std::vector<float> zeros(a.rows);
  for_each_form_on<cpu>([&](const char* name, const auto& schedule) {
    std::vector<float> y(a.rows, std::numeric_limits<float>::quiet_NaN());
    spmv(cpu(2), schedule, a.view(), x, y);
    EXPECT_EQ(y, reference(a, x, 1.0f, 0.0f, zeros)) << name;
    spmv(cpu(2), schedule, a.view(), x, y, 0, 0);
    EXPECT_EQ(y, zeros) << name;
  });
}

TEST(Spmv, LetsNaNAndInfinityOfTheMatrixThrough) {
  const csr_matrix<double> a{2, 2, {0, 1, 2}, {0, 1}, {std::numeric_limits<double>::quiet_NaN(), 1}};
  const std::vector<double> x = {1, std::numeric_limits<double>::infinity()};
  std::vector<double> y(2);
  spmv(cpu(1), merge_path{}, a.view(), x, y);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], std::numeric_limits<double>::infinity());
}

TEST(Spmv, OfNoRowsOrNoColumns) {
  const csr_matrix<float> none{0, 3, {0}, {}, {}};
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> nothing;
  const csr_matrix<float> zero{3, 0, {0, 0, 0, 0}, {}, {}};
  for_each_form_on<cpu>([&](const char* name, const auto& schedule) {
    spmv(cpu(1), schedule, none.view(), x, nothing);
    std::vector<float> y = {7, 7, 7};
    spmv(cpu(1), schedule, zero.view(), nothing, y, 1, 2);
    EXPECT_EQ(y, (std::vector<float>{14, 14, 14})) << name;
  });
}

TEST(Spmv, RefusesWrongSizes) {
  const cpu exec(1);
  const auto a = small_matrix<float, int>();
  std::vector<float> x(90), y(300), short_x(89), long_y(301);
  auto plan = make_plan(exec, merge_path{}, rows_of(a.view()));
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, plan, a.view(), short_x, y); }),
            "x has 89 elements, but the matrix has 90 columns");
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, plan, a.view(), x, long_y); }),
            "y has 301 elements, but the matrix has 300 rows");
  const std::vector<int> few = {0, 1, 2};
  auto other = make_plan(exec, merge_path{}, csr_tiles(few));
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, other, a.view(), x, y); }),
            "the plan is for 2 rows, but the matrix has 300: make a plan for this matrix");
}

TEST(Spmv, RefusesVectorsThatOverlap) {
  const csr_matrix<float> a{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1, 2, 3}};
  const cpu exec(1);
  auto plan = make_plan(exec, merge_path{}, rows_of(a.view()));
  std::vector<float> both(10, 1.0f);
  const auto part = [&](int first) { return std::span(both).subspan(first, 3); };
  for (const int first : {2, 3, 4, 5, 6})
    EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, plan, a.view(), part(4), part(first)); }),
              "y begins " + std::to_string(4 * std::abs(first - 4)) + " bytes " +
                  (first < 4 ? "before" : "after") +
                  " the start of x and overlaps it: they must be disjoint");
  spmv(exec, plan, a.view(), part(4), part(1));
  spmv(exec, plan, a.view(), part(4), part(7));
  EXPECT_EQ(both, (std::vector<float>{1, 1, 2, 3, 1, 1, 1, 1, 2, 3}));
}

TEST(Spmv, RefusesToWriteOverTheMatrix) {
  const cpu exec(1);
  csr_matrix<int> a{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1, 2, 3}};
  const std::vector<int> x(3, 1);
  const auto message = [&](std::vector<int>& over) {
    return message_of<invalid_argument>(
        [&] { spmv(exec, merge_path{}, a.view(), x, std::span(over).first(3)); });
  };
  EXPECT_EQ(message(a.offsets),
            "y begins 0 bytes after the start of offsets and overlaps it: they must be disjoint");
  EXPECT_EQ(message(a.columns),
            "y begins 0 bytes after the start of columns and overlaps it: they must be disjoint");
  EXPECT_EQ(message(a.values),
            "y begins 0 bytes after the start of values and overlaps it: they must be disjoint");

  a.values.resize(6); // behind what is read
  spmv(exec, merge_path{}, a.view(), x, std::span(a.values).subspan(3));
  EXPECT_EQ(a.values, (std::vector<int>{1, 2, 3, 1, 2, 3}));
}

/// A plan of another matrix of as many rows would cut this one's rows in the wrong places, or read beyond its end.
template <class Executor> void expect_plans_of_others_refused(const Executor& exec) {
  const csr_matrix<float> a{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1, 2, 3}};
  const csr_matrix<float> larger{3, 3, {0, 50, 100, 150}, std::vector<int>(150), std::vector<float>(150)};
  const auto same = a; // at another place
  std::vector<float> x(3, 1), y(3, -1);
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    for (const auto* other : {&larger, &same}) {
      auto plan = make_plan(exec, schedule, rows_of(other->view()));
      EXPECT_EQ(
          message_of<invalid_argument>([&] { spmv(exec, plan, a.view(), x, y); }),
          "the plan is for another matrix of 3 rows: a plan supports only the offsets that it was made for")
          << name;
    }
  });
  EXPECT_EQ(y, std::vector<float>(3, -1));
  auto plan = make_plan(exec, merge_path{}, rows_of(a.view()));
  const std::vector<float> twice{2, 4, 6};
  spmv(exec, plan, csr_view<float>{3, 3, a.offsets.data(), a.columns.data(), twice.data()}, x, y);
  EXPECT_EQ(y, twice); // other values in the same places
}

TEST(Spmv, RefusesThePlanOfAnotherMatrix) {
  expect_plans_of_others_refused(cpu(2));
  expect_plans_of_others_refused(simt());
}

TEST(Spmv, RefusesViewsThatCannotBe) {
  const cpu exec(1);
  const csr_matrix<float> a{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {1, 2, 3}};
  std::vector<float> x(3, 1), y(3);
  const auto message = [&](const csr_view<float>& view) {
    return message_of<invalid_argument>([&] { spmv(exec, merge_path{}, view, x, y); });
  };
  const auto view = a.view();
  EXPECT_EQ(message({-3, 3, view.offsets, view.columns, view.values}),
            "a matrix of -3 rows and 3 columns: sizes must not be negative");
  EXPECT_EQ(message({3, -1, view.offsets, view.columns, view.values}),
            "a matrix of 3 rows and -1 columns: sizes must not be negative");
  EXPECT_EQ(message({3, 3, nullptr, view.columns, view.values}),
            "offsets are null, but the matrix has 3 rows");
  EXPECT_EQ(message({3, 3, view.offsets, nullptr, view.values}), "columns is null, but must have 3 elements");
  EXPECT_EQ(message({3, 3, view.offsets, view.columns, nullptr}), "values is null, but must have 3 elements");
  EXPECT_EQ(message_of<invalid_argument>([&] {
              spmv(exec, merge_path{}, view, x, std::span<float>(static_cast<float*>(nullptr), 3));
            }),
            "y is null, but must have 3 elements");
  std::vector<float> nothing;
  spmv(exec, merge_path{}, csr_view<float>{}, nothing, nothing);
}

TEST(Spmv, IsWithinTheRoundingBoundOfADoublePrecisionSum) {
  csr_matrix<float> a{2, 1000, {0, 100'000, 100'200}, {}, {}};
  std::vector<float> x;
  for (std::uint64_t i = 0; i < 1000; ++i) x.push_back(float_sum::of(i));
  for (std::uint64_t k = 0; k < 100'200; ++k) {
    a.columns.push_back(static_cast<int>(mixed(k) % 1000));
    a.values.push_back(float_sum::of(k + 5000));
  }
  for_each_kind_on<cpu>([&](const char* name, const auto& schedule) {
    std::vector<float> y(2);
    spmv(cpu(2), schedule, a.view(), x, y);
    for (int row = 0; row < 2; ++row) {
      double want = 0, magnitude = 0;
      for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
        const double term = static_cast<double>(a.values[k]) * x[a.columns[k]];
        want += term;
        magnitude += std::abs(term);
      }
      const double size = a.offsets[row + 1] - a.offsets[row];
      const double bound =
          2 * (size > 256 ? std::sqrt(size) : size) * std::numeric_limits<float>::epsilon() * magnitude;
      EXPECT_NEAR(y[row], want, bound) << name;
    }
  });
}

} // namespace
} // namespace evenly
