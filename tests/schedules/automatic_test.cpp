// SPDX-License-Identifier: Apache-2.0
// automatic: it never makes a result wrong, chooses the same for the same input, sees what anybody would see, and says
// why. How well it chooses is measured, not tested (docs/choosing.md).
#include "evenly/schedules/automatic.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/choice/measured_choice.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/uniform.hpp"
#include "schedules/choosing.hpp"
#include "support/messages.hpp"

namespace evenly::laws {
namespace {

constexpr work_kind all_works[] = {work_kind::sums, work_kind::gathered_sums, work_kind::wide_sums,
                                   work_kind::prefixes, work_kind::visits};

/// As if the tiles had been looked at.
choice_facts facts_of(const std::vector<int>& offsets) {
  return {
      .tiles = summarize_tiles(cpu(1), csr_tiles(offsets)), .is_summarized = true, .is_for_one_run = false};
}

std::vector<int> offsets_of(const std::vector<int>& sizes) {
  std::vector<int> offsets{0};
  for (const int size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

template <class Executor>
std::string name_of_choice(const Executor& exec, const automatic& of, const choice_facts& facts) {
  const std::string why = of.choose(exec, facts).why;
  return why.substr(0, why.find(':'));
}

TEST(Automatic, GivesWhatItsCandidatesGive) {
  for (const named_tiles& set : sets_to_bind(merge_path{})) {
    SCOPED_TRACE(set.name);
    const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
    const auto tiles = csr_tiles(offsets);
    std::vector<int> wanted(static_cast<std::size_t>(tiles.tiles()));
    for (std::size_t t = 0; t < wanted.size(); ++t)
      for (int a = offsets[t]; a < offsets[t + 1]; ++a) wanted[t] += a % 17;
    const auto check = [&](const auto& exec) {
      for (const work_kind work : all_works) {
        std::vector<int> sums(wanted.size(), -1);
        auto plan = make_plan(exec, automatic{.work = work}, tiles);
        int* const to = sums.data();
        reduce_tiles(
            exec, plan, [](int a) { return a % 17; }, plus<int>{}, [to](int t, int sum) { to[t] = sum; });
        EXPECT_EQ(sums, wanted) << plan.explain();
        EXPECT_EQ(plan.explain().rfind(std::string(plan.schedule_name()) + ": ", 0), 0u) << plan.explain();
      }
    };
    check(cpu(2));
    if (offsets.back() < 20'000) check(simt({.seed = 2}));
  }
}

TEST(Automatic, SeesWhatAnybodyWouldSee) {
  const simt gpu;
  const automatic sums{.work = work_kind::gathered_sums};
  // One tile has nearly all: no thread, group or block may have it alone.
  std::vector<int> one(1'000'000, 1);
  one[7] = 30'000'000;
  const std::string cut = name_of_choice(gpu, sums, facts_of(offsets_of(one)));
  EXPECT_TRUE(std::set<std::string>({"merge_path", "streamed", "two_phase", "nonzero_split", "multi_phase"})
                  .count(cut))
      << cut;
  // Tiles of two atoms: one thread per tile is enough.
  const std::vector<int> short_ones = offsets_of(std::vector<int>(3'000'000, 2));
  EXPECT_EQ(name_of_choice(gpu, sums, facts_of(short_ones)), "thread_mapped");
  // Five hundred everywhere: a thread for each would leave most of a warp's loads apart.
  const std::vector<int> long_ones = offsets_of(std::vector<int>(40'000, 500));
  EXPECT_NE(name_of_choice(gpu, sums, facts_of(long_ones)), "thread_mapped");
}

TEST(Automatic, CutsAnOversizedTileOnCores) {
  for (const int rows : {1000, 300'000})
    for (const int longest : {500'000, 4'000'000})
      for (const work_kind work : all_works)
        for (const int threads : {2, 8}) {
          std::vector<int> sizes(static_cast<std::size_t>(rows), 1);
          sizes[7] = longest;
          const choice_facts facts = facts_of(offsets_of(sizes));
          ASSERT_GT(facts.tiles.longest, facts.tiles.atoms / threads);
          EXPECT_NE(name_of_choice(cpu(threads), automatic{.work = work}, facts), "thread_mapped");
        }
  // A few atoms too, where sizes are seen when tiles are checked; other shapes are left to the model.
  const std::vector<int> few = offsets_of({3, 0, 900, 4});
  EXPECT_STRNE(make_plan(cpu(4), automatic{}, csr_tiles(few)).schedule_name(), "thread_mapped");
  for (const int size : {1, 8, 300}) {
    const choice_facts even = facts_of(offsets_of(std::vector<int>(200'000, size)));
    for (const work_kind work : all_works)
      EXPECT_EQ(name_of_choice(cpu(8), automatic{.work = work}, even),
                name_of_choice(cpu(1), automatic{.work = work}, even));
  }
}

TEST(Automatic, ChoosesTheSameForTheSameInput) {
  std::vector<int> sizes(200'000, 3);
  for (std::size_t i = 0; i < sizes.size(); i += 97) sizes[i] = 400;
  const std::vector<int> offsets = offsets_of(sizes);
  const auto tiles = csr_tiles(offsets);
  const std::string first = make_plan(cpu(1), automatic{}, tiles).explain();
  EXPECT_EQ(make_plan(cpu(2), automatic{}, tiles).explain(), first);
  EXPECT_EQ(make_plan(cpu(1), automatic{}, assume_valid(tiles)).explain(), first);
  EXPECT_EQ(make_plan(cpu(1), automatic{}, assume_valid(tiles, offsets.back())).explain(), first);
  // Small sets too, whether their sizes were seen on the way or not.
  const std::vector<int> few = offsets_of({3, 0, 900, 4});
  const std::string small = make_plan(cpu(1), automatic{}, csr_tiles(few)).explain();
  EXPECT_EQ(make_plan(cpu(1), automatic{}, assume_valid(csr_tiles(few), few.back())).explain(), small);
  EXPECT_EQ(small.find("longest"), std::string::npos) << small;
}

TEST(Automatic, TakesHostileSets) {
  const std::int64_t giant = std::numeric_limits<std::int64_t>::max() / 4;
  tile_summary huge{.tiles = giant, .atoms = giant, .longest = giant, .empty = giant, .squares = 1e300};
  huge.classes.fill(giant / 16);
  for (const tile_summary& of :
       {tile_summary{}, huge, tile_summary{.tiles = giant}, tile_summary{.tiles = 1, .atoms = giant}})
    for (const bool seen : {false, true})
      for (const work_kind work : all_works) {
        const choice_facts facts{.tiles = of, .is_summarized = seen, .is_for_one_run = false};
        EXPECT_FALSE(automatic{.work = work}.choose(cpu(1), facts).why.empty());
        EXPECT_FALSE(automatic{.work = work}.choose(simt{}, facts).why.empty());
      }
  const std::vector<int> none{0};
  EXPECT_NE(make_plan(cpu(1), automatic{}, csr_tiles(none)).explain().find("0 tiles with 0 atoms"),
            std::string::npos);
  EXPECT_EQ(make_plan(cpu(1), automatic{}, uniform_tiles(5, 3)).atoms(), 15);
}

TEST(Automatic, WeighsAPlanAgainstItsRuns) {
  // Among all, for one run nothing is taken whose plan costs more than what its run saves.
  std::vector<int> sizes(400'000, 2);
  for (std::size_t i = 0; i < sizes.size(); i += 11) sizes[i] = 60;
  const choice_facts many = facts_of(offsets_of(sizes));
  choice_facts once = many;
  once.is_for_one_run = true;
  for (const work_kind work : all_works) {
    const automatic of{.work = work};
    EXPECT_EQ(of.choose(simt{}, once).index,
              (automatic{.expected_runs = 1, .work = work}.choose(simt{}, many).index));
  }
}

TEST(Automatic, RefusesRunsThatCannotBe) {
  const std::vector<int> offsets{0, 3};
  for (const double runs : {0.0, -2.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_NE(message_of<invalid_argument>([&] {
                make_plan(cpu(1), automatic{.expected_runs = runs}, csr_tiles(offsets));
              }).find("must be greater than 0"),
              std::string::npos);
}

TEST(Automatic, ExplainsInFigures) {
  EXPECT_EQ(detail::short_count(7), "7");
  EXPECT_EQ(detail::short_count(35'455), "35,455");
  EXPECT_EQ(detail::short_count(1'000), "1,000");
  EXPECT_EQ(detail::short_count(1'441'295), "1.44 M");
  EXPECT_EQ(detail::short_count(2.5e9), "2.5 G");
  std::vector<int> sizes(200'000, 0);
  for (std::size_t i = 0; i < sizes.size(); i += 10) sizes[i] = 50;
  const choice_facts facts = facts_of(offsets_of(sizes));
  const std::string why = automatic{}.choose(simt{}, facts).why;
  EXPECT_NE(
      why.find(
          ": 200,000 tiles with 1 M atoms, the longest has 50, 90% are empty, warps with one thread per tile "
          "would be busy"),
      std::string::npos)
      << why;
  EXPECT_NE(why.find(" should take "), std::string::npos) << why;
  const std::vector<std::size_t> order = automatic{}.rank(simt{}, facts);
  EXPECT_EQ(order.front(), automatic{}.choose(simt{}, facts).index);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), order.size());
}

TEST(MeasuredChoices, KeepTheFastestAndRemember) {
  const std::vector<int> offsets = offsets_of(std::vector<int>(1'000, 5));
  const auto tiles = csr_tiles(offsets);
  choice_memory memory;
  int runs = 0;
  // The time is made up: only the second of those that are tried is fast.
  std::vector<std::string> tried;
  const auto body = [&](auto& plan) {
    ++runs;
    if (tried.empty() || tried.back() != plan.schedule_name()) tried.push_back(plan.schedule_name());
    const auto start = std::chrono::steady_clock::now();
    const auto until = start + std::chrono::microseconds(tried.size() == 2 ? 1 : 400);
    while (std::chrono::steady_clock::now() < until) {
    }
  };
  const auto plan = make_measured_plan(cpu(1), automatic{}, tiles, body, {.memory = &memory});
  ASSERT_EQ(tried.size(), 3u);
  EXPECT_EQ(plan.schedule_name(), tried[1]);
  EXPECT_EQ(plan.explain().rfind(tried[1] + ": measured, ", 0), 0u) << plan.explain();
  EXPECT_EQ(memory.size(), 1u);
  runs = 0;
  const auto again = make_measured_plan(cpu(1), automatic{}, tiles, body, {.memory = &memory});
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(again.explain(), plan.explain());
  EXPECT_EQ(
      message_of<invalid_argument>([&] { make_measured_plan(cpu(1), automatic{}, tiles, body, {.few = 0}); }),
      "few = 0: must be 1 or more");
  const auto more = make_measured_plan(cpu(1), automatic{}, tiles, [](auto&) {}, {.few = 99});
  EXPECT_EQ(more.atoms(), 5'000);
}

TEST(SelfTuningPlans, KeepTheFasterOfTwo) {
  const std::vector<int> offsets = offsets_of(std::vector<int>(1'000, 5));
  for (const bool first_is_slow : {true, false}) {
    auto plan = make_self_tuning_plan(cpu(1), automatic{}, csr_tiles(offsets));
    const std::string first = plan.schedule_name();
    EXPECT_NE(plan.explain().find(": in turns with "), std::string::npos) << plan.explain();
    std::vector<std::type_index> runs;
    const auto body = [&](auto& of) {
      runs.emplace_back(typeid(of));
      const bool is_slow = (runs.back() == runs.front()) == first_is_slow;
      const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(is_slow ? 3'000 : 100);
      while (std::chrono::steady_clock::now() < until) {
      }
    };
    for (int i = 0; i < 30; ++i) plan.visit(body);
    EXPECT_TRUE(plan.is_settled());
    EXPECT_EQ(plan.schedule_name() == first, !first_is_slow);
    EXPECT_EQ(plan.explain().rfind(plan.schedule_name() + std::string(": measured, "), 0), 0u)
        << plan.explain();
    const std::type_index slow = first_is_slow ? runs[0] : runs[1];
    EXPECT_EQ(std::ranges::count(runs, slow), 2) << "one run that is not timed, one that is";
  }
}

TEST(SelfTuningPlans, EndWithoutAClearWinner) {
  const std::vector<int> offsets = offsets_of(std::vector<int>(1'000, 5));
  auto plan = make_self_tuning_plan(cpu(1), automatic{}, csr_tiles(offsets));
  for (int i = 0; i < 11; ++i) {
    EXPECT_EQ(plan.atoms(), 5'000);
    plan.visit([](auto&) {});
  }
  EXPECT_TRUE(plan.is_settled());
}

TEST(SelfTuningPlans, RunApplications) {
  const std::vector<int> offsets{0, 2, 2, 5}, columns{0, 2, 0, 1, 2};
  const std::vector<float> values{1, 2, 3, 4, 5}, x{1, 10, 100};
  const csr_view<float, int> a{3, 3, offsets.data(), columns.data(), values.data()};
  const cpu exec(1);
  auto plan = make_self_tuning_plan(exec, automatic{}, rows_of(a));
  for (int i = 0; i < 12; ++i) {
    std::vector<float> y(3, -1);
    spmv(exec, plan, a, x, y);
    EXPECT_EQ(y, (std::vector<float>{201, 0, 543})) << "run " << i;
  }
  const std::vector<int> bad{0, 5, 3};
  EXPECT_THROW(make_self_tuning_plan(exec, automatic{}, csr_tiles(bad)), invalid_argument);
}

TEST(MeasuredChoices, RunApplications) {
  const std::vector<int> offsets{0, 2, 2, 5}, columns{0, 2, 0, 1, 2};
  const std::vector<float> values{1, 2, 3, 4, 5}, x{1, 10, 100};
  const csr_view<float, int> a{3, 3, offsets.data(), columns.data(), values.data()};
  std::vector<float> y(3);
  const cpu exec(1);
  auto plan = make_measured_plan(exec, automatic{}, rows_of(a), [&](auto& of) { spmv(exec, of, a, x, y); });
  y.assign(3, -1);
  spmv(exec, plan, a, x, y);
  EXPECT_EQ(y, (std::vector<float>{201, 0, 543}));
  const std::vector<int> bad{0, 5, 3};
  EXPECT_THROW(make_measured_plan(exec, automatic{}, csr_tiles(bad), [](auto&) {}), invalid_argument);
}

} // namespace
} // namespace evenly::laws
