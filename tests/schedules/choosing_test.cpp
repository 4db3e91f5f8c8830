// SPDX-License-Identifier: Apache-2.0
// Plans with a chosen schedule: the arguments of choosers, messages and refusals. choosing.hpp tests results.
#include "schedules/choosing.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/combined_heuristic.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/sized_tiles.hpp"
#include "evenly/work/uniform.hpp"
#include "support/messages.hpp"

namespace evenly::laws {
namespace {

TEST(Summaries, AreThoseOfLoopsOverTiles) {
  expect_summaries<int>(cpu(3), sets_to_summarize());
  expect_summaries<std::int64_t>(cpu(1), sets_to_summarize());
}

TEST(Summaries, AreTheSameOnWarpsOfAnyWidth) {
  std::vector<named_tiles> sets = sets_to_summarize();
  std::erase_if(sets, [](const named_tiles& set) { return set.offsets.size() > 20'000; });
  for (const int warp : {1, 4, 32, 64}) expect_summaries<int>(simt({.warp_size = warp, .seed = 3}), sets);
}

TEST(Summaries, OfGiantTilesDoNotOverflow) {
  const std::vector<std::int64_t> offsets{0, std::int64_t{1} << 31, std::int64_t{3} << 31,
                                          std::int64_t{3} << 31};
  const tile_summary all = summarize_tiles(cpu(1), csr_tiles(offsets));
  EXPECT_EQ(all.longest, std::int64_t{1} << 32);
  EXPECT_EQ(all.warp_steps, std::int64_t{1} << 32);
  EXPECT_NEAR(all.squares / 0x1p64, 1.25, 1e-9);
}

TEST(ChosenPlans, GiveWhatTheirCandidatesGive) {
  expect_chosen_plans(cpu(2), sets_to_bind(merge_path{}));
  expect_chosen_visits(cpu(2));
  expect_chosen_visits(simt{});
  expect_chosen_plans(simt({.seed = 4}), {random_runs(200, 300, 3), tile_sizes().named("no tiles")});
}

TEST(ChosenPlans, SayWhatWasChosenAndWhy) {
  const std::vector<int> offsets{0, 3, 3, 40};
  const auto plan = make_plan(cpu(1), nth_of_three{1}, csr_tiles(offsets));
  EXPECT_STREQ(plan.schedule_name(), "merge_path");
  EXPECT_EQ(plan.explain(), "3 tiles, 40 atoms, longest 37");
  EXPECT_EQ(plan.atoms(), 40);
  EXPECT_EQ(plan.tiles().tiles(), 3);
  const auto plan_assumed_valid =
      make_plan(cpu(1), nth_of_three{0, false}, assume_valid(csr_tiles(offsets), 40));
  EXPECT_EQ(plan_assumed_valid.explain(), "3 tiles, 40 atoms");
  const auto empty = make_plan(cpu(1), nth_of_three{0}, assume_valid(csr_tiles(std::span(offsets).first(1))));
  EXPECT_EQ(empty.explain(), "0 tiles, 0 atoms");
  // Of tiles that the host can count, sizes are looked at only if they are wanted.
  EXPECT_EQ(make_plan(cpu(1), nth_of_three{2, false}, uniform_tiles(5, 3)).explain(), "5 tiles, 15 atoms");
  EXPECT_EQ(make_plan(cpu(1), nth_of_three{2}, uniform_tiles(5, 3)).explain(),
            "5 tiles, 15 atoms, longest 3");
}

TEST(ChosenPlans, CheckTilesAsOthersDo) {
  for (const std::vector<int>& bad : {std::vector{0, 5, 3, 9}, std::vector{-1, 5, 6}}) {
    const auto message = [&](const auto& schedule) {
      return message_of<invalid_argument>([&] { make_plan(cpu(1), schedule, csr_tiles(bad)); });
    };
    EXPECT_EQ(message(nth_of_three{}), message(merge_path{}));
    const auto simulated = [&](const auto& schedule) {
      return message_of<invalid_argument>([&] { make_plan(simt{}, schedule, csr_tiles(bad)); });
    };
    EXPECT_EQ(simulated(nth_of_three{}), simulated(merge_path{}));
  }
}

TEST(ChosenPlans, RefuseACandidateThatIsNotThere) {
  const std::vector<int> offsets{0, 3};
  EXPECT_EQ(message_of<invalid_argument>([&] { make_plan(cpu(1), nth_of_three{3}, csr_tiles(offsets)); }),
            "a chooser chose the candidate 3 of 3");
}

TEST(ChosenPlans, KeepTheirScheduleWhenBound) {
  const std::vector<int> few{0, 1}, many{0, 9'000, 30'000};
  auto plan = make_plan(cpu(2), combined_heuristic{}, csr_tiles(few), capacity{10, 50'000});
  EXPECT_STREQ(plan.schedule_name(), "thread_mapped");
  plan.rebind(csr_tiles(many));
  EXPECT_STREQ(plan.schedule_name(), "thread_mapped");
  EXPECT_EQ(plan.atoms(), 30'000);
  EXPECT_EQ(plan.max_size(), (capacity{10, 50'000}));
}

TEST(ChosenPlans, AreMadeOfSourcesToo) {
  const std::vector<int> sizes{4, 0, 9}, others{1, 1};
  auto plan = make_plan(cpu(2), nth_of_three{1}, sized_tiles(sizes));
  EXPECT_EQ(plan.explain(), "3 tiles, 13 atoms, longest 9");
  plan.rebind(sized_tiles(others));
  std::vector<int> tile_of(2, -1);
  expand(cpu(2), plan, tile_of);
  EXPECT_EQ(tile_of, (std::vector{0, 1}));
}

TEST(ChosenPlans, RunApplications) {
  const std::vector<int> offsets{0, 2, 2, 5}, columns{0, 2, 0, 1, 2};
  const std::vector<float> values{1, 2, 3, 4, 5}, x{1, 10, 100};
  const csr_view<float, int> a{3, 3, offsets.data(), columns.data(), values.data()};
  const std::vector<float> want{201, 0, 543};
  std::vector<float> y(3, -1), once(3, -1), wide(3, -1), wide_once(3, -1);
  const dense_view<const float> b{3, 1, x.data(), 1};
  for (const std::size_t index : {0, 1, 2}) {
    auto plan = make_plan(cpu(1), nth_of_three{index}, rows_of(a));
    spmv(cpu(1), plan, a, x, y);
    spmv(cpu(1), nth_of_three{index}, a, x, once);
    spmm(cpu(1), plan, a, b, {3, 1, wide.data(), 1});
    spmm(cpu(1), nth_of_three{index}, a, b, {3, 1, wide_once.data(), 1});
    EXPECT_EQ(y, want);
    EXPECT_EQ(once, want);
    EXPECT_EQ(wide, want);
    EXPECT_EQ(wide_once, want);
  }
}

/// Records whether its plan is for one run, and the kind of work.
struct listener : nth_of_three {
  std::optional<work_kind> work;
  std::string* heard = nullptr;

  template <class Executor> choice choose(const Executor& exec, const choice_facts& facts) const {
    *heard +=
        std::to_string(static_cast<int>(work.value_or(work_kind::sums))) + (facts.is_for_one_run ? "!" : ".");
    return nth_of_three::choose(exec, facts);
  }
};

TEST(Choosers, AreToldWhatRuns) {
  std::string heard;
  listener all;
  all.heard = &heard;
  const std::vector<int> offsets{0, 2, 3}, columns{0, 1, 1};
  const std::vector<float> values{1, 2, 3}, x{1, 1};
  std::vector<float> y(2);
  std::vector<int> tile_of(3);
  const csr_view<float, int> a{2, 2, offsets.data(), columns.data(), values.data()};
  spmv(cpu(1), all, a, x, y);
  expand(cpu(1), all, rows_of(a), std::span(tile_of));
  make_plan(cpu(1), all, rows_of(a));
  all.work = work_kind::prefixes;
  spmv(cpu(1), all, a, x, y); // a chooser with its own work keeps it
  EXPECT_EQ(heard, "1!4!0.3!");
}

/// A chooser that ranks its candidates, and refuses to explain a choice.
struct ranks_only : nth_of_three {
  template <class Executor> std::vector<std::size_t> rank(const Executor&, const choice_facts& facts) const {
    EXPECT_TRUE(facts.is_for_one_run);
    return {2, 0, 1};
  }
  template <class Executor> choice choose(const Executor&, const choice_facts&) const {
    throw invalid_argument("this chooser explains nothing");
  }
};

TEST(Choosers, ExplainNothingForOneRun) {
  const std::vector<int> offsets{0, 2, 2, 3};
  const auto tiles = csr_tiles(offsets);
  std::vector<int> tile_of(3);
  expand(cpu(1), ranks_only{}, tiles, tile_of);
  EXPECT_EQ(tile_of, (std::vector<int>{0, 0, 2}));
  EXPECT_THROW(make_plan(cpu(1), ranks_only{}, tiles), invalid_argument);
}

std::string why(const combined_heuristic& rule, std::int64_t tiles, std::int64_t atoms) {
  choice_facts facts;
  facts.tiles.tiles = tiles;
  facts.tiles.atoms = atoms;
  return rule.choose(cpu(1), facts).why;
}

TEST(CombinedHeuristic, GoesByAtomsAlone) {
  EXPECT_EQ(why({}, 5'000, 9'999), "thread_mapped: 9999 < 10000 atoms, fewer than 64 a tile");
  EXPECT_EQ(why({}, 100, 9'999), "group_mapped<32>: 9999 < 10000 atoms, 64 or more a tile");
  EXPECT_EQ(why({.columns = 20}, 10, 10'000), "merge_path: 10000 >= 10000 atoms");
}

TEST(CombinedHeuristic, ReadsItsSentenceBothWays) {
  const combined_heuristic fits{.alpha = 500};
  EXPECT_EQ(why(fits, 499, 9'999),
            "thread_mapped: 499 < 500 tiles, 9999 < 10000 atoms, fewer than 64 a tile");
  EXPECT_EQ(why(fits, 100, 9'999),
            "group_mapped<32>: 100 < 500 tiles, 9999 < 10000 atoms, 64 or more a tile");
  EXPECT_EQ(why(fits, 500, 9'999), "merge_path: 500 >= 500 tiles, 9999 < 10000 atoms");
  EXPECT_EQ(why(fits, 499, 10'000), "merge_path: 499 < 500 tiles, 10000 >= 10000 atoms");
  combined_heuristic rule{.alpha = 500, .columns = 20};
  EXPECT_EQ(why(rule, 5'000, 9'000),
            "thread_mapped: 5000 >= 500 tiles, 20 < 500 columns, 9000 < 10000 atoms, fewer than 64 a tile");
  rule.of = combined_heuristic::reading::both;
  EXPECT_EQ(why(rule, 5'000, 9'000), "merge_path: 5000 >= 500 tiles, 20 < 500 columns, 9000 < 10000 atoms");
  EXPECT_EQ(why(rule, 50, 90),
            "thread_mapped: 50 < 500 tiles, 20 < 500 columns, 90 < 10000 atoms, fewer than 64 a tile");
  EXPECT_EQ(why({.alpha = 500, .of = combined_heuristic::reading::both}, 50, 90),
            "merge_path: 50 < 500 tiles, 90 < 10000 atoms"); // how many columns is not known
}

} // namespace
} // namespace evenly::laws
