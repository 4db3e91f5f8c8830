// SPDX-License-Identifier: Apache-2.0
// Transposes and sums of sparse matrices.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/add.hpp"
#include "evenly/sparse/transpose.hpp"
#include "sparse/transpose_laws.hpp"
#include "support/messages.hpp"

namespace evenly::products {
namespace {

TEST(Transpose, HasEntriesInTheOrderOfTheirRows) {
  expect_transposes(cpu());
  expect_transposes(simt({.warp_size = 32, .seed = 1}));
}

TEST(Transpose, RefusesMatricesThatCannotBe) {
  EXPECT_EQ(message_of<invalid_argument>([] { transpose(cpu(), csr_view<double>{2, 2}); }),
            "offsets are null, but the matrix has 2 rows");
  EXPECT_EQ(message_of<invalid_argument>([] { transpose(cpu(), csr_view<double>{2, -1}); }),
            "a matrix of 2 rows and -1 columns: sizes must not be negative");
}

TEST(Add, SumsUpEntriesInTheirOrder) {
  expect_sums(cpu());
  expect_sums(simt({.warp_size = 32, .seed = 1}));
}

TEST(Add, ReadsColumnsOf64BitsAsTransposeDoes) {
  const cpu exec;
  for (const auto& a : some_matrices()) {
    const std::vector<std::int64_t> columns(a.columns.begin(), a.columns.end());
    const csr_view<double, int, std::int64_t> wide{a.rows, a.cols, a.offsets.data(), columns.data(),
                                                   a.values.data()};
    EXPECT_TRUE(same_matrix(to_host(exec, transpose(exec, wide)), transposed(a))) << a.rows;
    const auto expected = to_host(exec, add(exec, a.view(), a.view(), 2, 1));
    EXPECT_TRUE(same_matrix(to_host(exec, add(exec, wide, a.view(), 2, 1)), expected)) << a.rows;
    EXPECT_TRUE(same_matrix(to_host(exec, add(exec, a.view(), wide, 2, 1)), expected)) << a.rows;
    EXPECT_TRUE(same_matrix(to_host(exec, add(exec, wide, wide, 2, 1)), expected)) << a.rows;
  }
}

TEST(Add, KeepsWhatCancels) {
  const cpu exec;
  const auto a = identity<double>(3);
  const auto zero = to_host(exec, add(exec, a.view(), a.view(), 1, -1));
  EXPECT_EQ(zero.columns, a.columns);
  EXPECT_EQ(zero.values, (std::vector<double>(3, 0)));
}

TEST(Add, RefusesOtherSizes) {
  const auto a = identity<double>(3), b = identity<double>(4);
  EXPECT_EQ(message_of<invalid_argument>([&] { add(cpu(), a.view(), b.view()); }),
            "A has 3 rows and 3 columns, B has 4 and 4: the sizes must be equal");
}

} // namespace
} // namespace evenly::products
