// SPDX-License-Identifier: Apache-2.0
// Calls that plan and run, on a GPU: blocks that search where they begin, or a partition. schedules/planning_laws.hpp.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/schedules/two_phase.hpp"
#include "schedules/planning_laws.hpp"

namespace evenly::laws {
namespace {

const cuda_of_tuned_size& tuned() {
  static const cuda_of_tuned_size exec{cuda()};
  return exec;
}

TEST(OneCallOnCuda, PlansAndRuns) {
  expect_one_call(tuned(), merge_path{}, adversarial_tile_sets(items_of_a_block(merge_path{})), "merge_path");
  expect_one_call(tuned(), nonzero_split{}, adversarial_tile_sets(items_of_a_block(nonzero_split{})),
                  "nonzero_split");
  expect_one_call(tuned(), two_phase{}, adversarial_tile_sets(items_of_a_block(two_phase{})), "two_phase");
  expect_one_call(tuned(), thread_mapped{}, adversarial_tile_sets(300), "thread_mapped");
}

TEST(OneCallOnCuda, OfManyBlocksHasAPartition) {
  const std::int64_t chunk = items_of_a_block(merge_path{});
  const std::vector sets{tile_sizes().add((max_searched_blocks + 5) * chunk).add(3).named("a giant"),
                         random_runs(30'000, chunk / 4, 3)};
  expect_one_call(tuned(), merge_path{}, sets, "merge_path");
  expect_one_call(tuned(), nonzero_split{}, sets, "nonzero_split");
}

TEST(ReducedOneCall, PlansAndRuns) {
  expect_one_call(tuned(), merge_path{}, {random_runs(60, 128 * 13, 1), tile_sizes().named("no tiles")},
                  "merge_path");
}

} // namespace
} // namespace evenly::laws
