// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide on the simulated GPU, where races on storage are seen: its laws under every schedule.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "algorithms/reduce_wide_laws.hpp"
#include "evenly/execution/simt.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

struct shape_and_seed {
  int block_size;
  int warp_size;
  std::uint64_t seed;
};
/// Whole warps, a partial one, teams that are wide because warps are narrow, one thread, and warps of 64.
constexpr shape_and_seed shapes[] = {{64, 32, 1}, {100, 32, 2}, {24, 4, 3}, {1, 32, 0}, {64, 64, 4}};

void expect_rows_in(const shape_and_seed& each, std::size_t salt, const std::string& name,
                    const auto& schedule) {
  const simt exec({.warp_size = each.warp_size, .seed = each.seed});
  expect_rows_of_all<short_maps, false>(exec, schedule, each.block_size, salt,
                                        name + ", warps of " + std::to_string(each.warp_size));
}

TEST(ReduceTilesWideOnSimt, HoldsUnderEverySchedule) {
  std::size_t salt = 0;
  for_each_schedule_on<simt>([&](const std::string& name, const auto& schedule) {
    expect_rows_in(shapes[salt % std::size(shapes)], salt, name, schedule);
    ++salt;
  });
}

TEST(ReduceTilesWideOnSimt, HoldsForBlocksAndWarpsOfAnySize) {
  std::size_t salt = 0; // three of the shapes for each
  for_each_form_on<simt>([&](const std::string& name, const auto& schedule) {
    for (int i = 0; i < 3; ++i, ++salt) {
      const shape_and_seed& each = shapes[salt % std::size(shapes)];
      if (!sanitized || each.block_size < 64) expect_rows_in(each, salt, name, schedule);
    }
  });
}

/// What storage cannot have is not asked for: a pair is not trivially copyable.
struct scaled_row {
  const int* columns;
  const float* values;
  const float* dense;
  EVENLY_FN float operator()(int a, int column) const { return values[a] * dense[columns[a] * 4 + column]; }
  EVENLY_FN row_pack<float> pack(int a, int column) const {
    return values_in(fetch(a), load(fetch(a), column));
  }
  EVENLY_FN std::pair<int, float> fetch(int a) const { return {columns[a], values[a]}; }
  EVENLY_FN row_pack<float> load(const std::pair<int, float>& of, int column) const {
    return load_pack(dense + of.first * 4 + column);
  }
  EVENLY_FN row_pack<float> values_in(const std::pair<int, float>& of, row_pack<float> row) const {
    for (float& x : row.of) x *= of.second;
    return row;
  }
};

TEST(ReduceTilesWideOnSimt, TakesMapsWhoseFetchedDataCannotBeStaged) {
  const std::vector<int> offsets{0, 2, 2, 3}, columns{1, 0, 1};
  const std::vector<float> values{2, 3, 5};
  alignas(16) const float dense[8] = {1, 2, 3, 4, 10, 20, 30, 40};
  std::vector<float> rows(12, -1);
  reduce_tiles_wide(simt(), merge_path{}, csr_tiles(offsets), 4,
                    scaled_row{columns.data(), values.data(), dense}, plus<float>{},
                    [to = rows.data()](int t, int column, float x) { to[t * 4 + column] = x; });
  EXPECT_EQ(rows, (std::vector<float>{23, 46, 69, 92, 0, 0, 0, 0, 50, 100, 150, 200}));
}

} // namespace
} // namespace evenly::laws
