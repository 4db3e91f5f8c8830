// SPDX-License-Identifier: Apache-2.0
// Products and sums of matrices in one line, transposes and checks, against loops, and refusals.

#include <cstddef>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/sparse/operators.hpp"
#include "sparse/whole_matrices.hpp"
#include "support/counting_resource.hpp"
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

/// A second call under the same workspace allocates the result alone.
TEST(SparseResults, TakeTemporariesFromTheWorkspace) {
  const auto a = random_matrix(300, 200, 9), b = random_matrix(200, 250, 10), c = random_matrix(300, 200, 11);
  counting_resource memory_of_cores, memory_of_simt;
  const cpu cores(2, &memory_of_cores);
  const simt gpu({.seed = 4}, &memory_of_simt);
  workspace memory, memory_there;
  const auto a_there = a.to(gpu), b_there = b.to(gpu), c_there = c.to(gpu);
  const auto expect = [&](const char* name, const auto& run) {
    SCOPED_TRACE(name);
    const auto once = run(a, b, c, environment<>().on(cores));
    for (int round = 0; round < 3; ++round) {
      memory_of_cores.allocations = 0;
      const auto again = run(a, b, c, on(cores).with(memory));
      EXPECT_EQ(again.offsets, once.offsets);
      EXPECT_EQ(again.columns, once.columns);
      EXPECT_EQ(again.values, once.values);
      EXPECT_TRUE(round == 0 || memory_of_cores.allocations == 0) << "results are std::vectors";
      memory_of_simt.allocations = 0;
      const auto there = run(a_there, b_there, c_there, on(gpu).with(memory_there));
      EXPECT_TRUE(round == 0 || memory_of_simt.allocations == 3) << "offsets, columns and values";
      EXPECT_EQ(there.to(cpu()).values, once.values);
    }
  };
  expect("spgemm",
         [](const auto& x, const auto& y, const auto&, const auto& env) { return spgemm(x, y, env); });
  expect("add",
         [](const auto& x, const auto&, const auto& z, const auto& env) { return add(x, z, 2, 3, env); });
  expect("transpose",
         [](const auto& x, const auto&, const auto&, const auto& env) { return transpose(x, env); });
  const std::size_t kept = memory_of_cores.bytes_out;
  EXPECT_GT(kept, 0u);
  memory = workspace();
  EXPECT_EQ(memory_of_cores.bytes_out, 0u) << "the workspace frees what it kept";
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
  a = small();
  a.offsets.back() = 9;
  EXPECT_EQ(refused(a),
            "the last row ends at 9, but there are 5 entries: offsets must be at most the number of entries");
}

} // namespace
} // namespace evenly::whole_matrices
