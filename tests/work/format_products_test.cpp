// SPDX-License-Identifier: Apache-2.0
// Products of formats (format_products.hpp) on the CPU and on the simulated GPU, under schedules that have every form
// of sharing: of formats whose tiles are found in a way of their own.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"
#include "work/format_products.hpp"

namespace evenly::laws {
namespace {

template <class Executor> void expect_products_of_coo_and_dia(const Executor& exec) {
  for_each_form_on<Executor>([&](const char* name, const auto& schedule) {
    expect_coo_row_products(exec, name, schedule);
    expect_dia_products(exec, name, schedule);
  });
}

TEST(FormatProducts, OfCooAndDiaOnCpu) { expect_products_of_coo_and_dia(cpu(3)); }
TEST(FormatProducts, OfCooAndDiaOnSimt) { expect_products_of_coo_and_dia(simt()); }

/// Where the tile of an atom is looked for in other ways still.
TEST(FormatProducts, OfCooUnderOtherSearches) {
  const simt exec;
  expect_coo_row_products(exec, "direct_search", direct_search<>{});
  expect_coo_row_products(exec, "multi_phase", multi_phase<>{});
  expect_coo_row_products(exec, "merge_path of one run", once<merge_path<>>{});
}

TEST(FormatProducts, OfOtherEntriesUnderOnePlan) {
  const cpu exec(2);
  const std::vector<int> first = {0, 0, 2}, second = {1, 3, 3, 3};
  auto plan = make_plan(exec, merge_path{}, coo_row_tiles(first, 3), {4, 4});
  const auto lengths = [&] {
    std::vector<float> y(4, -1);
    reduce_tiles(exec, plan, [](int) { return 1.0f; }, plus<float>{}, stores{y.data()});
    return y;
  };
  EXPECT_EQ(lengths(), (std::vector<float>{2, 0, 1, -1}));
  plan.rebind(coo_row_tiles(second, 4));
  EXPECT_EQ(lengths(), (std::vector<float>{0, 1, 0, 3}));
  EXPECT_THROW(plan.rebind(coo_row_tiles(second, 5)), invalid_argument);
}

/// How many atoms each of `tiles` tiles has, by a sum.
template <class Work> std::vector<float> lengths_of(const Work& work, int tiles) {
  return sums(simt(), merge_path{}, work, [](std::int64_t) { return 1.0f; }, tiles);
}

TEST(FormatProducts, Of64Bits) {
  using wide = std::int64_t;
  const std::vector<wide> rows = {0, 0, 2, 3}, diagonals = {-3, -1, 0, 2};
  EXPECT_EQ(lengths_of(coo_row_tiles(rows, 4), 4), (std::vector<float>{2, 0, 1, 1}));
  EXPECT_EQ(lengths_of(coo_entry_tiles(wide{3}), 3), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(lengths_of(dia_tiles<wide>(5, 3, diagonals), 5), (std::vector<float>{2, 2, 2, 2, 1}));
  const std::vector<wide> lengths = {3, 0, 1};
  const auto layout = ell_by_columns<wide>(wide{3}, 3);
  EXPECT_EQ(lengths_of(ell_tiles_by_length(layout, lengths), 3), (std::vector<float>{3, 0, 1}));
}

} // namespace
} // namespace evenly::laws
