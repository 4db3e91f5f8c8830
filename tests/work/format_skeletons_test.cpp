// SPDX-License-Identifier: Apache-2.0
// The laws of tests/laws for rows of coo, whose begin and end are found from their atoms, on the battery's tile sets.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/work/coo.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"

namespace evenly::laws {
namespace {

/// The row of each entry of rows that lie between offsets, which are made to begin at 0.
std::vector<int> rows_between(std::vector<std::int64_t>& offsets) {
  std::vector<int> rows;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t)
    rows.insert(rows.end(), static_cast<std::size_t>(offsets[t + 1] - offsets[t]), static_cast<int>(t));
  const std::int64_t first = offsets.front();
  for (std::int64_t& each : offsets) each -= first;
  return rows;
}

template <class Executor, class Schedule>
void expect_laws(const Executor& exec, const char* name, const Schedule& schedule) {
  for (named_tiles set : adversarial_tile_sets(default_block_size * 7)) {
    const auto rows = to_executor(exec, rows_between(set.offsets));
    const auto tiles = coo_row_tiles(rows, static_cast<std::int64_t>(set.offsets.size()) - 1);
    findings found;
    check_laws<depth::every>(exec, schedule, tiles, set.offsets, found, false);
    for (const violation& each : found.all())
      ADD_FAILURE() << "law " << each.broken << " broken by " << name << ", rows \"" << set.name
                    << "\": " << each.what;
  }
}

TEST(RowsOfCoo, KeepTheLawsOfSkeletonsOnCpu) { expect_laws(cpu(3), "merge_path", merge_path{}); }
TEST(RowsOfCoo, KeepTheLawsOfSkeletonsOnSimt) {
  expect_laws(simt(), "merge_path", merge_path{});
  expect_laws(simt(), "nonzero_split", nonzero_split{});
}

} // namespace
} // namespace evenly::laws
