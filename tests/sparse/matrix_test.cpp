// SPDX-License-Identifier: Apache-2.0
// Owners of matrices: dense ones, compressed rows, and coordinates on the host.

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/matrix.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

template <class M> std::vector<float> elements(const M& m) { return {m.data(), m.data() + m.size()}; }

TEST(DenseMatrices, AreRowsOneAfterTheOther) {
  matrix<float> m(2, 3, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(m.rows(), 2);
  EXPECT_EQ(m.cols(), 3);
  EXPECT_EQ(m(0, 2), 3);
  m(1, 0) = 9;
  EXPECT_EQ(std::as_const(m)(1, 0), 9);
  EXPECT_EQ(elements(m), (std::vector<float>{1, 2, 3, 9, 5, 6}));
  const auto view = std::as_const(m).view();
  static_assert(std::is_same_v<decltype(view), const dense_view<const float>>);
  EXPECT_EQ(view.rows, 2);
  EXPECT_EQ(view.leading, 3);
  EXPECT_EQ(elements(matrix<float>(2, 2)), std::vector<float>(4)) << "zeros";
}

TEST(DenseMatrices, AreCopiedOnTheHost) {
  matrix<float> m(1, 2, {1, 2});
  const matrix<float> copy = m;
  m(0, 0) = 5;
  EXPECT_EQ(copy(0, 0), 1);
}

TEST(DenseMatrices, AreCopiedToOtherExecutors) {
  const matrix<float> m(2, 2, {1, 2, 3, 4});
  const auto there = m.to(simt({.warp_size = 8}));
  static_assert(std::is_same_v<decltype(there), const matrix<float, simt>>);
  EXPECT_EQ(there.executor().options().warp_size, 8);
  EXPECT_EQ(elements(there.to(cpu(1))), elements(m));
  EXPECT_EQ(m.to(cpu(2)).executor().threads(), 2);
}

TEST(DenseMatrices, MayBeEmpty) {
  const matrix<float> none(0, 4);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.to(simt()).cols(), 4);
  EXPECT_EQ(matrix<float>(0, 0, std::vector<float>{}).rows(), 0);
}

TEST(DenseMatrices, AreRefusedWhenSizesDoNotFit) {
  EXPECT_EQ(message_of<invalid_argument>([] { const matrix<float> m(2, 3, {1, 2, 3, 4, 5}); }),
            "a matrix of 2 rows and 3 columns was given 5 elements: it has 6");
  EXPECT_EQ(message_of<invalid_argument>([] { const matrix<float> m(-1, 3); }),
            "a matrix of -1 rows and 3 columns: sizes must not be negative");
}

TEST(CompressedRows, AreCopiesOfViewsOfAnyRanges) {
  const std::array<std::int64_t, 3> offsets{1, 2, 4};
  const int columns[] = {7, 2, 0, 1};
  const std::vector<double> values{9, 1, 2, 3};
  const auto view = make_csr_view(2, 3, offsets, columns, std::span(values));
  static_assert(std::is_same_v<decltype(view), const csr_view<double, std::int64_t>>);
  const auto a = to_csr(view);
  EXPECT_EQ(a.offsets, (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(a.columns, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(a.values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(a.atoms(), 3);
  EXPECT_EQ(to_csr(csr_view<float>{0, 5}).atoms(), 0);
}

TEST(CompressedRows, AreRefusedWhenSizesDoNotFit) {
  const std::vector<int> two(2), three(3);
  const std::vector<float> values(2);
  const auto refused = [&](int rows, const auto& offsets, const auto& columns) {
    return message_of<invalid_argument>([&] { make_csr_view(rows, 4, offsets, columns, values); });
  };
  EXPECT_EQ(refused(3, three, two), "a matrix of 3 rows has 3 offsets: it needs one more than rows");
  EXPECT_EQ(refused(2, three, three),
            "a matrix has 3 columns of entries and 2 values: every entry needs one of each");
  EXPECT_EQ(refused(-1, std::vector<int>{}, two),
            "a matrix of -1 rows and 4 columns: sizes must not be negative");
}

TEST(CompressedRows, AreCopiedToOtherExecutors) {
  const csr_matrix<float> a{2, 3, {0, 1, 3}, {2, 0, 1}, {1, 2, 3}};
  const auto there = a.to(simt({.warp_size = 8}));
  static_assert(std::is_same_v<decltype(there), const csr_matrix<float, int, simt>>);
  EXPECT_EQ(there.executor().options().warp_size, 8);
  EXPECT_EQ(there.entries(), 3);
  const csr_matrix<float> back = there.to(cpu());
  EXPECT_EQ(back.offsets, a.offsets);
  EXPECT_EQ(back.columns, a.columns);
  EXPECT_EQ(back.values, a.values);
  EXPECT_EQ(there.to(simt()).view().rows, 2);
  EXPECT_EQ(csr_matrix<float>{}.to(simt()).entries(), 0);
}

TEST(Coordinates, BecomeCompressedRows) {
  const coo_matrix<float> t{
      .rows = 3, .cols = 4, .row_of = {2, 0, 2, 0}, .columns = {1, 3, 0, 3}, .values = {1, 2, 3, 4}};
  const csr_matrix<float> a = to_csr(t);
  EXPECT_EQ(a.offsets, (std::vector<int>{0, 2, 2, 4}));
  EXPECT_EQ(a.columns, (std::vector<int>{3, 3, 1, 0})) << "those of a row stay in their order";
  EXPECT_EQ(a.values, (std::vector<float>{2, 4, 1, 3}));
  EXPECT_EQ(to_csr(coo_matrix<float>{.rows = 2, .cols = 2}).offsets, (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(to_csr(coo_matrix<float>{}).offsets, (std::vector<int>{0}));
}

TEST(Coordinates, AreRefusedOutsideTheMatrix) {
  const auto refused = [](const coo_matrix<float>& t) {
    return message_of<invalid_argument>([&] { to_csr(t); });
  };
  EXPECT_EQ(refused({2, 2, {0, 2}, {0, 1}, {1, 2}}),
            "entry 1 is in row 2 and column 1 of a matrix of 2 rows and 2 columns: both are counted from 0");
  EXPECT_EQ(refused({2, 2, {0}, {-1}, {1}}),
            "entry 0 is in row 0 and column -1 of a matrix of 2 rows and 2 columns: both are counted from 0");
  EXPECT_EQ(refused({2, 2, {0, 1}, {0}, {1, 2}}),
            "there are 2 rows, 1 columns and 2 values of entries: every entry needs one of each");
  EXPECT_EQ(refused({-1, 2, {}, {}, {}}), "a matrix of -1 rows and 2 columns: sizes must not be negative");
}

} // namespace
} // namespace evenly
