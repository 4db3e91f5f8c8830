// SPDX-License-Identifier: Apache-2.0
// Which arm is chosen: by the text's guidelines, by the model, and by trials on machines whose times are made up.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/reorganize/graph_orders.hpp"
#include "evenly/reorganize/selector.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

TEST(FigureSix, ChoosesByReferences) {
  const text_question md{.references = 12'288 * 128, .elements = 12'288, .working_set_bytes = 28'000};
  EXPECT_EQ(choice_of_text(md), text_choice::share);
  text_question by_threads = md; // as it is printed
  by_threads.references = 12'288;
  EXPECT_EQ(choice_of_text(by_threads), text_choice::duplicate);
  text_question large = md;
  large.working_set_bytes = 430'000;
  EXPECT_EQ(choice_of_text(large), text_choice::share_in_parts);
  EXPECT_EQ(choice_of_text({.references = 1 << 22, .elements = 1 << 20, .one_pattern = true}),
            text_choice::pad);
  EXPECT_EQ(choice_of_text({.references = 200, .elements = 100, .one_pattern = true}),
            text_choice::duplicate);
}

TEST(PredictedRun, IsNearWhatWasMeasured) {
  const double references = 4e6 * 128;
  const auto expect_near = [](double said, double measured) {
    EXPECT_GT(said, measured / 1.6);
    EXPECT_LT(said, measured * 1.6);
  };
  access_demand none{.references = references,
                     .lines = references,
                     .sectors = references,
                     .streamed_bytes = 4 * references,
                     .random_bytes = 64e6};
  expect_near(predicted_run(none, rates_of_h200), 7.08);
  none.references = none.lines = none.sectors = 5 * references;
  none.random_bytes = 320e6;
  expect_near(predicted_run(none, rates_of_h200), 61.6);
  access_demand ordered{.references = references,
                        .lines = references * 28 / 32,
                        .sectors = 15'625 * 728.0,
                        .streamed_bytes = 4 * references,
                        .random_bytes = 64e6};
  expect_near(predicted_run(ordered, rates_of_h200), 0.88);
}

TEST(PredictedRun, IsByWhatIsScarcest) {
  const access_rates one{.launch = 1000,
                         .reference = 1,
                         .line = 2,
                         .cached_sector = 3,
                         .memory_sector = 30,
                         .wavefront = 4,
                         .streamed_byte = 5,
                         .scattered_sector = 6,
                         .cache_bytes = 200,
                         .sorted_thread = 0,
                         .passed_reference = 0,
                         .moved_reference = 0,
                         .shared_reference = 0};
  const auto microseconds = [&](const access_demand& of) { return predicted_run(of, one) * 1e3 - 1; };
  EXPECT_NEAR(microseconds({}), 0, 1e-9);
  EXPECT_NEAR(microseconds({.references = 1e3}), 1, 1e-9);
  EXPECT_NEAR(microseconds({.references = 1e3, .lines = 1e3}), 2, 1e-9);
  EXPECT_NEAR(microseconds({.lines = 1e3, .sectors = 1e3, .random_bytes = 100}), 3, 1e-9);
  EXPECT_NEAR(microseconds({.lines = 1e3, .sectors = 1e3, .random_bytes = 200}), 16.5, 1e-9);
  EXPECT_NEAR(microseconds({.sectors = 1e3, .wavefronts = 1e3}), 4, 1e-9);
  EXPECT_NEAR(microseconds({.wavefronts = 1e3, .streamed_bytes = 1e3}), 5, 1e-9);
  EXPECT_NEAR(microseconds({.wavefronts = 1e3, .scattered = 1e3, .scattered_bytes = 200}), 7, 1e-9);
}

/// What arms take on a machine; none first.
struct made_up {
  double run_ms;
  double build_ms = 0;
  bool refused = false;
};

struct outcome {
  double all_ms = 0;
  std::vector<int> runs;
  int builds = 0;
};

/// `iterations` under trials, with lists that change every `change_every`.
outcome drive(arm_trials& trials, const std::vector<made_up>& machine, int iterations, int change_every) {
  outcome found{.runs = std::vector<int>(machine.size())};
  std::size_t planned = machine.size();
  for (int i = 0; i < iterations; ++i) {
    if (i > 0 && i % change_every == 0) {
      trials.begin_epoch(change_every);
      planned = machine.size();
    }
    while (machine[trials.next()].refused) trials.refuse("no memory");
    const std::size_t arm = trials.next();
    if (planned != arm) {
      found.all_ms += machine[arm].build_ms;
      found.builds += arm != 0;
      trials.note_build(machine[arm].build_ms);
      planned = arm;
    }
    found.all_ms += machine[arm].run_ms;
    ++found.runs[arm];
    if (trials.wants_time())
      trials.note_run(machine[arm].run_ms);
    else
      trials.skip_run();
  }
  return found;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ArmTrials, KeepWhatIsFastest) {
  arm_trials trials({{"none", 7}, {"share", 1.2, 4}, {"order", 0.9, 0.4}}, 10);
  const outcome found = drive(trials, {{7}, {1.1, 5}, {0.88, 0.45}}, 20, 10);
  EXPECT_EQ(found.runs,
            (std::vector<int>{1, 0, 19})); // share should take 1.6, its plan included: it is not tried
  EXPECT_EQ(found.builds, 2);
  EXPECT_GT(20 * 7 / found.all_ms, 5);
  EXPECT_EQ(trials.why(), "order: 0.88 ms a run and 0.45 for a plan of 10 runs, where none takes 7");
}

TEST(ArmTrials, TryTheNextIfItShouldBeBetterStill) {
  arm_trials trials({{"none", 10}, {"one", 4}, {"other", 5}}, 100);
  const outcome found = drive(trials, {{10}, {8}, {3}}, 100, 100);
  EXPECT_EQ(found.runs, (std::vector<int>{1, 1, 98}));
  EXPECT_EQ(trials.why(), "other: 3 ms a run and 0 for a plan of 100 runs, where none takes 10, one 8");
}

TEST(ArmTrials, ShutOffWhereNothingPays) {
  arm_trials trials({{"none", 5}, {"order", 1, 60}}, 10);
  const outcome found = drive(trials, {{5}, {1, 60}}, 500, 10);
  EXPECT_EQ(found.runs, (std::vector<int>{500, 0}));
  EXPECT_EQ(trials.why(),
            "none: 5 ms a run, and order, the best of the others, would take 7, its plan included");
  arm_trials longer({{"none", 5}, {"order", 1, 60}}, 100); // a plan serves more runs
  EXPECT_EQ(drive(longer, {{5}, {1, 60}}, 500, 100).runs, (std::vector<int>{1, 499}));
}

TEST(ArmTrials, GoBackFromAnArmThatIsSlower) {
  arm_trials trials({{"none", 10}, {"order", 2, 1}}, 50);
  const outcome found = drive(trials, {{10}, {25, 8}}, 500, 50);
  EXPECT_EQ(found.runs, (std::vector<int>{499, 1}));
  EXPECT_LT(found.all_ms, 1.03 * 500 * 10);
  EXPECT_EQ(trials.why(), "none: 10 ms a run, and order took 25.2, its plan included");
}

TEST(ArmTrials, KeepNoneInATie) {
  arm_trials trials({{"none", 10}, {"order", 5}}, 50);
  EXPECT_EQ(drive(trials, {{10}, {9.9}}, 100, 50).runs, (std::vector<int>{99, 1}));
}

TEST(ArmTrials, DoNotDependOnHowFastTheMachineIs) {
  for (const double slower : {0.1, 1.0, 20.0}) {
    arm_trials trials({{"none", 7}, {"order", 0.9, 0.4}, {"bad", 8, 1}}, 10);
    const outcome found =
        drive(trials, {{7 * slower}, {0.9 * slower, 0.4 * slower}, {8 * slower, slower}}, 40, 10);
    EXPECT_EQ(found.runs[2], 0);
    EXPECT_GE(found.runs[1], 37) << slower;
  }
}

TEST(ArmTrials, MakePlansAgainInEachEpoch) {
  arm_trials trials({{"none", 10}, {"order", 2, 1}}, 5);
  const outcome found = drive(trials, {{10}, {2, 1}}, 50, 5);
  EXPECT_EQ(found.builds, 10);
  EXPECT_TRUE(trials.is_settled());
}

TEST(ArmTrials, OpenAgainWhenTimesDrift) {
  arm_trials trials({{"none", 10}, {"order", 2, 1}}, 10);
  drive(trials, {{10}, {2, 1}}, 20, 10);
  EXPECT_EQ(trials.next(), 1u);
  trials.begin_epoch(10); // elements have wandered off: the order is of no use
  EXPECT_EQ(drive(trials, {{10}, {12, 1}}, 20, 100).runs, (std::vector<int>{19, 1}));
  EXPECT_TRUE(has(trials.why(), "none: 10 ms a run, and order took")) << trials.why();
  trials.begin_epoch(10); // and none becomes slower than the order has been
  EXPECT_EQ(trials.next(), 0u);
  EXPECT_EQ(drive(trials, {{30}, {12, 1}}, 20, 100).runs[1], 18);
}

TEST(ArmTrials, TakeTheNextWhereOneCannotBeHad) {
  arm_trials trials({{"none", 10}, {"copies", 1, 1}, {"order", 2, 1}}, 10);
  EXPECT_EQ(drive(trials, {{10}, {1, 1, true}, {2, 1}}, 20, 20).runs, (std::vector<int>{1, 0, 19}));
  EXPECT_EQ(trials.why(),
            "order: 2 ms a run and 1 for a plan of 10 runs, where none takes 10; copies could not "
            "be had: no memory");
  arm_trials alone({{"none", 10}, {"copies", 1, 1}}, 10);
  EXPECT_EQ(drive(alone, {{10}, {1, 1, true}}, 20, 20).runs, (std::vector<int>{20, 0}));
  EXPECT_EQ(message_of<invalid_argument>([&] { alone.refuse("no memory"); }),
            "none cannot be had: no memory");
}

TEST(ArmTrials, TimeShortRunsSeveralTimes) {
  arm_trials trials({{"none", 0.1}, {"order", 0.05}}, 1000);
  for (const double first : {0.5, 0.1, 0.11}) { // the first also loads the kernel
    EXPECT_EQ(trials.next(), 0u);
    trials.note_run(first);
  }
  EXPECT_EQ(trials.next(), 1u);
  EXPECT_TRUE(trials.wants_time());
  for (const double each : {0.15, 0.06, 0.05}) trials.note_run(each);
  EXPECT_EQ(trials.next(), 1u);
  EXPECT_TRUE(trials.is_settled());
}

TEST(ArmTrials, NoArmAtAll) {
  EXPECT_EQ(message_of<invalid_argument>([] { arm_trials({}, 1); }), "there is no arm to choose from");
  arm_trials trials({{"none", 1}}, 1);
  EXPECT_EQ(trials.why(), "none, which nothing has been compared with yet");
  drive(trials, {{1}}, 10, 1);
  EXPECT_EQ(trials.why(), "none: 1 ms a run, and no other arm is there");
}

/// Predictions of all sorts, right and wrong; plans of up to four runs of none, as arms have them.
TEST(ArmTrials, LoseLittleWhateverIsSaid) {
  auto number = [i = std::uint64_t{0}]() mutable {
    return static_cast<double>(detail::scattered(++i) >> 11) * 0x1p-53;
  };
  double worst = 0;
  for (int machine = 0; machine < 2000; ++machine) {
    const double none = number() < 0.5 ? 0.1 : 10;
    std::vector<made_up> truth{{none}};
    std::vector<arm_estimate> said{{"none", none * (0.2 + 5 * number())}};
    for (int i = 0; i < 4; ++i) {
      truth.push_back({none * (0.1 + 4 * number()), none * 4 * number()});
      said.push_back(
          {"arm", truth.back().run_ms * (0.2 + 2 * number()), truth.back().build_ms * (0.2 + 2 * number())});
    }
    const int change_every = number() < 0.5 ? 10 : 500;
    arm_trials trials(said, change_every);
    const outcome found = drive(trials, truth, 500, change_every);
    worst = std::max(worst, found.all_ms / (500 * none));
  }
  EXPECT_LT(worst, 1.03);
}

} // namespace
} // namespace evenly
