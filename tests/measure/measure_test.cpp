// SPDX-License-Identifier: Apache-2.0
// Rounds are fair, and tables have the measurements: with artificial benches and figures.
#include "json/value.hpp"
#include "measure/measure.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "measure/comparison.hpp"
#include "measure/reference.hpp"
#include "measure/report.hpp"
#include "measure/statistics.hpp"
#include "measure/verdict.hpp"
#include "support/messages.hpp"

namespace evenly::cli {

using measure::as_json, measure::bench, measure::candidate, measure::comparison, measure::differ,
    measure::measure_in_turns, measure::measurement, measure::middle_of, measure::notes_on_rows,
    measure::prepared_run, measure::put_times, measure::rows_of, measure::table, measure::time_runs,
    measure::timer, measure::timing, measure::timing_of, measure::unchecked_output;

namespace {

/// Nothing runs: a candidate says how long its run took.
class made_up_timer : public timer {
 public:
  std::string place() const override { return "nowhere"; }
  int threads() const override { return 2; }
  std::function<void()> copy(std::int64_t) override {
    return [] {};
  }
  std::function<void()> fill(std::int64_t) override {
    return [] {};
  }
  double time_once(const std::function<void()>& run) override {
    run();
    return last_ms;
  }

  double last_ms = 1;
};

struct made_up_bench : bench {
  made_up_bench() : bench{std::make_unique<made_up_timer>(), std::make_shared<unchecked_output>(), {}} {}
  double& last_ms() const { return static_cast<made_up_timer&>(*time).last_ms; }
};

/// A candidate that logs its runs and takes the time that ms(how many there were before, of all) says.
candidate made_up(made_up_bench& on, std::string& log, char name, std::function<double(std::size_t)> ms) {
  candidate made{.name = std::string(1, name), .title = std::string(1, name), .is_schedule = true};
  made.first_error = []() -> std::optional<std::string> { return {}; };
  made.prepare = [&on, &log, name, ms]() -> prepared_run {
    return {[&on, &log, name, ms] {
      on.last_ms() = ms(log.size());
      log += name;
    }};
  };
  return made;
}

TEST(Rounds, AResultIsStoredBeforeTheBenchChecksIt) {
  made_up_bench on;
  std::string log;
  on.first_error = [&log]() -> std::optional<std::string> {
    log += '?';
    return log == "aS?" ? std::nullopt : std::optional<std::string>("not stored: " + log);
  };
  candidate one = made_up(on, log, 'a', [](std::size_t) { return 50.0; });
  one.first_error = {};
  one.prepare = [&log, prepare = one.prepare] {
    prepared_run run = prepare();
    run.store = [&log] { log += 'S'; };
    return run;
  };
  const auto measured = measure_in_turns(on, {&one, 1}, {.exactly = 2});
  EXPECT_EQ(measured.front().error, std::nullopt);
  EXPECT_EQ(std::ranges::count(log, 'S'), 1) << log;
}

TEST(Rounds, EveryoneTakesATurnInEachInChangingOrder) {
  made_up_bench on;
  std::string log;
  const auto steady = [](std::size_t) { return 50.0; };
  const std::vector<candidate> all{made_up(on, log, 'a', steady), made_up(on, log, 'b', steady),
                                   made_up(on, log, 'c', steady)};
  const auto measured = measure_in_turns(on, all, {.exactly = 4});
  EXPECT_EQ(log, "abc" // checked
                 "abc" // warmed up: 20 ms, of which each has one run
                 "abc"
                 "cba"
                 "bca"
                 "acb");
  for (const measurement& m : measured) EXPECT_EQ(m.time.rounds.size(), 4U);
}

TEST(Rounds, DriftOfTheMachineDoesNotLookLikeADifference) {
  made_up_bench on;
  std::string log;
  const auto drifting = [](std::size_t run) { return 50.0 + static_cast<double>(run); }; // slower and slower
  std::vector<candidate> all;
  for (const char name : std::string_view("abcd")) all.push_back(made_up(on, log, name, drifting));
  const auto measured = measure_in_turns(on, all, {.exactly = 20});
  for (const measurement& m : measured)
    for (const measurement& other : measured)
      EXPECT_FALSE(differ(m.time, other.time, 0)) << m.what.name << other.what.name;
}

TEST(Rounds, WhatIsShortRunsForAMillisecondInATurn) {
  made_up_bench on;
  std::string log;
  const std::vector<candidate> all{made_up(on, log, 'a', [](std::size_t) { return 0.125; }),
                                   made_up(on, log, 'b', [](std::size_t) { return 100.0; })};
  const auto measured = measure_in_turns(on, all, {});
  EXPECT_EQ(measured[0].time.rounds.size(), 20U);
  EXPECT_EQ(measured[1].time.rounds.size(), 5U); // half a second
  EXPECT_NE(log.find("baaaaaaaab"), std::string::npos) << log;
  EXPECT_EQ(measured[0].time.median, 0.125);
}

TEST(Rounds, ARunTooShortForTheClockIsRepeatedAThousandTimes) {
  made_up_bench on;
  std::string log;
  const candidate only = made_up(on, log, 'a', [](std::size_t) { return 0.0; });
  const auto measured = measure_in_turns(on, {&only, 1}, {.min_rounds = 3, .max_rounds = 3, .warmup_ms = 2});
  EXPECT_EQ(measured[0].time.rounds.size(), 3U);
  EXPECT_EQ(log.size(), 1U + 2 * 1000 + 3 * 1000) << "checked, warmed up, timed";
}

TEST(Rounds, WhoFailsLeavesTheOthersTheirTurns) {
  made_up_bench on;
  std::string log;
  const auto fails = [&](std::size_t run) -> double {
    if (run > 10) throw device_error("gone");
    return 50;
  };
  const std::vector<candidate> all{made_up(on, log, 'a', fails),
                                   made_up(on, log, 'b', [](std::size_t) { return 50.0; })};
  const auto measured = measure_in_turns(on, all, {.exactly = 9});
  EXPECT_EQ(measured[0].error, "gone");
  EXPECT_EQ(measured[1].error, std::nullopt);
  EXPECT_EQ(measured[1].time.rounds.size(), 9U);
}

TEST(Rounds, WhoseMemoryOthersHoldHasItsTurnsAfterThem) {
  made_up_bench on;
  std::string log;
  std::weak_ptr<int> held;
  std::vector<candidate> all;
  for (const char name : std::string_view("ab"))
    all.push_back(made_up(on, log, name, [](std::size_t) { return 50.0; }));
  for (candidate& each : all)
    each.prepare = [&held, plain = each.prepare] {
      if (!held.expired()) throw std::bad_alloc();
      const auto memory = std::make_shared<int>();
      held = memory;
      return prepared_run{[memory, run = plain().run] { run(); }};
    };
  const auto measured = measure_in_turns(on, all, {.exactly = 2});
  EXPECT_EQ(log, "aaaabbbb");
  for (const measurement& m : measured) EXPECT_EQ(m.error, std::nullopt);
}

TEST(Rounds, WhatDisturbsOthersComesToRestAfterEachTurn) {
  made_up_bench on;
  std::string log;
  std::vector<candidate> all{made_up(on, log, 'a', [](std::size_t) { return 50.0; })};
  all[0].afterwards = [&] { log += '.'; };
  measure_in_turns(on, all, {.exactly = 3});
  EXPECT_EQ(log, "aa.a.a.a.");
}

/// As if measured.
timing times(const std::vector<double>& rounds) {
  made_up_bench on;
  std::size_t next = 0;
  const std::function<void()> run = [&] { on.last_ms() = rounds[next++]; };
  return time_runs(on, run, {.exactly = static_cast<int>(rounds.size()), .allow_single_run = true});
}

TEST(Timing, MedianMinimumMaximumMiddleHalf) {
  const timing odd = times({5, 1, 4, 2, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.min, 1);
  EXPECT_EQ(odd.max, 5);
  EXPECT_EQ(odd.rounds, (std::vector<double>{5, 1, 4, 2, 3}));
  EXPECT_EQ(middle_of(odd).from, 2);
  EXPECT_EQ(middle_of(odd).to, 4);
  EXPECT_EQ(times({1, 2, 3, 4}).median, 2.5);
}

TEST(Timing, OfRoundsOfOneRunEach) {
  const timing all = timing_of({3, 1, 2.5});
  EXPECT_EQ(all.median, 2.5);
  EXPECT_EQ(all.min, 1);
  EXPECT_EQ(all.max, 3);
  EXPECT_EQ(all.rounds, (std::vector<double>{3, 1, 2.5}));
}

TEST(Timing, IsNullInJsonUnlessTheResultWasRight) {
  json::value right, wrong;
  put_times(right, timing_of({2}), true);
  put_times(wrong, timing_of({2}), false);
  EXPECT_EQ(json::dump_line(right), R"({"ms":2.0,"ms_min":2.0,"ms_max":2.0})");
  EXPECT_EQ(json::dump_line(wrong), R"({"ms":null,"ms_min":null,"ms_max":null})");
}

TEST(Report, HasTheChosenScheduleAndMoreInItsHead) {
  measurement automatic, fixed;
  automatic.chosen = "merge_path";
  measure::report lines({}, {{"peers", {{"Eigen", "3.4.0"}}}});
  lines.add({{"name", "automatic"}}, automatic);
  lines.add({{"name", "streamed"}}, fixed);
  const std::string path = testing::TempDir() + "evenly_report_test.json";
  lines.write(path);
  std::ifstream file(path);
  const json::value all = json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  EXPECT_EQ(all["peers"]["Eigen"], "3.4.0");
  ASSERT_EQ(all["results"].size(), 2U);
  EXPECT_EQ(all["results"][std::size_t{0}]["chosen"], "merge_path");
  EXPECT_FALSE(all["results"][std::size_t{1}].contains("chosen"));
}

measurement figure(const std::string& name, double ms) {
  return {.what = {.name = name, .title = name, .is_schedule = true}, .plan_ms = 0.5, .time = times({ms})};
}

TEST(Table, FitsAPage) {
  comparison c;
  c.bytes = 1'000'000;
  c.copy_gbps = 10;
  c.results = {figure("local_warp_search<registers>", 123456.7), figure("merge_path", 98.765)};
  const std::string text = table(c);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    EXPECT_LE(text.find('\n', at) - at, 80U) << text.substr(at);
}

TEST(Table, ExplainsTimesBelowACopy) {
  comparison c;
  c.bytes = 1'000'000;
  c.copy_gbps = 10;
  const auto notes = [&](double ms) { // a copy takes 0.1 ms
    c.results = {figure("thread_mapped", 2), figure("merge_path", ms)};
    std::string text = table(c);
    std::ranges::replace(text, '\n', ' ');
    return text.find("above 100% of copy: data in a cache") != std::string::npos;
  };
  EXPECT_TRUE(notes(0.05));
  EXPECT_FALSE(notes(0.1));
  EXPECT_FALSE(notes(0.2));
}

TEST(Table, HasOneRowForSchedulesOfTheSameCodeAndJsonHasAll) {
  comparison c;
  c.bytes = 1'000'000;
  c.copy_gbps = 10;
  c.results = {figure("merge_path", 3), figure("direct_search", 1), figure("two_phase", 2),
               figure("binned", 9)};
  c.results[0].what.also = {"direct_search", "two_phase", "streamed"}; // of which the last was not timed
  c.results[1].what.same_as = c.results[2].what.same_as = "merge_path";
  const std::vector<measurement> rows = rows_of(c);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].time.rounds, (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(rows[0].time.median, 2);
  EXPECT_EQ(rows[0].time.min, 1);
  EXPECT_EQ(rows[0].time.max, 3);
  expect_in(table(c), "\n  merge_path +3 ");
  EXPECT_EQ(notes_on_rows(c),
            (std::vector<std::string>{
                "  merge_path +3: direct_search, two_phase, streamed run the same code on cpu\n"}));
  const auto json = as_json(c);
  ASSERT_EQ(json.size(), 4U);
  EXPECT_EQ(json[1]["same_code_as"], "merge_path");
  EXPECT_EQ(json[1]["ms"], 1);
  EXPECT_FALSE(json[0].contains("same_code_as"));
  c.results[1].error = "wrong"; // a failure is seen
  EXPECT_EQ(rows_of(c).size(), 3U);
}

} // namespace
} // namespace evenly::cli
