// SPDX-License-Identifier: Apache-2.0
// Only differences beyond the noise are reported, so that runs do not contradict each other: on machines made up.
#include "json/value.hpp"
#include "measure/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "measure/comparison.hpp"
#include "measure/statistics.hpp"
#include "support/messages.hpp"

namespace evenly::cli {

using measure::bench, measure::candidate, measure::compare_candidates, measure::comparison,
    measure::count_tiles, measure::cutting, measure::differ, measure::json_of_verdict, measure::judge,
    measure::judgement, measure::measurement, measure::noise, measure::noise_of, measure::prepared_run,
    measure::min_rounds_to_compare, measure::same_code_noise, measure::timer, measure::timing,
    measure::timing_of, measure::unchecked_output, measure::verdict;

namespace {

// --- a machine that is noisy, and always the same for a seed

struct disturbance {
  double placement = 0; ///< deviation of all runs of one preparation
  double run = 0;       ///< deviation of each run
  double load = 0;      ///< the part of the time in which another program takes most of a core
};

/// Nothing runs: a run says how long it takes on a machine without noise.
class noisy_timer : public timer {
 public:
  noisy_timer(std::uint64_t seed, const disturbance& how) : random_(seed), how_(how) {}

  std::string place() const override { return "nowhere"; }
  int threads() const override { return 2; }
  std::function<void()> copy(std::int64_t) override {
    return [this] { takes(20, true); };
  }
  std::function<void()> fill(std::int64_t) override { return copy(0); }
  std::function<void()> compute(double ms) override {
    return [this, ms] { takes(ms, true); };
  }
  double time_once(const std::function<void()>& run) override {
    run();
    if (uniform_(random_) < 0.2) loaded_ = uniform_(random_) < how_.load;
    return ms_ * std::exp(how_.run * normal_(random_)) * (loaded_ && parallel_ ? 1.7 : 1);
  }

  /// What is being timed: `parallel` work shares the cores with the other program.
  void takes(double ms, bool parallel) {
    ms_ = ms;
    parallel_ = parallel;
  }
  double placement() { return std::exp(how_.placement * normal_(random_)); }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  disturbance how_;
  double ms_ = 1;
  bool parallel_ = true;
  bool loaded_ = false;
};

struct row {
  std::string name;
  double ms;
  bool cuts = false;
  bool is_schedule = true;
  std::string same_as = {};
};

candidate candidate_of(noisy_timer& on, const row& each) {
  candidate made{.name = each.name, .title = each.name, .is_schedule = each.is_schedule};
  made.same_as = each.same_as;
  made.first_error = []() -> std::optional<std::string> { return {}; };
  made.prepare = [&on, each]() -> prepared_run {
    const double ms = each.ms * on.placement();
    return {.run = [&on, ms, each] { on.takes(ms, each.is_schedule); },
            .launches = {{.blocks = 4, .cutting = each.cuts ? 4 : 0}}};
  };
  return made;
}

comparison compared(std::uint64_t seed, const disturbance& how, const std::vector<row>& rows) {
  auto time = std::make_unique<noisy_timer>(seed, how);
  noisy_timer& on = *time;
  bench made{std::move(time), std::make_shared<unchecked_output>(), {}};
  std::vector<candidate> all;
  for (const row& each : rows) all.push_back(candidate_of(on, each));
  comparison c;
  c.atoms = 1;
  c.threads = 2;
  c.bytes = 1'000'000;
  compare_candidates(c, made, all, nullptr, {});
  return c;
}

const std::vector<disturbance> machines{{0, 0.02, 0},   {0, 0.15, 0},      {0.05, 0.05, 0},
                                        {0.15, 0.1, 0}, {0.02, 0.03, 0.5}, {0.05, 0.05, 1}};

bool meet(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& name) { return std::ranges::count(b, name) > 0; });
}

/// No two of many runs contradict each other.
void expect_agreement(const disturbance& how, const std::vector<row>& rows) {
  std::vector<judgement> all;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) all.push_back(judge(compared(seed, how, rows)));
  for (const judgement& a : all)
    for (const judgement& b : all) {
      EXPECT_FALSE(a.cut == cutting::faster && b.cut == cutting::slower);
      EXPECT_TRUE(meet(a.names, b.names)) << a.names.front() << ' ' << b.names.front();
    }
}

TEST(Verdict, OfTwoRunsDoesNotContradict) {
  const std::vector<row> equal{
      {"whole", 30}, {"cut", 30, true}, {"other", 31, true}, {"loop", 30, false, false}};
  const std::vector<row> near{{"whole", 33}, {"cut", 30, true}, {"loop", 36, false, false}};
  std::vector<row> folded{{"whole", 30}, {"cut", 31, true}, {"loop", 33, false, false}};
  for (const char* same : {"whole2", "whole3", "whole4"}) folded.push_back({same, 30, false, true, "whole"});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    SCOPED_TRACE(i);
    for (const std::vector<row>& rows : {equal, near, folded}) expect_agreement(machines[i], rows);
  }
}

TEST(Verdict, ReportsWhatIsLarge) {
  const std::vector<row> rows{{"whole", 150}, {"cut", 30, true}, {"loop", 160, false, false}};
  for (const disturbance& how : {machines[0], machines[1], machines[2]})
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      const judgement found = judge(compared(seed, how, rows));
      EXPECT_EQ(found.cut, cutting::faster) << found.within.level();
      EXPECT_EQ(found.names, std::vector<std::string>{"cut"}) << found.within.level();
    }
}

TEST(Verdict, KnowsOtherProgramsByTheirDelay) {
  const std::vector<row> rows{{"whole", 30}, {"cut", 30, true}};
  const comparison quiet = compared(1, {}, rows);
  EXPECT_EQ(noise_of(quiet).level(), 0.01);
  EXPECT_EQ(quiet.repeats.size(), 6U);
  EXPECT_EQ(quiet.results.size(), 2U);
  EXPECT_NEAR(noise_of(compared(1, {0, 0, 1}, rows)).other_programs, 0.7, 0.2);
}

TEST(Verdict, HasNoRepeatsWhereFewRoundsAreAskedFor) {
  auto time = std::make_unique<noisy_timer>(1, disturbance{});
  noisy_timer& on = *time;
  bench made{std::move(time), std::make_shared<unchecked_output>(), {}};
  comparison c;
  compare_candidates(c, made, {candidate_of(on, {"whole", 30})}, nullptr, {.exactly = 1});
  EXPECT_TRUE(c.repeats.empty());
  EXPECT_FALSE(c.copy_after || c.delay);
  EXPECT_TRUE(judge(c).names.empty());
}

// --- the noise

timing constant_times(double ms, std::size_t rounds = 10) {
  return timing_of(std::vector<double>(rounds, ms));
}

TEST(Noise, OfRowsOfTheSameCode) {
  const auto of = [](const std::vector<std::vector<double>>& groups) { return same_code_noise(groups); };
  EXPECT_EQ(of({}), 0);
  EXPECT_EQ(of({{1}, {5}}), 0); // different code
  EXPECT_EQ(of({{1, 1, 1}, {5, 5}}), 0);
  EXPECT_GT(of({{1, 1.1, 0.9, 1.05, 0.95}}), 0.2);
  EXPECT_LT(of({{1, 1.1, 0.9, 1.05, 0.95}}), 1);
  EXPECT_NEAR(of({{1, 1.1, 0.9, 1.05, 0.95}}), of({{7, 7.7, 6.3, 7.35, 6.65}, {3}}), 1e-12);
  // The more rows, the surer.
  EXPECT_LT(of({{1, 1.1, 1, 1.1, 1, 1.1, 1, 1.1, 1, 1.1}}), of({{1, 1.1, 1, 1.1}}));
}

TEST(Noise, IsTheLargestOfItsSources) {
  EXPECT_EQ(noise{}.level(), 0.01);
  EXPECT_EQ((noise{.same_code = 0.2, .copy = 0.1, .other_programs = 0.05}.level()), 0.2);
  EXPECT_EQ((noise{.same_code = 0.02, .copy = 0.3, .other_programs = 0.05}.level()), 0.3);
  EXPECT_EQ((noise{.same_code = 0.02, .copy = 0.1, .other_programs = 0.4}.level()), 0.4);
}

TEST(Noise, HidesWhatIsSmaller) {
  EXPECT_TRUE(differ(constant_times(10), constant_times(13), 0.25));
  EXPECT_FALSE(differ(constant_times(10), constant_times(13), 0.35));
  EXPECT_FALSE(differ(constant_times(13), constant_times(10), 0));
  EXPECT_FALSE(differ(constant_times(10, 4), constant_times(20), 0)); // too few rounds
  EXPECT_FALSE(differ(constant_times(10), constant_times(20, 4), 0));
  EXPECT_EQ(min_rounds_to_compare, 5);
  // Middle halves that overlap: the one is now faster, now slower.
  EXPECT_FALSE(
      differ(timing_of({8, 9, 10, 11, 12, 13, 14, 15, 16}), timing_of({1, 1, 1, 1, 45, 90, 90, 90, 90}), 0));
}

TEST(Noise, KnowsTheCodeOfARow) {
  comparison c;
  const auto add = [&](const std::string& name, double ms, const std::string& same_as,
                       const std::string& chosen) {
    measurement m{.what = {.name = name, .title = name, .is_schedule = true},
                  .time = constant_times(ms),
                  .chosen = chosen};
    m.what.same_as = same_as;
    c.results.push_back(m);
  };
  add("merge_path", 10, "", "");
  EXPECT_EQ(noise_of(c).same_code, 0);
  add("binned", 20, "", "");
  EXPECT_EQ(noise_of(c).same_code, 0);
  add("direct_search", 10, "merge_path", "");
  EXPECT_EQ(noise_of(c).same_code, 0);
  add("automatic", 12, "", "direct_search"); // which is a row of merge_path's
  EXPECT_GT(noise_of(c).same_code, 0.5);
  c.results.pop_back();
  c.repeats.push_back(c.results[1]);
  EXPECT_EQ(noise_of(c).same_code, 0);
  c.repeats[0].time = constant_times(21);
  EXPECT_GT(noise_of(c).same_code, 0.04);
  c.repeats.clear();
  c.copy_before = constant_times(10);
  c.copy_after = constant_times(8);
  EXPECT_NEAR(noise_of(c).copy, 0.25, 1e-12);
}

// --- sentences

measurement result_of(const std::string& name, bool cuts, double ms, double wave = 0, bool schedule = true) {
  std::vector<double> rounds;
  for (int r = 0; r < 10; ++r) rounds.push_back(ms + (r % 2 == 0 ? wave : -wave));
  return {.what = {.name = name, .title = name, .is_schedule = schedule},
          .plan_ms = 0.5,
          .time = timing_of(rounds),
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

std::string sentences(const std::vector<measurement>& results, const std::vector<int>& offsets,
                      std::optional<double> delay = {}) {
  comparison c;
  c.atoms = offsets.back();
  c.threads = 2;
  c.bytes = 1'000'000;
  c.copy_gbps = 10;
  c.results = results;
  c.delay = delay;
  return verdict(c, count_tiles(offsets), offsets);
}

void expect_not_in(const std::string& text, const std::string& part) {
  EXPECT_EQ(text.find(part), std::string::npos) << text;
}

TEST(Sentences, NameTheFirstOfTheTable) {
  const auto text = sentences(
      {result_of("keeps", false, 10.2), result_of("direct", true, 10.19), result_of("merge", true, 10)},
      even_sizes);
  expect_in(
      text,
      "cpu: merge is fastest, 10.00 ms (half of 10 rounds: 10.00 .. 10.00); all other rows are slower by "
      "more than the noise. Differences below 1.0% are within the noise.");
  expect_in(text, "Cutting tiles pays off: merge takes 10.00 ms; keeps, the fastest schedule that keeps them "
                  "whole, takes 1.02 times as long, though the largest of 64 ranges of equal tile count, "
                  "distributed to 2 threads, has 1.6% of the atoms");
}

TEST(Sentences, NameWhatIsWithinTheNoise) {
  const auto text = sentences(
      {result_of("keeps", false, 10.1, 1), result_of("other", true, 12), result_of("merge", true, 10, -1)},
      even_sizes);
  expect_in(text, "merge is fastest, 10.00 ms (half of 10 rounds: 9.000 .. 11.00); equally fast within the "
                  "noise: keeps.");
  expect_in(text,
            "Cutting tiles makes no difference beyond the noise: merge takes 10.00 ms; keeps, the fastest "
            "schedule that keeps them whole, takes 1.01 times as long, as the largest of 64 ranges");
}

TEST(Sentences, OfANoisyMachineSayWhatIsNotReported) {
  const std::vector<measurement> near{result_of("keeps", false, 11.5), result_of("merge", true, 10)};
  expect_in(sentences(near, one_long, 1.02), "Cutting tiles pays off");
  const auto text = sentences(near, one_long, 1.2);
  expect_in(text,
            "merge is fastest, 10.00 ms (half of 10 rounds: 10.00 .. 10.00); equally fast within the noise: "
            "keeps. This machine is noisy (±20%): no difference below that is reported. Whether "
            "cutting tiles pays off is within the noise.");
  expect_in(sentences({result_of("keeps", false, 20), result_of("merge", true, 10)}, one_long, 1.2),
            "Cutting tiles pays off");
}

TEST(Sentences, SayWhatSizesWouldMakeOneExpect) {
  expect_in(sentences({result_of("keeps", false, 20), result_of("merge", true, 10)}, one_long),
            "takes 2.00 times as long, as the largest of 64 ranges of equal tile count, distributed to 2 "
            "threads, has 98.1% of the atoms.");
  expect_in(sentences({result_of("keeps", false, 10), result_of("merge", true, 20)}, one_long),
            "Keeping tiles whole pays off: keeps takes 10.00 ms; merge, the fastest schedule that cuts them, "
            "takes 2.00 times as long, though the largest of 64 ranges");
  expect_in(sentences({result_of("keeps", false, 10), result_of("merge", true, 20)}, even_sizes),
            "long, as the largest of 64 ranges");
  expect_in(sentences({result_of("keeps", false, 10), result_of("merge", true, 10)}, one_long),
            "though the largest of 64 ranges");
}

TEST(Sentences, CountAutomaticAsASchedule) {
  std::vector<measurement> results{result_of("keeps", false, 20), result_of("merge", true, 15),
                                   result_of("automatic", true, 10)};
  results[2].chosen = "binned";
  const auto text = sentences(results, one_long);
  expect_in(text, "automatic (binned) is fastest");
  expect_in(text, "Cutting tiles pays off: automatic (binned) takes 10.00 ms; keeps, ");
  expect_not_in(text, "No schedule is fastest");
}

TEST(Sentences, SayWhetherAPlainLoopWins) {
  std::vector<measurement> results{result_of("keeps", false, 20), result_of("merge", true, 15),
                                   result_of("loop", false, 10, 0, false)};
  const auto text = sentences(results, even_sizes);
  expect_in(text, "cpu: loop is fastest, 10.00 ms");
  expect_in(text, " No schedule is fastest here: loop takes 10.00 ms, and the fastest schedule, merge, takes "
                  "1.50 times as long.");
  results.back() = result_of("loop", false, 14.99, 0, false);
  expect_in(sentences(results, even_sizes), " loop is as fast, within the noise.");
  expect_not_in(sentences({results[0], results[1]}, even_sizes), "loop");
}

TEST(Sentences, OfFewRoundsTellNothing) {
  measurement once = result_of("merge", true, 10), twice = result_of("keeps", false, 20);
  once.time = timing_of({10});
  twice.time = timing_of({20});
  EXPECT_EQ(sentences({once, twice}, even_sizes),
            "cpu: merge was fastest, 10.00 ms; 1 run is too few to tell it from the others.");
}

TEST(Sentences, LeaveOutWhatFailed) {
  measurement wrong = result_of("merge", true, 1);
  wrong.error = "wrong";
  wrong.time = {};
  expect_in(sentences({wrong, result_of("keeps", false, 20)}, even_sizes), "cpu: keeps is fastest");
  EXPECT_EQ(sentences({wrong}, even_sizes), "");
}

TEST(Sentences, HaveTheSameInJson) {
  comparison c;
  c.workload = "w";
  c.op = "spmv";
  c.atoms = 1;
  c.results = {result_of("keeps", false, 20), result_of("merge", true, 10)};
  c.results[1].what.also = {"direct_search"};
  c.delay = 1.25;
  const auto json = json_of_verdict(c);
  EXPECT_EQ(json["fastest"], json::value({"merge", "direct_search"}));
  EXPECT_EQ(json["cutting"], "faster");
  EXPECT_EQ(json["noise"], 0.25);
  EXPECT_EQ(json["noise_of_other_programs"], 0.25);
}

} // namespace
} // namespace evenly::cli
