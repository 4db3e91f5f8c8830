// SPDX-License-Identifier: Apache-2.0
// Summaries of tile sets, and plans whose schedule is chosen, on a GPU. schedules/choosing.hpp.
#include "schedules/choosing.hpp"

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"

namespace evenly::laws {
namespace {

const cuda_of_tuned_size& tuned() {
  static const cuda_of_tuned_size exec{cuda()};
  return exec;
}

TEST(SummariesOnCuda, AreThoseOfLoopsOverTiles) {
  std::vector<named_tiles> sets = sets_to_summarize();
  sets.push_back(random_runs(3'000'000, 40, 7));
  expect_summaries<int>(cuda(), sets);
}

TEST(ChosenPlansOnCuda, GiveWhatTheirCandidatesGive) {
  expect_chosen_plans(tuned(), sets_to_bind(merge_path{}));
  expect_chosen_visits(tuned());
}

TEST(ReducedChoosing, GivesWhatCandidatesGive) {
  expect_summaries<int>(cuda(), {random_runs(3'000, 300, 1), tile_sizes().named("no tiles")});
  expect_chosen_visits(tuned());
}

} // namespace
} // namespace evenly::laws
