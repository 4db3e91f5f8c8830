// SPDX-License-Identifier: Apache-2.0
// spmv of complex values: exact where sums of whole numbers are, else within an error bound for each row.
#include "evenly/sparse/spmv.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/monoids.hpp"
#include "support/schedules.hpp"

namespace evenly {
namespace {

/// 200 rows, empty ones and one of 3,000 entries among them. number(i): the i-th value.
template <class Value, class Number> csr_matrix<Value> make_matrix(const Number& number) {
  csr_matrix<Value> a;
  a.rows = 200;
  a.cols = 70;
  for (int row = 0; row < a.rows; ++row) {
    const int size = row == 80 ? 3000 : row % 4 == 0 ? 0 : row % 11;
    for (int k = 0; k < size; ++k) {
      const std::uint64_t place = a.columns.size();
      a.columns.push_back(static_cast<int>(mixed(place) % 70));
      a.values.push_back(number(place));
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

template <class Value> Value small_whole(std::uint64_t i) {
  const std::uint64_t bits = mixed(i + 99);
  using part = typename Value::value_type;
  return {static_cast<part>(static_cast<int>(bits & 7) - 3),
          static_cast<part>(static_cast<int>(bits >> 8 & 7) - 4)};
}

template <class Value, class Executor> void expect_exact(const Executor& exec) {
  const auto a = make_matrix<Value>(small_whole<Value>);
  std::vector<Value> x, y;
  for (std::uint64_t i = 0; i < 70; ++i) x.push_back(small_whole<Value>(i + 10'000));
  for (std::uint64_t i = 0; i < 200; ++i) y.push_back(small_whole<Value>(i + 20'000));
  const Value alpha{2, -1}, beta{0, 3};
  std::vector<Value> expected, without_beta;
  for (int row = 0; row < a.rows; ++row) {
    Value sum{};
    for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
    without_beta.push_back(sum);
    expected.push_back(alpha * sum + beta * y[row]);
  }
  for_each_form_of_sharing([&](const char* name, const auto& schedule) {
    auto plan = make_plan(exec, schedule, rows_of(a.view()));
    auto got = y;
    spmv(exec, plan, a.view(), x, got, alpha, beta);
    EXPECT_EQ(got, expected) << name;
    spmv(exec, plan, a.view(), x, got);
    EXPECT_EQ(got, without_beta) << name;
  });
}

TEST(SpmvOfComplexValues, IsExactForWholeNumbersOnCpu) { expect_exact<std::complex<double>>(cpu(2)); }
TEST(SpmvOfComplexValues, IsExactForWholeNumbersOnSimt) { expect_exact<std::complex<float>>(simt()); }

/// Each product of two complex numbers rounds by at most sqrt(8) units (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2002, lemma 3.5), each sum by one.
TEST(SpmvOfComplexValues, IsWithinTheRoundingBoundOfADoublePrecisionSum) {
  using value = std::complex<float>;
  const auto any = [](std::uint64_t i) { return value(float_sum::of(2 * i), float_sum::of(2 * i + 1)); };
  const auto a = make_matrix<value>(any);
  std::vector<value> x;
  for (std::uint64_t i = 0; i < 70; ++i) x.push_back(any(i + 50'000));
  for_each_form_of_sharing([&](const char* name, const auto& schedule) {
    std::vector<value> y(200);
    spmv(cpu(2), schedule, a.view(), x, y);
    for (int row = 0; row < a.rows; ++row) {
      std::complex<double> want = 0;
      double magnitude = 0;
      for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
        const auto term = std::complex<double>(a.values[k]) * std::complex<double>(x[a.columns[k]]);
        want += term;
        magnitude += std::abs(term);
      }
      const double steps = a.offsets[row + 1] - a.offsets[row] + std::sqrt(8.0);
      EXPECT_LE(std::abs(std::complex<double>(y[row]) - want),
                steps * std::numeric_limits<float>::epsilon() * magnitude)
          << name << " row " << row;
    }
  });
}

} // namespace
} // namespace evenly
