// SPDX-License-Identifier: Apache-2.0
// Lanes are counted, not timed: the same everywhere, on a sample where the input is large.
#include "measure/lane_counts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace evenly::cli {

using measure::count_lanes, measure::lane_counts, measure::make_simt_bench, measure::number_type,
    measure::operation, measure::sample_of, measure::schedules_to_count, measure::table_of;

namespace {

csr_matrix<double> matrix_of(const std::vector<int>& sizes) {
  csr_matrix<double> made{.rows = 0, .cols = 100, .offsets = {0}, .columns = {}, .values = {}};
  for (const int size : sizes) {
    for (int k = 0; k < size; ++k) {
      made.columns.push_back(k % 100);
      made.values.push_back(1);
    }
    made.offsets.push_back(made.offsets.back() + size);
    ++made.rows;
  }
  return made;
}

/// Mostly short, and a long one now and then.
std::vector<int> unequal(int tiles) {
  std::vector<int> sizes(static_cast<std::size_t>(tiles), 4);
  for (std::size_t t = 7; t < sizes.size(); t += 100) sizes[t] = 900;
  return sizes;
}

lane_counts counted(const csr_matrix<double>& matrix, operation op = operation::spmv, double seconds = 1e9) {
  return count_lanes(matrix, op, number_type::single_precision, schedules_to_count(), {}, make_simt_bench,
                     seconds);
}

TEST(LaneCounts, ShowWhatBalanceIs) {
  const lane_counts found = counted(matrix_of(unequal(1000)));
  ASSERT_EQ(found.schedules.size(), 3U);
  EXPECT_EQ(found.failures(), 0);
  EXPECT_FALSE(found.is_sample);
  EXPECT_EQ(found.schedules[0].name, "thread_mapped");
  EXPECT_LT(found.schedules[0].lanes_busy(), 0.1);
  EXPECT_EQ(found.schedules[1].name, "merge_path");
  EXPECT_GT(found.schedules[1].lanes_busy(), 0.8);
  for (const operation op : {operation::expand, operation::update})
    EXPECT_EQ(counted(matrix_of({5, 0, 3}), op).failures(), 0);
}

TEST(LaneCounts, AreASampleOfLargeInputs) {
  const auto large = matrix_of(unequal(50'000));
  const csr_matrix<double> sample = sample_of(large, 100'000);
  EXPECT_LT(sample.rows + sample.atoms(), 120'000);
  EXPECT_GT(sample.rows + sample.atoms(), 80'000);
  const lane_counts found = counted(large);
  EXPECT_TRUE(found.is_sample);
  EXPECT_EQ(found.failures(), 0);
  EXPECT_NEAR(found.schedules[0].lanes_busy(), counted(matrix_of(unequal(1000))).schedules[0].lanes_busy(),
              0.02);
}

TEST(LaneCounts, KeepTheShareOfAGiant) {
  std::vector<int> sizes(100'000, 5);
  sizes[77] = 400'000;
  const csr_matrix<double> sample = sample_of(matrix_of(sizes), 100'000);
  const int longest = [&] {
    int max = 0;
    for (int r = 0; r < sample.rows; ++r)
      max = std::max(max, sample.offsets[static_cast<std::size_t>(r) + 1] -
                              sample.offsets[static_cast<std::size_t>(r)]);
    return max;
  }();
  EXPECT_NEAR(static_cast<double>(longest) / sample.atoms(), 400'000.0 / 899'995, 0.05);
  EXPECT_LT(sample.rows + sample.atoms(), 120'000);
}

TEST(LaneCounts, OfASmallMatrixAreOfAllOfIt) {
  const auto small = matrix_of(unequal(200));
  const csr_matrix<double> sample = sample_of(small, small.rows + small.atoms());
  EXPECT_EQ(sample.offsets, small.offsets);
  EXPECT_EQ(sample.columns, small.columns);
}

TEST(LaneCounts, LeaveOutWhatTakesTooLong) {
  const lane_counts found = counted(matrix_of(unequal(1000)), operation::spmv, 0);
  EXPECT_TRUE(found.schedules.empty());
  EXPECT_EQ(found.left_out, (std::vector<std::string>{"thread_mapped", "merge_path", "group_per_tile<8>"}));
  EXPECT_NE(table_of(found).find("not counted, to save time: thread_mapped, "), std::string::npos);
}

TEST(LaneCounts, AreALineAndABarEach) {
  const std::string text = table_of(counted(matrix_of(unequal(1000))));
  EXPECT_LT(text.find("  thread_mapped "), text.find("  merge_path "));
  EXPECT_NE(text.find("%  ##"), std::string::npos) << text;
  EXPECT_EQ(text.find("sample"), std::string::npos);
}

TEST(LaneCounts, OfNoWorkAreThere) { EXPECT_EQ(counted(matrix_of({})).failures(), 0); }

} // namespace
} // namespace evenly::cli
