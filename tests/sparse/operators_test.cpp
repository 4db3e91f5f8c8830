// SPDX-License-Identifier: Apache-2.0
// Products of matrices with vectors in one line, against loops, and refusals.

#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/operators.hpp"
#include "sparse/whole_matrices.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"

namespace evenly::whole_matrices {
namespace {

std::vector<float> random_vector(int size) {
  std::vector<float> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7) % 11) - 5;
  return x;
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
  EXPECT_EQ(refused([&] { a* y; }), "x has 3 elements, but the matrix has 4 columns");
  EXPECT_EQ(refused([&] { spmv(a, x, x); }), "y has 4 elements, but the matrix has 3 rows");
  EXPECT_TRUE(contains(refused([&] { spmv(a, std::span(all).first(4), std::span(all).subspan(3, 3)); }),
                       "y begins 12 bytes after the start of x and overlaps it"));
  const auto other = small();
  auto plan = make_plan(other);
  EXPECT_EQ(
      refused([&] { spmv(a, x, y, plan); }),
      "the plan is for another matrix of 3 rows: a plan supports only the offsets that it was made for");
  EXPECT_EQ(refused([&] { csr_view<float>{-1, 4} * x; }),
            "a matrix of -1 rows and 4 columns: sizes must not be negative");
  csr_matrix<float> broken = small();
  broken.values.pop_back();
  EXPECT_EQ(refused([&] { broken* x; }),
            "a matrix has 5 columns of entries and 4 values: every entry needs one of each");
  broken = small();
  broken.rows = 4;
  EXPECT_EQ(refused([&] { make_plan(broken); }),
            "a matrix of 4 rows has 4 offsets: it needs one more than rows");
  broken = small();
  broken.offsets.back() = 9;
  EXPECT_EQ(refused([&] { broken* x; }),
            "the last row ends at 9, but there are 5 entries: offsets must be at most the number of entries");
}

TEST(MatrixTimesVector, IsRefusedForAColumnBeyondTheMatrix) {
  csr_matrix<float> a{
      3, 2, {2, 4, 4, 5}, {7, 7, 0, 1, 2, 7}, {0, 0, 1, 2, 3, 0}}; // the rows have entries 2 to 4
  const std::string message = "entry 4 is in column 2 of a matrix of 2 columns: they are counted from 0";
  const std::vector<float> x{1, 2};
  std::vector<float> y(3);
  EXPECT_EQ(refusal_of([&] { a* x; }), message);
  EXPECT_EQ(refusal_of([&] { spmv(a, x, y, 2, 3, merge_path{}); }), message);
  EXPECT_EQ(refusal_of([&] { make_plan(a); }), message);
  EXPECT_EQ(refusal_of([&] { a* matrix<float>(2, 2); }), message);
  EXPECT_EQ(refusal_of([&] { transpose(a); }), message);
  EXPECT_EQ(refusal_of([&] { a + a; }), message);
  EXPECT_EQ(refusal_of([&] { a* csr_matrix<float>{2, 1, {0, 1, 1}, {0}, {1}}; }), message);
  EXPECT_EQ(refusal_of([&] { check_matrix(a); }), message);
  const simt gpu;
  const auto there = a.to(gpu);
  EXPECT_EQ(refusal_of([&] { spmv(there, evenly::vector(gpu, x)); }), message);
  auto plan = make_plan(cpu(1), merge_path{}, assume_valid(rows_of(a.view())));
  a.columns[4] = -1;
  EXPECT_EQ(refusal_of([&] { a* x; }),
            "entry 4 is in column -1 of a matrix of 2 columns: they are counted from 0");
  a.columns[4] = 1;
  EXPECT_EQ(a * x, (std::vector<float>{5, 0, 6}));
  spmv(a, x, y, plan);
  EXPECT_EQ(y, (std::vector<float>{5, 0, 6}));
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

} // namespace
} // namespace evenly::whole_matrices
