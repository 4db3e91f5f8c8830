// SPDX-License-Identifier: Apache-2.0
// Matrices in every format, on the CPU and on the simulated GPU.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/multiply.hpp"
#include "sparse/format_laws.hpp"
#include "sparse/refusals.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly::products {
namespace {

TEST(Formats, KeepTheirLawsOnCores) { expect_formats(cpu(2)); }
TEST(Formats, HaveOneTransposedProductUnderEveryFormOfSharing) {
  for_each_form_on<cpu>([](const std::string& name, const auto& schedule) {
    expect_transposed_products(cpu(2), schedule, name);
  });
  expect_transposed_products(simt({.warp_size = 32, .seed = 3}), merge_path{}, "simt");
}
TEST(Formats, KeepTheirLawsOnSimt) { expect_formats(simt({.warp_size = 32, .seed = 1})); }
TEST(Formats, HaveProductsOfLoneThreads) {
  expect_products_of_lone_threads(simt({.warp_size = 32, .seed = 2}));
}
TEST(Formats, HaveRealProductsWithinTheirBoundAndTheirBitsAgain) {
  expect_real_products(cpu(3), merge_path{});
}
TEST(Formats, HaveRowsWithOffsetsOf64BitsOnSimt) { expect_rows_with_wide_offsets(simt(), merge_path{}); }

/// x = (infinity, 1): where a format has no slot for a place, nothing is multiplied there.
TEST(Formats, MultiplyWhatTheyHoldWithInfinities) {
  const cpu exec;
  const auto a =
      matrix_of<double>(2, {{{1, 1}}, {{1, 1}}}); // a diagonal above, and what is right of the corner below
  const auto on_exec = to_executor(exec, a);
  const std::vector<double> x{std::numeric_limits<double>::infinity(), 1};
  const auto product_with = [&](const auto& view) {
    std::vector<double> y(2);
    spmv(exec, merge_path{}, view, x, y);
    return y;
  };
  const std::vector<double> finite{1, 1};
  EXPECT_EQ(product_with(to_coo(exec, on_exec.view()).view()), finite);
  EXPECT_EQ(product_with(to_ell(exec, on_exec.view()).view()), finite);
  const auto of_diagonals = product_with(to_dia(exec, on_exec.view()).view());
  EXPECT_TRUE(std::isnan(of_diagonals[0])) << "the main diagonal has a slot there, of 0";
  EXPECT_EQ(of_diagonals[1], 1);
  const auto of_blocks = product_with(to_bcsr<2, 2>(exec, on_exec.view()).view());
  EXPECT_TRUE(std::isnan(of_blocks[0]) && std::isnan(of_blocks[1]));
}

/// On cpu rows are summed in strips. The bits of a row's sum must not depend on the strip that it is in.
template <class Value> void expect_sums_of_any_strip() {
  constexpr int rows = 300;
  std::vector<std::vector<std::pair<int, Value>>> entries(rows);
  std::vector<Value> x(rows);
  for (int row = 0; row < rows; ++row) {
    x[static_cast<std::size_t>(row)] = static_cast<Value>(std::sin(row + 1.0));
    for (const int apart : {-140, -3, -1, 0, 1, 2, 70, 299})
      if (const int column = row + apart; 0 <= column && column < rows && (row + apart) % 11 != 0)
        entries[static_cast<std::size_t>(row)].emplace_back(column,
                                                            static_cast<Value>(std::cos(row * apart)));
  }
  const auto a = matrix_of<Value>(rows, entries);
  const auto expect = [&](const std::string& name, const auto& m) {
    const auto view = m.view();
    const auto map = view.product(x.data());
    ASSERT_TRUE(map.sums_strips()) << name;
    constexpr int max = decltype(map)::max_strip;
    for (int row = 0; row < rows; ++row) {
      const int count = std::min(max, rows - row);
      Value alone{}, sums[max];
      map.sum_strip(row, 1, &alone);
      map.sum_strip(row, count, sums);
      ASSERT_EQ(sums[0], alone) << name << ", row " << row;
      Value last{};
      map.sum_strip(row + count - 1, 1, &last);
      ASSERT_EQ(sums[count - 1], last) << name << ", row " << row + count - 1;
    }
    const auto plain = spmv(a, x, thread_mapped{});
    const auto by_strips = spmv(m, x, merge_path{});
    for (int row = 0; row < rows; ++row)
      EXPECT_NEAR(by_strips[static_cast<std::size_t>(row)], plain[static_cast<std::size_t>(row)], 1e-5)
          << name;
  };
  expect("diagonals", to_dia(a));
  expect("ELLPACK", to_ell(a));
}
TEST(Formats, SumStripsOfRowsOnCoresAsRowsAlone) {
  expect_sums_of_any_strip<float>();
  expect_sums_of_any_strip<double>();
}

TEST(Formats, RefuseWhatCannotBe) {
  const cpu exec;
  const auto a = to_executor(exec, with_sizes<double>({1, 1000, 0}, 50, numbers::whole, 1));
  EXPECT_EQ(message_of<invalid_argument>([&] { to_ell(exec, a.view(), 30'000); }),
            "ELLPACK takes 3000 slots, 36000 bytes, more than the allowed 30000");
  EXPECT_EQ(message_of<invalid_argument>([&] { to_coo(exec, csr_view<double>{2, 2}); }),
            "offsets are null, but the matrix has 2 rows");
  EXPECT_EQ(message_of<invalid_argument>([&] { to_csr(exec, coo_view<double>{2, -2}); }),
            "a matrix of 2 rows and -2 columns: sizes must not be negative");
  const auto twice = to_executor(exec, matrix_of<double>(4, {{{1, 1}, {1, 2}}, {{3, 1}}}));
  EXPECT_EQ(
      message_of<invalid_argument>([&] { to_dia(exec, twice.view()); }),
      "a position of the matrix has several entries, but in diagonals it must have one: add them up first");
  EXPECT_EQ(
      message_of<invalid_argument>([&] { to_bcsr<2, 2>(exec, twice.view()); }),
      "a position of the matrix has several entries, but in blocks it must have one: add them up first");
  EXPECT_EQ(message_of<invalid_argument>([&] { to_dia(exec, twice.view(), 10); }),
            "storing 2 diagonals takes 4 slots, 32 bytes, more than the allowed 10");
  EXPECT_EQ(message_of<invalid_argument>([&] { to_bcsr<2, 2>(exec, twice.view(), 10); }),
            "storing 2 blocks of 2 x 2 takes 8 slots, 64 bytes, more than the allowed 10");
  const auto csc = to_csc(exec, a.view()), other = to_csc(exec, twice.view());
  const rows_of_csc by_rows(exec, csc);
  EXPECT_EQ(message_of<invalid_argument>([&] { by_rows.view(other.view()); }),
            "the rows belong to another matrix: its sizes or arrays differ");
  auto plan = make_plan(exec, merge_path{}, to_coo(exec, twice.view()).view().tiles());
  const auto coo = to_coo(exec, a.view());
  const std::vector<double> x(50), short_x(49);
  std::vector<double> y(3);
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, merge_path{}, coo.view(), short_x, y); }),
            "x has 49 elements, but the matrix has 50 columns");
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, plan, coo.view(), x, y); }),
            "the plan is for 2 tiles, but the matrix has 3");
  const std::vector<int> rows{1, 0}, columns{0, 0};
  const std::vector<double> values{1, 2};
  const coo_view<double> unsorted{3, 50, 2, rows.data(), columns.data(), values.data()};
  EXPECT_EQ(message_of<invalid_argument>([&] { spmv(exec, merge_path{}, unsorted, x, y); }),
            "rows[1] = 0 is less than rows[0] = 1: entries must be sorted by row");
  EXPECT_EQ(message_of<invalid_argument>([&] { rows_of_coo(exec, unsorted); }),
            "rows[1] = 0 is less than rows[0] = 1: entries must be sorted by row");
  const coo_view<double> outside{1, 50, 2, rows.data(), columns.data(), values.data()};
  EXPECT_EQ(message_of<invalid_argument>([&] { rows_of_coo(exec, outside); }),
            "rows[0] = 1: must be from 0 to 0, because there are 1 rows");
  EXPECT_EQ(message_of<invalid_argument>([&] { rows_of_coo(exec, coo_view<double>{2, 2, 3}); }),
            "a matrix of 3 entries, whose rows are null");
  const rows_of_coo rows_of_a(exec, coo);
  const auto elsewhere = to_coo(exec, a.view());
  auto fewer = coo.view();
  fewer.entries -= 1;
  for (const auto& wrong : {fewer, unsorted, elsewhere.view()})
    EXPECT_EQ(message_of<invalid_argument>([&] { rows_of_a.view(wrong); }),
              "the rows belong to another matrix: its sizes or arrays differ");
}

TEST(Formats, RefuseToBeWrittenOver) {
  const cpu exec;
  const auto a = to_executor(exec, row_of_every_third_column());
  const auto coo = to_coo(exec, a.view());
  expect_apart(coo.view(), {{"row_of", coo.row_of.data(), 300},
                            {"columns", coo.columns.data(), 300},
                            {"values", coo.values.data(), 300}});
  const auto csc = to_csc(exec, a.view());
  const rows_of_csc by_rows(exec, csc);
  const auto rows = by_rows.view(csc.view());
  expect_apart(rows, {{"offsets", rows.offsets, 2},
                      {"columns", rows.columns, 300},
                      {"place", rows.place, 300},
                      {"values", rows.values, 300}});
  const auto ell = to_ell(exec, a.view());
  expect_apart(ell.view(), {{"lengths", ell.lengths.data(), 1},
                            {"columns", ell.columns.data(), 300},
                            {"values", ell.values.data(), 300}});
  const auto blocks = to_bcsr<2, 3>(exec, a.view());
  expect_apart(blocks.view(), {{"offsets", blocks.offsets.data(), 2},
                               {"columns", blocks.columns.data(), 300},
                               {"values", blocks.values.data(), 1800}});
  const auto dia = to_dia(exec, a.view());
  expect_apart(dia.view(), {{"diagonals", dia.there.data(), 300}, {"values", dia.values.data(), 300}});
}

TEST(Formats, RefuseThePlanOfAnotherMatrix) {
  const cpu exec;
  const auto a = to_executor(exec, tidy(with_sizes<double>({3, 0, 4, 1, 7}, 9, numbers::whole, 1)));
  const auto refused = [](const auto& one, const auto& other) {
    expect_plan_refused(one.view(), other.view());
  };
  refused(to_coo(exec, a.view()), to_coo(exec, a.view()));
  refused(to_ell(exec, a.view()), to_ell(exec, a.view()));
  refused(to_bcsr<2, 3>(exec, a.view()), to_bcsr<2, 3>(exec, a.view()));
  refused(to_dia(exec, a.view()), to_dia(exec, a.view()));
  const auto csc = to_csc(exec, a.view());
  const rows_of_csc one(exec, csc), other(exec, csc);
  expect_plan_refused(one.view(csc.view()), other.view(csc.view()));
}

/// Of full rows, which need no lengths.
TEST(Formats, TakeAPlanOfOtherTilesThatAreTheSame) {
  const cpu exec(2);
  const auto a = full<double>(50, 9, 4);
  const auto ell = to_ell(exec, to_executor(exec, a).view());
  auto plan = make_plan(exec, merge_path{}, ell_tiles(ell.layout));
  expect_product_with(exec, plan, ell.view(), a, "uniform rows");
}

} // namespace
} // namespace evenly::products
