// SPDX-License-Identifier: Apache-2.0
// On cpu, `automatic` among all schedules leaves no thread with one tile that is more than its part.
#include "runtime/choose_of_all.hpp"

#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/work/csr.hpp"
#include "runtime/cpu_mappings.hpp"

namespace evenly::detail {
namespace {

constexpr work_kind all_work[] = {work_kind::sums, work_kind::gathered_sums, work_kind::wide_sums,
                                  work_kind::prefixes, work_kind::visits};

tile_summary summary_of(const std::vector<int>& sizes) {
  std::vector<int> offsets{0};
  for (const int size : sizes) offsets.push_back(offsets.back() + size);
  return summarize_tiles(cpu(), csr_tiles(std::span<const int>(offsets)));
}

std::vector<int> one_dense_row(int rows, int longest) {
  std::vector<int> sizes(static_cast<std::size_t>(rows), 1);
  sizes[sizes.size() / 2] = longest;
  return sizes;
}

std::vector<int> power_law(int rows) {
  std::vector<int> sizes;
  for (int row = 1; row <= rows; ++row) sizes.push_back(1 + rows / row / 4);
  return sizes;
}

TEST(ChooseOfAll, CutsAnOversizedTileOnCores) {
  for (const int rows : {1000, 300'000, 1'000'000})
    for (const int longest : {500'000, 4'000'000})
      for (const work_kind work : all_work)
        for (const int threads : {2, 8, 64}) {
          const tile_summary of = summary_of(one_dense_row(rows, longest));
          if (of.longest <= of.atoms / threads) continue;
          const automatic_choice chosen = choose_of_all(threads, of, work, 100);
          EXPECT_TRUE(cuts_evenly_on_cpu(chosen.name)) << chosen.why;
        }
}

TEST(ChooseOfAll, LeavesOtherShapesToTheModel) {
  for (const std::vector<int>& sizes : {std::vector<int>(200'000, 8), power_law(100'000)})
    for (const work_kind work : all_work) {
      const tile_summary of = summary_of(sizes);
      ASSERT_LE(of.longest, of.atoms / 8);
      EXPECT_EQ(choose_of_all(8, of, work, 100).name, choose_of_all(1, of, work, 100).name);
    }
}

TEST(CutsEvenly, ByNameOnCores) {
  for (const char* name :
       {"direct_search", "merge_path", "nonzero_split", "streamed", "two_phase", "multi_phase"})
    EXPECT_TRUE(cuts_evenly_on_cpu(name)) << name;
  for (const char* name : {"thread_mapped", "block_mapped", "dynamic_group_per_tile", "binned", "none"})
    EXPECT_FALSE(cuts_evenly_on_cpu(name)) << name;
}

} // namespace
} // namespace evenly::detail
