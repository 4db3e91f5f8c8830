// SPDX-License-Identifier: Apache-2.0
// Rounds are fair, ties are ties, and sentences say what the figures say: on benches and figures made up.
#include "measure/measure.hpp"

#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "evenly/core/errors.hpp"
#include "measure/comparison.hpp"
#include "measure/reference.hpp"
#include "measure/report.hpp"
#include "measure/statistics.hpp"

namespace evenly::cli {
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
    for (const measurement& other : measured) {
      const bool first = m.time.median <= other.time.median;
      EXPECT_TRUE(tie((first ? m : other).time, (first ? other : m).time)) << m.what.name << other.what.name;
    }
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
  return time_runs(on, run, {.exactly = static_cast<int>(rounds.size()), .may_be_one = true});
}

TEST(Timing, MedianMinimumMaximumMiddleHalf) {
  const timing odd = times({5, 1, 4, 2, 3});
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.least, 1);
  EXPECT_EQ(odd.most, 5);
  EXPECT_EQ(odd.rounds, (std::vector<double>{5, 1, 4, 2, 3}));
  EXPECT_EQ(middle_of(odd).from, 2);
  EXPECT_EQ(middle_of(odd).to, 4);
  EXPECT_EQ(times({1, 2, 3, 4}).median, 2.5);
}

TEST(Timing, OfRoundsOfOneRunEach) {
  const timing all = timing_of({3, 1, 2.5});
  EXPECT_EQ(all.median, 2.5);
  EXPECT_EQ(all.least, 1);
  EXPECT_EQ(all.most, 3);
  EXPECT_EQ(all.rounds, (std::vector<double>{3, 1, 2.5}));
}

TEST(Timing, IsNullInJsonUnlessTheResultWasRight) {
  nlohmann::ordered_json right, wrong;
  put_times(right, timing_of({2}), true);
  put_times(wrong, timing_of({2}), false);
  EXPECT_EQ(right.dump(), R"({"ms":2.0,"ms_min":2.0,"ms_max":2.0})");
  EXPECT_EQ(wrong.dump(), R"({"ms":null,"ms_min":null,"ms_max":null})");
}

TEST(Tie, NeedsRoundsToTell) {
  EXPECT_TRUE(tie(times({1, 1, 1, 1}), times({2, 2, 2, 2})));
  EXPECT_FALSE(tie(times({1, 1, 1, 1, 1}), times({2, 2, 2, 2, 2})));
  EXPECT_EQ(rounds_to_tell, 5);
}

TEST(Tie, IsWhoseMedianLiesInTheMiddleHalfOfTheFastest) {
  const timing fastest = times({8, 9, 10, 11, 12, 13, 14, 15, 16}); // half of it: 10 .. 14
  EXPECT_EQ(middle_of(fastest).to, 14);
  EXPECT_TRUE(tie(fastest, times(std::vector<double>(9, 14))));
  EXPECT_FALSE(tie(fastest, times(std::vector<double>(9, 14.1))));
  // However much the other one varies: it is 45 times as slow.
  EXPECT_FALSE(tie(fastest, times({1, 1, 1, 1, 450, 900, 900, 900, 900})));
}

TEST(Tie, WhoeverStandsBetweenTwoThatTieDoesToo) {
  const timing fastest = times({8, 9, 10, 11, 12, 13, 14, 15, 16});
  bool tied = true;
  for (double median = 12; median < 20; median += 0.25) {
    const bool ties = tie(fastest, times(std::vector<double>(9, median)));
    EXPECT_TRUE(tied || !ties) << median;
    tied = ties;
  }
  EXPECT_FALSE(tied);
}

TEST(Tie, LessThanHalfAPercentIsNothing) {
  const std::vector<double> rounds(20, 10), hardly(20, 10.04), more(20, 10.06);
  EXPECT_TRUE(tie(times(rounds), times(hardly)));
  EXPECT_FALSE(tie(times(rounds), times(more)));
}

// --- sentences ---------------------------------------------------------------------------------------------

measurement figure(const std::string& name, bool cuts, double ms, double wave = 0, bool schedule = true) {
  std::vector<double> rounds;
  for (int r = 0; r < 10; ++r) rounds.push_back(ms + (r % 2 == 0 ? wave : -wave));
  return {.what = {.name = name, .title = name, .is_schedule = schedule},
          .plan_ms = 0.5,
          .time = times(rounds),
          .launches = {{.blocks = 4, .cutting = cuts ? 4 : 0}}};
}

const std::vector<int> even_sizes = [] {
  std::vector<int> offsets;
  for (int t = 0; t <= 6400; ++t) offsets.push_back(3 * t);
  return offsets;
}();
const std::vector<int> one_long = [] {
  std::vector<int> offsets = even_sizes;
  for (std::size_t t = 3000; t < offsets.size(); ++t) offsets[t] += 1'000'000;
  return offsets;
}();

std::string sentences(const std::vector<measurement>& results, const std::vector<int>& offsets) {
  comparison c;
  c.atoms = offsets.back();
  c.threads = 2;
  c.bytes = 1'000'000;
  c.copy_gbps = 10;
  c.results = results;
  return verdict(c, count_tiles(offsets), offsets);
}

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Verdict, NamesTheFirstOfTheTableNotAStandIn) {
  const auto text = sentences(
      {figure("keeps", false, 10.12), figure("direct", true, 10.1), figure("merge", true, 10)}, even_sizes);
  expect_in(text,
            "cpu: merge is fastest, 10.00 ms (half of 10 rounds: 10.00 .. 10.00); nothing ties with it.");
  expect_in(text, "It pays to cut tiles: merge takes 10.00 ms; keeps, the best that keeps them whole, takes "
                  "1.01 times as long, though of 64 runs of as many tiles each, dealt to 2 threads, the "
                  "fullest has 1.6% of the atoms");
}

TEST(Verdict, NamesTies) {
  const auto text =
      sentences({figure("keeps", false, 10.1, 1), figure("other", true, 12), figure("merge", true, 10, -1)},
                even_sizes);
  expect_in(text, "merge is fastest, 10.00 ms (half of 10 rounds: 9.000 .. 11.00); ties with it: keeps.");
  expect_in(
      text,
      "Cutting tiles makes no difference that shows: merge takes 10.00 ms; keeps, the best that keeps them "
      "whole, ties with it (1.01 times as long), as of 64 runs");
}

TEST(Verdict, SaysWhatSizesWouldMakeOneExpect) {
  expect_in(
      sentences({figure("keeps", false, 20), figure("merge", true, 10)}, one_long),
      "It pays to cut tiles: merge takes 10.00 ms; keeps, the best that keeps them whole, takes 2.00 "
      "times as "
      "long, as of 64 runs of as many tiles each, dealt to 2 threads, the fullest has 98.1% of the atoms.");
  expect_in(sentences({figure("keeps", false, 10), figure("merge", true, 20)}, one_long),
            "It pays to keep tiles whole: keeps takes 10.00 ms; merge, the best that cuts them, takes 2.00 "
            "times as "
            "long, though of 64 runs");
  expect_in(sentences({figure("keeps", false, 10), figure("merge", true, 20)}, even_sizes),
            "long, as of 64 runs");
  expect_in(sentences({figure("keeps", false, 10), figure("merge", true, 10)}, one_long),
            "though of 64 runs");
}

TEST(Verdict, APlainLoopMayWin) {
  const std::vector<measurement> both{figure("keeps", false, 20), figure("merge", true, 15)};
  auto results = both;
  results.push_back(figure("loop", false, 10, 0, false));
  const auto text = sentences(results, even_sizes);
  expect_in(text, "cpu: loop is fastest, 10.00 ms");
  expect_in(
      text,
      " No schedule is fastest here: loop takes 10.00 ms, and the best schedule, merge, 1.50 times as long.");
  EXPECT_EQ(text.find("It pays"), std::string::npos) << text;
  results = both;
  results.push_back(figure("loop", false, 14.99, 0, false));
  expect_in(sentences(results, even_sizes), " It pays to cut tiles: merge takes 15.00 ms; keeps, the best "
                                            "that keeps them whole, takes 1.33 times as long");
  expect_in(sentences(results, even_sizes), " No schedule is faster than loop.");
}

TEST(Verdict, FewRoundsTellNothing) {
  measurement once = figure("merge", true, 10), twice = figure("keeps", false, 20);
  once.time = times({10});
  twice.time = times({20});
  EXPECT_EQ(sentences({once, twice}, even_sizes),
            "cpu: merge has the least time, 10.00 ms; 1 run cannot tell it from others.");
}

TEST(Verdict, WhatFailedIsNoCandidate) {
  measurement wrong = figure("merge", true, 1);
  wrong.error = "wrong";
  wrong.time = {};
  expect_in(sentences({wrong, figure("keeps", false, 20)}, even_sizes), "cpu: keeps is fastest");
  EXPECT_EQ(sentences({wrong}, even_sizes), "");
}

TEST(Table, FitsAPageAndSaysWhoSharesARow) {
  comparison c;
  c.bytes = 1'000'000;
  c.copy_gbps = 10;
  c.results = {figure("local_warp_search<registers>", false, 123456.7), figure("merge_path", true, 98.765)};
  c.results[1].what.also = {"direct_search", "two_phase"};
  const std::string text = table(c);
  expect_in(text, "\n  merge_path +2 ");
  EXPECT_EQ(
      notes_on_rows(c),
      (std::vector<std::string>{"  merge_path +2: direct_search, two_phase are one and the same on cpu\n"}));
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    EXPECT_LE(text.find('\n', at) - at, 80U) << text.substr(at);
}

} // namespace
} // namespace evenly::cli
