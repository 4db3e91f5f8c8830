// SPDX-License-Identifier: Apache-2.0
// Products and sums of matrices in one line, against loops, and what is refused.

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/operators.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

/// Whole numbers, so that sums are exact in any order. Some rows are empty, one is long; columns may repeat.
template <class Offset = int> csr_matrix<float, Offset> random_matrix(int rows, int cols, unsigned seed) {
  std::mt19937 random(seed);
  csr_matrix<float, Offset> a;
  a.rows = rows;
  a.cols = cols;
  for (int r = 0; r < rows; ++r) {
    const int size = cols == 0 ? 0 : r == rows / 2 ? 900 : static_cast<int>(random() % 4);
    for (int k = 0; k < size; ++k) {
      a.columns.push_back(static_cast<int>(random() % static_cast<unsigned>(cols)));
      a.values.push_back(static_cast<float>(static_cast<int>(random() % 9) - 4));
    }
    a.offsets.push_back(static_cast<Offset>(a.columns.size()));
  }
  return a;
}

std::vector<float> random_vector(int size) {
  std::vector<float> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7) % 11) - 5;
  return x;
}

/// As rows of all elements.
template <class A> std::vector<std::vector<float>> dense(const A& a) {
  std::vector<std::vector<float>> all(static_cast<std::size_t>(a.rows),
                                      std::vector<float>(static_cast<std::size_t>(a.cols)));
  for (std::size_t r = 0; r < all.size(); ++r)
    for (auto k = static_cast<std::size_t>(a.offsets[r]); k < static_cast<std::size_t>(a.offsets[r + 1]); ++k)
      all[r][static_cast<std::size_t>(a.columns[k])] += a.values[k];
  return all;
}

template <class A> std::vector<float> times(const A& a, const std::vector<float>& x) {
  std::vector<float> y;
  for (const auto& row : dense(a)) {
    float sum = 0;
    for (std::size_t c = 0; c < row.size(); ++c) sum += row[c] * x[c];
    y.push_back(sum);
  }
  return y;
}

csr_matrix<float> small() { return {3, 4, {0, 2, 2, 5}, {0, 3, 0, 1, 2}, {1, 2, 3, 4, 5}}; }

TEST(MatrixTimesVector, IsWhatALoopMakes) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 3}, {3, 0}, {1, 1}, {300, 200}}) {
    const auto a = random_matrix(rows, cols, 5);
    const auto x = random_vector(cols);
    const auto expected = times(a, x);
    EXPECT_EQ(a * x, expected) << rows << " x " << cols;
    EXPECT_EQ(spmv(a, x, merge_path{}), expected);
    EXPECT_EQ(spmv(a.view(), x, cpu(2)), expected);
    std::vector<float> y(static_cast<std::size_t>(rows), std::numeric_limits<float>::quiet_NaN());
    spmv(a, x, y);
    EXPECT_EQ(y, expected) << "y is not read";
    spmv(a, x, y, 2, 1);
    for (std::size_t r = 0; r < y.size(); ++r) EXPECT_EQ(y[r], 3 * expected[r]);
    auto plan = make_plan(a);
    for (int round = 0; round < 2; ++round) {
      spmv(a, x, std::span(y), plan);
      EXPECT_EQ(y, expected);
    }
  }
}

TEST(MatrixTimesVector, TakesAnyRange) {
  const auto a = small();
  const float x[] = {1, 2, 3, 4};
  const std::array<float, 4> array{1, 2, 3, 4};
  const std::vector<float> expected{9, 0, 26};
  EXPECT_EQ(a * x, expected);
  EXPECT_EQ(a * array, expected);
  EXPECT_EQ(a * std::span(x), expected);
  EXPECT_EQ(a * vector(cpu(1), array), expected);
  EXPECT_EQ(a * to_executor(cpu(), std::vector<float>(x, x + 4)), expected);
  float y[3];
  spmv(a, x, y);
  EXPECT_EQ(y[2], 26);
}

TEST(MatrixTimesVector, IsOfAnyValuesAndOffsets) {
  const auto wide = random_matrix<std::int64_t>(100, 50, 2);
  const auto x = random_vector(50);
  EXPECT_EQ(wide * x, times(wide, x));
  using complex = std::complex<double>;
  const csr_matrix<complex> i{2, 2, {0, 1, 2}, {1, 0}, {{0, 1}, {2, 0}}};
  EXPECT_EQ(i * (std::vector<complex>{{1, 1}, {3, 0}}), (std::vector<complex>{{0, 3}, {2, 2}}));
  const csr_matrix<int> whole{1, 2, {0, 2}, {0, 1}, {3, 4}};
  EXPECT_EQ(whole * (std::array{10, 100}), (std::vector<int>{430}));
}

TEST(MatrixTimesVector, IsOfRowsWhoseFirstOffsetIsNot0) {
  const std::vector<int> offsets{2, 3, 4}, columns{9, 9, 1, 0};
  const std::vector<float> values{9, 9, 2, 3};
  const auto view = make_csr_view(2, 2, offsets, columns, values);
  EXPECT_EQ(view * (std::vector<float>{1, 10}), (std::vector<float>{20, 3}));
}

TEST(MatrixTimesVector, IsOfOtherFormats) {
  const auto a = random_matrix(40, 40, 8);
  const auto x = random_vector(40);
  const auto c = to_coo(cpu(), a.view());
  EXPECT_EQ(c * x, times(a, x));
}

TEST(MatrixTimesVector, RunsWhereTheMatrixIs) {
  const auto a = random_matrix(60, 50, 1);
  const auto x = random_vector(50);
  const auto there = a.to(simt({.seed = 6}));
  EXPECT_EQ(there * x, times(a, x));
  EXPECT_EQ(there * vector(simt(), x), times(a, x));
  EXPECT_EQ(spmv(there, x, merge_path{}), times(a, x));
}

TEST(MatrixTimesVector, HasTheBitsOfTheLongFormAndAllocatesNothingUnderAPlan) {
  auto a = random_matrix(200, 100, 3);
  for (float& each : a.values) each = 1 / (each + 7);
  const auto x = random_vector(100);
  std::vector<float> y(200), expected(200);
  counting_resource memory;
  const cpu exec(2, &memory);
  auto plan = make_plan(a, on(exec).with(merge_path{}));
  spmv(exec, plan, a.view(), x, expected);
  const int before = memory.allocations;
  spmv(a, x, y, plan);
  EXPECT_EQ(memory.allocations, before);
  EXPECT_EQ(y, expected);
  EXPECT_EQ(spmv(a, x, on(exec).with(merge_path{})), expected);
}

TEST(MatrixTimesVector, IsRefusedWhenSizesDoNotFit) {
  const auto a = small();
  std::vector<float> x(4), y(3), all(7);
  const auto refused = [](const auto& product) { return message_of<invalid_argument>(product); };
  EXPECT_EQ(refused([&] { a* y; }), "x has 3 elements, the matrix has 4 columns");
  EXPECT_EQ(refused([&] { spmv(a, x, x); }), "y has 4 elements, the matrix has 3 rows");
  EXPECT_TRUE(contains(refused([&] { spmv(a, std::span(all).first(4), std::span(all).subspan(3, 3)); }),
                       "y begins 12 bytes behind the begin of x and overlaps it"));
  const auto other = small();
  auto plan = make_plan(other);
  EXPECT_EQ(
      refused([&] { spmv(a, x, y, plan); }),
      "the plan is for another matrix of 3 rows, whose offsets lie elsewhere: a plan serves the offsets that "
      "it was made for");
  EXPECT_EQ(refused([&] { csr_view<float>{-1, 4} * x; }),
            "a matrix of -1 rows and 4 columns: sizes must not be negative");
  csr_matrix<float> broken = small();
  broken.values.pop_back();
  EXPECT_EQ(refused([&] { broken* x; }),
            "a matrix has 5 columns of entries and 4 values: every entry has one of each");
  broken = small();
  broken.rows = 4;
  EXPECT_EQ(refused([&] { make_plan(broken); }),
            "a matrix of 4 rows has 4 offsets: it has one more than rows");
}

TEST(MatrixTimesVector, IsMadeByTwoThreadsAtATime) {
  const auto a = random_matrix(2000, 500, 4);
  const auto x = random_vector(500);
  const auto expected = times(a, x);
  std::vector<float> results[2];
  {
    std::vector<std::jthread> threads;
    for (auto& result : results)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) result = a * x;
      });
  }
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TEST(MatrixTimesMatrix, IsDenseIfOneIs) {
  const auto a = random_matrix(30, 20, 9);
  matrix<float> b(20, 3);
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < 3; ++c) b(r, c) = static_cast<float>((r * 5 + c) % 7) - 3;
  const auto expect = [&](const auto& product, const char* how) {
    const auto rows = dense(a);
    for (int r = 0; r < 30; ++r)
      for (int c = 0; c < 3; ++c) {
        float sum = 0;
        for (int k = 0; k < 20; ++k)
          sum += rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)] * b(k, c);
        EXPECT_EQ(product(r, c), sum) << how << ", " << r << ", " << c;
      }
  };
  expect(a * b, "operator");
  expect(spmm(a, b, merge_path{}), "merge_path");
  matrix<float> c(30, 3);
  spmm(a, b, c);
  expect(c, "in place");
  spmm(a, b.view(), c.view(), 2, -1);
  expect(c, "2 A B - C, of views");
  expect(a.to(simt()) * b, "simt");
  EXPECT_EQ(message_of<invalid_argument>([&] { a* matrix<float>(19, 3); }),
            message_of<invalid_argument>([&] { spmm(a, matrix<float>(19, 3), c); }));
}

TEST(MatrixTimesMatrix, IsSparseIfBothAre) {
  const auto a = random_matrix(30, 20, 9), b = random_matrix(20, 25, 10);
  const auto expect = [&](const auto& product) {
    std::vector<std::vector<float>> expected(30, std::vector<float>(25));
    const auto of_a = dense(a), of_b = dense(b);
    for (std::size_t r = 0; r < 30; ++r)
      for (std::size_t k = 0; k < 20; ++k)
        for (std::size_t c = 0; c < 25; ++c) expected[r][c] += of_a[r][k] * of_b[k][c];
    EXPECT_EQ(dense(product), expected);
  };
  const csr_matrix<float> product = a * b;
  expect(product);
  const auto there = a.to(simt()) * b.to(simt());
  static_assert(std::is_same_v<decltype(there), const csr_matrix<float, int, simt>>);
  expect(there.to(cpu()));
  EXPECT_TRUE(contains(message_of<invalid_argument>([&] { a* a; }), "20"));
}

TEST(MatrixPlusMatrix, IsTheirSum) {
  const auto a = random_matrix(30, 20, 1), b = random_matrix(30, 20, 2);
  const auto sum = dense(a + b), difference = dense(add(a, b, 1, -1, cpu(1)));
  const auto of_a = dense(a), of_b = dense(b);
  for (std::size_t r = 0; r < 30; ++r)
    for (std::size_t c = 0; c < 20; ++c) {
      EXPECT_EQ(sum[r][c], of_a[r][c] + of_b[r][c]);
      EXPECT_EQ(difference[r][c], of_a[r][c] - of_b[r][c]);
    }
  EXPECT_THROW(a + small(), invalid_argument);
}

TEST(Transpose, HasRowsForColumns) {
  const auto a = small();
  const auto t = transpose(a);
  EXPECT_EQ(t.rows, 4);
  EXPECT_EQ(t.offsets, (std::vector<int>{0, 2, 3, 4, 5}));
  EXPECT_EQ(t.columns, (std::vector<int>{0, 2, 2, 2, 0}));
  EXPECT_EQ(t.values, (std::vector<float>{1, 3, 4, 5, 2}));
  EXPECT_EQ(dense(transpose(t)), dense(a));
  EXPECT_EQ(transpose(csr_matrix<float>{}).rows, 0);
}

TEST(CheckMatrix, NamesTheFirstFault) {
  const auto refused = [](const csr_matrix<float>& a) {
    return message_of<invalid_argument>([&] { check_matrix(a); });
  };
  EXPECT_NO_THROW(check_matrix(small()));
  EXPECT_NO_THROW(check_matrix(csr_matrix<float>{}));
  auto a = small();
  a.columns[3] = 4;
  a.columns[4] = -1;
  EXPECT_EQ(refused(a), "entry 3 is in column 4 of a matrix of 4 columns: they count from 0");
  a = small();
  a.offsets[1] = 6;
  EXPECT_EQ(refused(a), "offsets[2] = 2 is less than offsets[1] = 6: offsets must not decrease");
}

} // namespace
} // namespace evenly
