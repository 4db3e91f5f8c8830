// SPDX-License-Identifier: Apache-2.0
// The layout that trials choose, and the cost of trials, on machines with artificial times.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/layouts/choice/trials.hpp"
#include "evenly/layouts/graph_orders.hpp"
#include "support/messages.hpp"

namespace evenly::layouts {
namespace {

/// What layouts take on a machine; none first.
struct made_up {
  double run_ms;
  double build_ms = 0;
  bool refused = false;
};
struct machine {
  std::vector<made_up> layouts;
  double timing_ms = 0; ///< which waiting adds to runs that are timed
  double sample_ms = 0;
  std::vector<layout_estimate> estimate = {}; ///< by a sample
};

struct outcome {
  double all_ms = 0;
  std::vector<int> runs;
  int builds = 0, timings = 0, samples = 0;
};

/// `iterations` under trials, with lists that change every `change_every`.
outcome drive(layout_trials& trials, const machine& on, int iterations, int change_every) {
  outcome found{.runs = std::vector<int>(on.layouts.size())};
  std::size_t planned = 0;
  for (int i = 0; i < iterations;) {
    if (i > 0 && i % change_every == 0) {
      trials.begin_epoch(change_every);
      planned = 0;
    }
    if (trials.wants_sample()) {
      found.all_ms += on.sample_ms;
      ++found.samples;
      trials.note_sample(on.sample_ms, on.estimate);
    }
    while (on.layouts[trials.next()].refused) trials.refuse("no memory");
    const std::size_t layout = trials.next();
    if (layout != 0 && planned != layout) {
      found.all_ms += on.layouts[layout].build_ms;
      ++found.builds;
      trials.note_build(on.layouts[layout].build_ms);
    }
    planned = layout;
    const int wanted = trials.runs_to_time();
    const int runs = std::min({std::max(wanted, 1), iterations - i, change_every - i % change_every});
    const double ms = runs * on.layouts[layout].run_ms + (wanted > 0 ? on.timing_ms : 0);
    found.all_ms += ms;
    found.runs[layout] += runs;
    found.timings += wanted > 0;
    i += runs;
    if (wanted > 0)
      trials.note_runs(runs, ms);
    else
      trials.skip_run();
  }
  return found;
}

TEST(ArmTrials, KeepWhatIsFastest) {
  layout_trials trials({{"none", 7}, {"share", 1.2, 4}, {"order", 0.9, 0.4}}, 10);
  const outcome found = drive(trials, {{{7}, {1.1, 5}, {0.88, 0.45}}}, 20, 10);
  EXPECT_EQ(found.runs,
            (std::vector<int>{1, 0, 19})); // share should take 1.6, its plan included: it is not tried
  EXPECT_EQ(found.builds, 2);
  EXPECT_GT(20 * 7 / found.all_ms, 5);
  EXPECT_EQ(trials.why(), "order: 0.88 ms a run and 0.45 for a plan of 10 runs, but none takes 7");
}

TEST(ArmTrials, TryTheNextIfItShouldBeBetterStill) {
  layout_trials trials({{"none", 10}, {"one", 4}, {"other", 5}}, 100);
  const outcome found = drive(trials, {{{10}, {8}, {3}}}, 100, 100);
  EXPECT_EQ(found.runs, (std::vector<int>{1, 1, 98}));
  EXPECT_EQ(trials.why(), "other: 3 ms a run and 0 for a plan of 100 runs, but none takes 10, one 8");
}

TEST(ArmTrials, ShutOffWhereNothingPays) {
  layout_trials trials({{"none", 5}, {"order", 1, 60}}, 10);
  const outcome found = drive(trials, {{{5}, {1, 60}}}, 500, 10);
  EXPECT_EQ(found.runs, (std::vector<int>{500, 0}));
  EXPECT_EQ(trials.why(),
            "none: 5 ms a run, and order, the best of the others, would take 7, its plan included");
  layout_trials longer({{"none", 5}, {"order", 1, 30}}, 100); // a plan serves more runs
  EXPECT_EQ(drive(longer, {{{5}, {1, 30}}}, 500, 100).runs, (std::vector<int>{1, 499}));
}

TEST(ArmTrials, DoNotTryWhatTheyCannotAfford) {
  layout_trials trials({{"none", 5}, {"order", 1, 60}}, 500);
  const outcome found = drive(trials, {{{5}, {1, 60}}}, 500, 500);
  EXPECT_EQ(found.runs, (std::vector<int>{500, 0}));
  EXPECT_EQ(trials.why(), "none: 5 ms a run, and order, the best of the others, would take 1.12, its plan "
                          "included, but a trial may lose 65, more than the allowed 37.5");
  const outcome later = drive(trials, {{{5}, {1, 60}}}, 4000, 4000); // the loop is a long one
  EXPECT_GT(later.runs[1], 2000);
  EXPECT_LT(later.all_ms + found.all_ms, 4500 * 5 * 0.6);
}

TEST(ArmTrials, GoBackFromAnArmThatIsSlower) {
  layout_trials trials({{"none", 10}, {"order", 2, 1}}, 50);
  const outcome found = drive(trials, {{{10}, {25, 8}}}, 500, 50);
  EXPECT_EQ(found.runs, (std::vector<int>{499, 1}));
  EXPECT_LT(found.all_ms, 1.01 * 500 * 10);
  EXPECT_EQ(trials.why(), "none: 10 ms a run, and order took 25.2, its plan included");
}

TEST(ArmTrials, EndAfterOneRunThatIsTwiceAsSlow) {
  layout_trials trials({{"none", 0.4}, {"order", 0.1}}, 500);
  EXPECT_EQ(drive(trials, {{{0.4}, {0.9}}}, 500, 500).runs, (std::vector<int>{499, 1}));
  layout_trials near({{"none", 0.4}, {"order", 0.1}}, 500);
  EXPECT_EQ(drive(near, {{{0.4}, {0.7}}}, 500, 500).runs, (std::vector<int>{497, 3}));
}

TEST(ArmTrials, KeepNoneInATie) {
  layout_trials trials({{"none", 10}, {"order", 5}}, 50);
  EXPECT_EQ(drive(trials, {{{10}, {9.9}}}, 100, 50).runs, (std::vector<int>{99, 1}));
}

TEST(ArmTrials, DoNotDependOnHowFastTheMachineIs) {
  for (const double slower : {0.1, 1.0, 20.0}) {
    layout_trials trials({{"none", 7}, {"order", 0.9, 0.4}, {"bad", 8, 1}}, 10);
    const outcome found =
        drive(trials, {{{7 * slower}, {0.9 * slower, 0.4 * slower}, {8 * slower, slower}}}, 40, 10);
    EXPECT_EQ(found.runs[2], 0);
    EXPECT_GE(found.runs[1], 36) << slower;
  }
}

TEST(ArmTrials, MakePlansAgainInEachEpoch) {
  layout_trials trials({{"none", 10}, {"order", 2, 1}}, 5);
  const outcome found = drive(trials, {{{10}, {2, 1}}}, 50, 5);
  EXPECT_EQ(found.builds, 10);
  EXPECT_TRUE(trials.is_settled());
}

TEST(ArmTrials, OpenAgainWhenTimesDrift) {
  layout_trials trials({{"none", 10}, {"order", 2, 1}}, 10);
  drive(trials, {{{10}, {2, 1}}}, 20, 10);
  EXPECT_EQ(trials.next(), 1u);
  trials.begin_epoch(10); // elements have wandered off: the order is of no use
  EXPECT_EQ(drive(trials, {{{10}, {12, 1}}}, 20, 100).runs, (std::vector<int>{19, 1}));
  EXPECT_TRUE(contains(trials.why(), "none: 10 ms a run, and order took")) << trials.why();
  trials.begin_epoch(10); // and none becomes slower than the order has been
  EXPECT_EQ(trials.next(), 0u);
  EXPECT_EQ(drive(trials, {{{30}, {12, 1}}}, 20, 100).runs[1], 18);
}

TEST(ArmTrials, DoNotTakeTheTimeOfTimingForDrift) {
  layout_trials trials({{"none", 0.01}, {"order", 0.0098}}, 10);
  const machine slow_clock{{{0.01}, {0.0098}}, 0.018};
  const outcome found = drive(trials, slow_clock, 5000, 10);
  EXPECT_EQ(found.runs[0], 5000);
  EXPECT_LT(found.timings * slow_clock.timing_ms, 0.01 * 5000 * 0.01); // epochs are not all timed
}

TEST(ArmTrials, LeaveAnArmWhosePlansServeTooFewRuns) {
  layout_trials trials({{"none", 10}, {"order", 2, 20}}, 100);
  drive(trials, {{{10}, {2, 20}}}, 100, 100);
  EXPECT_EQ(trials.next(), 1u);
  trials.begin_epoch(1); // lists change in every iteration
  EXPECT_EQ(drive(trials, {{{10}, {2, 20}}}, 50, 1).runs, (std::vector<int>{50, 0}));
  trials.begin_epoch(100);
  EXPECT_EQ(trials.next(), 0u);
}

TEST(ArmTrials, TakeTheNextWhereOneCannotBeHad) {
  const machine of{{{10}, {1, 1, true}, {2, 1}}};
  layout_trials trials({{"none", 10}, {"copies", 1, 1}, {"order", 2, 1}}, 10);
  EXPECT_EQ(drive(trials, of, 20, 20).runs, (std::vector<int>{1, 0, 19}));
  EXPECT_EQ(trials.why(),
            "order: 2 ms a run and 1 for a plan of 10 runs, but none takes 10; copies failed: no memory");
  layout_trials alone({{"none", 10}, {"copies", 1, 1}}, 10);
  EXPECT_EQ(drive(alone, of, 20, 20).runs, (std::vector<int>{20, 0, 0}));
  EXPECT_EQ(message_of<invalid_argument>([&] { alone.refuse("no memory"); }),
            "the layout none failed: no memory");
}

TEST(ArmTrials, ChargeWhatItTookToBeRefused) {
  layout_trials trials({{"none", 10}, {"copies", 1, 1}, {"order", 2, 1}}, 10);
  trials.note_runs(1, 10);
  EXPECT_EQ(trials.next(), 1u);
  trials.refuse("no memory", 70); // of 75 that may be lost
  EXPECT_EQ(trials.next(), 0u);
}

TEST(ArmTrials, TimeShortRunsTogether) {
  layout_trials trials({{"none", 0.1}, {"order", 0.05}}, 1000);
  EXPECT_EQ(trials.runs_to_time(), 1);
  trials.note_runs(1, 0.5); // the first also loads the kernel
  EXPECT_EQ(trials.next(), 0u);
  EXPECT_EQ(trials.runs_to_time(), 2);
  trials.note_runs(2, 0.2);
  EXPECT_EQ(trials.next(), 1u);
  EXPECT_EQ(trials.runs_to_time(), 1);
  trials.note_runs(1, 0.075); // less the time that timing takes: 0.055
  EXPECT_EQ(trials.runs_to_time(), 19);
  trials.note_runs(10, 0.5); // then lists changed
  EXPECT_EQ(trials.next(), 1u);
  EXPECT_TRUE(trials.is_settled());
  EXPECT_EQ(trials.runs_to_time(), 0);
  EXPECT_EQ(trials.chosen_run_ms(), 0.05);
}

TEST(ArmTrials, NoArmAtAll) {
  EXPECT_EQ(message_of<invalid_argument>([] { layout_trials(std::vector<layout_estimate>{}, 1); }),
            "there is no layout to choose from");
  layout_trials trials({{"none", 1}}, 1);
  EXPECT_EQ(trials.why(), "none, not yet compared with another layout");
  drive(trials, {{{1}}}, 10, 1);
  EXPECT_EQ(trials.why(), "none: 1 ms a run, and no other layout is available");
  layout_trials unsampled(unsampled_estimate{1, 0.1}, 1);
  unsampled.note_runs(1, 3);
  EXPECT_EQ(message_of<invalid_argument>([&] { unsampled.note_sample(0.1, {}); }),
            "there is no layout to choose from");
}

// ---- samples ----

/// 100,000 atoms with 128 neighbours each on a large GPU.
machine atoms() {
  return {{{0.12}, {0.04, 0.1}, {0.05, 0.3}},
          0.015,
          0.15,
          {{"none", 0.1}, {"order", 0.06, 0.1}, {"share", 0.05, 0.25}}};
}

TEST(UnsampledTrials, LookAtOnceWhereThatIsLittle) {
  layout_trials trials(unsampled_estimate{0.2, 0.15}, 10);
  const outcome found = drive(trials, atoms(), 500, 10);
  EXPECT_EQ(found.samples, 1);
  EXPECT_GT(found.runs[1], 470);
  EXPECT_LT(found.all_ms, 0.5 * 500 * 0.12);
}

TEST(UnsampledTrials, AffordTwoTrials) {
  machine slower = atoms(); // the first order seems good, the other is
  slower.estimate = {{"none", 0.1}, {"order", 0.03, 0.1}, {"share", 0.02, 0.25}};
  slower.layouts = {{0.12}, {0.09, 0.1}, {0.04, 0.25}};
  layout_trials trials(unsampled_estimate{0.2, 0.15}, 100);
  const outcome found = drive(trials, slower, 500, 100);
  EXPECT_GT(found.runs[2], 450);
  slower.layouts = {{0.12}, {0.11, 0.1}, {0.3, 0.25}}; // neither is
  layout_trials worse(unsampled_estimate{0.2, 0.15}, 100);
  EXPECT_LT(drive(worse, slower, 500, 100).all_ms, 1.03 * 500 * 0.12);
}

TEST(UnsampledTrials, DoNotLookInLoopsOfMicroseconds) {
  for (const double run : {0.003, 0.005, 0.02}) {
    layout_trials trials(unsampled_estimate{run, 0.15}, 10);
    const machine on{{{run}, {run / 5}}, 0.015, 0.15, {{"none", run}, {"order", run / 5}}};
    const outcome found = drive(trials, on, 500, 10);
    EXPECT_EQ(found.samples, 0) << run;
    EXPECT_LT(found.all_ms, 1.025 * 500 * run) << run;
    EXPECT_TRUE(contains(trials.why(), "sampling the references would take")) << trials.why();
    drive(trials, on, 20000, 10); // a long loop does look, and has won by now
    EXPECT_EQ(trials.next(), 1u) << run << ": " << trials.why();
  }
}

TEST(UnsampledTrials, SayWhatASampleWouldTake) {
  layout_trials trials(unsampled_estimate{0.01, 0.15}, 10);
  drive(trials, {{{0.01}}, 0.02}, 500, 10);
  EXPECT_EQ(trials.why(), "none: 0.01 ms a run, and sampling the references would take 0.15, more than 0.05, "
                          "1% of the time of none");
}

TEST(UnsampledTrials, ExpectSamplesToBeSlowWhereRunsAre) {
  const machine slow{
      {{0.3}, {0.1}}, 0, 15, {{"none", 0.003}, {"order", 0.001}}}; // 100 times slower than said
  layout_trials trials(unsampled_estimate{0.003, 0.15}, 10);
  const outcome found = drive(trials, slow, 500, 10);
  EXPECT_EQ(found.samples, 0);
  EXPECT_DOUBLE_EQ(found.all_ms, 500 * 0.3);
}

/// Predictions of all sorts, right and wrong; plans of up to four runs of none, as layouts have them; a clock that adds
/// what waiting does.
TEST(ArmTrials, LoseLittleWhateverIsSaid) {
  auto number = [i = std::uint64_t{0}]() mutable {
    return static_cast<double>(detail::scattered(++i) >> 11) * 0x1p-53;
  };
  double worst = 0, won = 0;
  for (int i = 0; i < 2000; ++i) {
    constexpr double runs_of_machines[] = {0.003, 0.006, 0.02, 0.1, 1, 10};
    const double none = runs_of_machines[static_cast<int>(6 * number())];
    machine on{{{none}}, 0.015, 0.1 + 0.2 * number(), {{"none", none * (0.2 + 5 * number())}}};
    for (int layout = 0; layout < 4; ++layout) {
      on.layouts.push_back({none * (0.1 + 4 * number()), none * 4 * number()});
      on.estimate.push_back({"arm", on.layouts.back().run_ms * (0.2 + 2 * number()),
                             on.layouts.back().build_ms * (0.2 + 2 * number())});
    }
    constexpr int changes[] = {1, 10, 500};
    const int change_every = changes[static_cast<int>(3 * number())];
    layout_trials trials(unsampled_estimate{on.estimate[0].run_ms, on.sample_ms}, change_every);
    const outcome found = drive(trials, on, 500, change_every);
    worst = std::max(worst, found.all_ms / (500 * none));
    won += found.all_ms < 0.9 * 500 * none;
  }
  EXPECT_LT(worst, 1.03);
  EXPECT_GT(won, 200); // machines on which a layout has won
}

} // namespace
} // namespace evenly::layouts
