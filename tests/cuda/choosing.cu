// SPDX-License-Identifier: Apache-2.0
// Summaries of tile sets, and plans whose schedule is chosen, on a GPU. schedules/choosing.hpp.
#include "schedules/choosing.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/algorithms/expand.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/choice/measured_choice.hpp"

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

TEST(AutomaticOnCuda, GivesWhatOthersGiveAndChoosesAsSimtDoes) {
  for (const named_tiles& set :
       {random_runs(300'000, 40, 5), random_runs(200, 3'000, 6), tile_sizes().named("no tiles")}) {
    const std::vector<int> on_host(set.offsets.begin(), set.offsets.end());
    const auto offsets = to_executor(cuda(), on_host);
    const auto tiles = csr_tiles(offsets.span());
    for (const work_kind work : {work_kind::sums, work_kind::visits}) {
      auto plan = make_plan(cuda(), automatic{.work = work}, tiles);
      EXPECT_EQ(plan.explain(), make_plan(simt{}, automatic{.work = work}, csr_tiles(on_host)).explain());
      const auto tile_of =
          make_buffer<int>(cuda(), static_cast<std::size_t>(on_host.back() - on_host.front()));
      expand(cuda(), plan, tile_of.span());
      const std::vector<int> found = to_host(cuda(), tile_of);
      for (std::size_t t = 0; t + 1 < on_host.size(); ++t)
        for (int a = on_host[t]; a < on_host[t + 1]; ++a)
          ASSERT_EQ(found[static_cast<std::size_t>(a - on_host.front())], static_cast<int>(t)) << set.name;
    }
  }
}

TEST(AutomaticOnCuda, IsMeasuredOnTheDataItself) {
  const named_tiles set = random_runs(300'000, 40, 5);
  const auto offsets = to_executor(cuda(), std::vector<int>(set.offsets.begin(), set.offsets.end()));
  const auto tiles = csr_tiles(offsets.span());
  const auto tile_of =
      make_buffer<int>(cuda(), static_cast<std::size_t>(set.offsets.back() - set.offsets.front()));
  choice_memory memory;
  const auto body = [&](auto& plan) { expand(cuda(), plan, tile_of.span()); };
  const auto plan =
      make_measured_plan(cuda(), automatic{.work = work_kind::visits}, tiles, body, {.memory = &memory});
  EXPECT_NE(plan.explain().find(": measured, "), std::string::npos);
  EXPECT_EQ(make_measured_plan(cuda(), automatic{.work = work_kind::visits}, tiles, body, {.memory = &memory})
                .explain(),
            plan.explain());
}

TEST(ReducedChoosing, GivesWhatCandidatesGive) {
  expect_summaries<int>(cuda(), {random_runs(3'000, 300, 1), tile_sizes().named("no tiles")});
  expect_chosen_visits(tuned());
}

} // namespace
} // namespace evenly::laws
