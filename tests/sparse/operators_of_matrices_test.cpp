// SPDX-License-Identifier: Apache-2.0
// Products and sums of matrices in one line, transposes and checks, against loops, and what is refused.

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/operators.hpp"
#include "sparse/whole_matrices.hpp"
#include "support/messages.hpp"

namespace evenly::whole_matrices {
namespace {

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
  EXPECT_EQ(refused(a), "entry 3 is in column 4 of a matrix of 4 columns: they are counted from 0");
  a = small();
  a.offsets[1] = 6;
  EXPECT_EQ(refused(a), "offsets[2] = 2 is less than offsets[1] = 6: offsets must not decrease");
}

} // namespace
} // namespace evenly::whole_matrices
