// SPDX-License-Identifier: Apache-2.0
// Sparse times dense on cpu, and refusals.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "sparse/spmm_laws.hpp"
#include "support/messages.hpp"
#include "support/schedules.hpp"

namespace evenly::products {
namespace {

TEST(Spmm, HasTheEntriesOfASlowProduct) {
  for_each_form<float>(numbers::whole, [](const char* name, const auto& a) {
    expect_in_all_layouts(cpu(2), merge_path{}, a, {1, 3, 8, 32, 100, 128, 512}, numbers::whole, name);
  });
  for_each_form<double>(numbers::real, [](const char* name, const auto& a) {
    expect_in_all_layouts(cpu(3), merge_path{}, a, {1, 3, 8, 32, 100, 128, 512}, numbers::real, name);
  });
}

TEST(Spmm, HasThemUnderEveryFormOfSharing) {
  for_each_form_on<cpu>([](const std::string& schedule_name, const auto& schedule) {
    for_each_form<double>(numbers::real, [&](const std::string& name, const auto& a) {
      expect_in_all_layouts(cpu(2), schedule, a, {3, 8, 40}, numbers::real, schedule_name + ", " + name);
    });
  });
}

/// A core's block has 4096 steps: blocks begin and end in giants, one of which spans several.
TEST(Spmm, JoinsRowsThatBlocksShareUnderEverySchedule) {
  std::vector<int> sizes{3, 0, 30'000, 0, 0, 7, 5000, 1, 6000};
  for (int r = 0; r < 5000; ++r) sizes.push_back(r % 3);
  const auto a = with_sizes<float>(sizes, 60, numbers::whole, 4);
  for_each_kind_on<cpu>([&](const std::string& name, const auto& schedule) {
    expect_in_all_layouts(cpu(3), schedule, a, {1, 8, 67}, numbers::whole, name);
  });
}

TEST(Spmm, TakesOffsetsOf64Bits) { expect_wide_offsets<double>(cpu(2), merge_path{}); }

/// B by columns stays where it is. A row that blocks share is among them.
TEST(Spmm, ReadsColumnsWhereNeighboursAreAskedFor) {
  random_values<double> next(numbers::whole, 3);
  row_lists<double> band;
  for (int r = 0; r < 4000; ++r) {
    band.emplace_back();
    for (int k = 0; k < (r % 9 == 4 ? 0 : r == 2000 ? 9000 : 4); ++k)
      band.back().emplace_back((r + 1000 * (k % 3) + k % 2) % 4000, next());
  }
  const auto a = matrix_of(4000, band);
  const int atoms = a.atoms();
  EXPECT_TRUE(detail::asks_for_neighbours<double>(a.columns.data(), 0, atoms));
  EXPECT_FALSE(detail::asks_for_neighbours<double>(a.columns.data(), 0, 1000))
      << "too few to be worth a look";
  const auto scattered = with_sizes<double>(std::vector<int>(4000, 4), 100'000, numbers::whole, 6);
  EXPECT_FALSE(detail::asks_for_neighbours<double>(scattered.columns.data(), 0, scattered.atoms()));
  for_each_kind_on<cpu>([&](const std::string& name, const auto& schedule) {
    expect_in_all_layouts(cpu(3), schedule, a, {2, 8, 19}, numbers::whole, name);
  });
  expect_same_bits_again(cpu(3), merge_path{}, a, 11, "a band");
}

TEST(Spmm, KeepsItsIdentities) {
  expect_identities_of_spmm<float>(cpu(2), merge_path{}, "float");
  for_each_form_on<cpu>([](const std::string& name, const auto& schedule) {
    expect_identities_of_spmm<double>(cpu(2), schedule, name);
  });
}

TEST(Spmm, PropagatesWhatIsNotANumber) {
  expect_not_numbers<float>(cpu(), merge_path{});
  for_each_form_on<cpu>(
      [](const std::string&, const auto& schedule) { expect_not_numbers<double>(cpu(), schedule); });
}

TEST(Spmm, HasTheSameBitsAgain) {
  std::vector<int> sizes;
  for (int r = 0; r < 900; ++r) sizes.push_back(r == 300 ? 9000 : r % 11);
  const auto a = with_sizes<double>(sizes, 500, numbers::real, 2);
  for_each_form_on<cpu>([&](const std::string& name, const auto& schedule) {
    for (const int width : {1, 8, 33}) expect_same_bits_again(cpu(3), schedule, a, width, name);
  });
}

TEST(Spmm, MultipliesPartsOfOneArray) {
  // B is the left half of each row, and C the right one.
  const auto a = with_sizes<double>({2, 0, 1, 3}, 4, numbers::whole, 1);
  std::vector<double> memory(4 * 6, 1);
  const dense_view<double> all = dense_rows(4, 6, memory.data());
  spmm(cpu(), merge_path{}, a.view(), all.columns(0, 3), all.columns(3, 3));
  for (int r = 0; r < 4; ++r) {
    double sum = 0;
    for (int k = a.offsets[r]; k < a.offsets[r + 1]; ++k) sum += a.values[k];
    for (int j = 0; j < 6; ++j) EXPECT_EQ(memory[static_cast<std::size_t>(r * 6 + j)], j < 3 ? 1 : sum);
  }
}

/// What spmm says of views of an A of 4 x 3.
std::string refusal(const dense_view<const double>& b, const dense_view<double>& c) {
  static const auto a = with_sizes<double>({2, 0, 1, 3}, 3, numbers::whole, 1);
  return message_of<invalid_argument>([&] { spmm(cpu(), merge_path{}, a.view(), b, c); });
}

TEST(Spmm, RefusesSizesThatDoNotFit) {
  std::array<double, 40> b{}, c{};
  const auto fit = dense_rows(4, 2, c.data());
  EXPECT_EQ(refusal(dense_rows(4, 2, b.data()), fit),
            "A has 3 columns and B has 4 rows: the numbers must be equal");
  EXPECT_EQ(refusal(dense_rows(3, 2, b.data()), dense_rows(5, 2, c.data())),
            "A has 4 rows and C has 5 rows: the numbers must be equal");
  EXPECT_EQ(refusal(dense_rows(3, 2, b.data()), dense_columns(4, 3, c.data())),
            "B has 2 columns and C has 3 columns: the numbers must be equal");
  EXPECT_EQ(refusal({3, -2, b.data(), 2}, fit), "B has 3 rows and -2 columns: sizes must not be negative");
  EXPECT_EQ(refusal({3, 2, b.data(), 1}, fit), "B has rows of 2 elements, 1 apart: they must not overlap");
  EXPECT_EQ(refusal(dense_rows(3, 2, b.data()), {4, 2, c.data(), 3, dense_layout::columns}),
            "C has columns of 4 elements, 3 apart: they must not overlap");
  EXPECT_EQ(refusal(dense_rows<double>(3, 2, nullptr), fit), "B is null, but must have 6 elements");
  EXPECT_EQ(refusal(dense_rows(3, 2, b.data()), dense_rows<double>(4, 2, nullptr)),
            "C is null, but must have 8 elements");
}

TEST(Spmm, RefusesAProductThatOverlapsWhatItReads) {
  std::array<double, 64> memory{};
  const auto b = dense_rows(3, 2, memory.data());
  EXPECT_EQ(refusal(b, dense_rows(4, 2, memory.data() + 4)),
            "C begins 32 bytes after the start of B and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal(b, dense_columns(4, 2, memory.data())),
            "C begins 0 bytes after the start of B and overlaps it: they must be disjoint");
  const auto all = dense_rows(4, 8, memory.data());
  const auto left = [&](int rows, int first, int count) {
    auto part = all.columns(first, count);
    part.rows = rows;
    return part;
  };
  EXPECT_EQ(refusal(left(3, 0, 4), left(4, 3, 4)),
            "C begins 24 bytes after the start of B and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal(left(3, 4, 4), left(4, 1, 4)),
            "C begins 24 bytes before the start of B and overlaps it: they must be disjoint");
  const auto a = with_sizes<double>({1, 1}, 2, numbers::whole, 1);
  const auto said_of_c_at = [&](const void* array) {
    auto* const data = static_cast<double*>(const_cast<void*>(array));
    return message_of<invalid_argument>([&] {
      spmm(cpu(), merge_path{}, a.view(), dense_rows(2, 1, memory.data()), dense_rows(2, 1, data));
    });
  };
  const std::string overlap = " and overlaps it: they must be disjoint";
  EXPECT_EQ(said_of_c_at(a.offsets.data()), "C begins 0 bytes after the start of offsets" + overlap);
  EXPECT_EQ(said_of_c_at(a.columns.data()), "C begins 0 bytes after the start of columns" + overlap);
  EXPECT_EQ(said_of_c_at(a.values.data()), "C begins 0 bytes after the start of values" + overlap);
}

TEST(Spmm, RefusesThePlanOfAnotherMatrix) {
  const auto a = with_sizes<double>({1, 2}, 2, numbers::whole, 1), other = a;
  std::array<double, 2> b{}, c{};
  const cpu exec;
  auto plan = make_plan(exec, merge_path{}, rows_of(other.view()));
  EXPECT_EQ(
      message_of<invalid_argument>(
          [&] { spmm(exec, plan, a.view(), dense_rows(2, 1, b.data()), dense_rows(2, 1, c.data())); }),
      "the plan is for another matrix of 2 rows: a plan supports only the offsets that it was made for");
}

} // namespace
} // namespace evenly::products
