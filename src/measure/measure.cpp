// SPDX-License-Identifier: Apache-2.0
#include "measure/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "evenly/core/errors.hpp"
#include "host/progress.hpp"

namespace evenly::measure {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// The quantile `fraction` of sorted values, interpolated.
double quantile_of(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

/// Calls body() and returns the message of the library if it fails.
template <class Body> std::optional<std::string> failure_of(const Body& body) {
  try {
    body();
  } catch (const error& e) {
    return e.what();
  } catch (const std::bad_alloc&) {
    return "out of memory";
  }
  return {};
}

/// Progress of checking and timing candidates, updated between runs only.
class steps {
 public:
  explicit steps(std::size_t candidates) : shown_("measuring", 2 * static_cast<std::int64_t>(candidates)) {}

  void begin(const char* what, const std::string& name) { shown_.at(done_, what + name); }
  void end(std::size_t count = 1) { done_ += static_cast<std::int64_t>(count); }

 private:
  host::progress shown_;
  std::int64_t done_ = 0;
};

/// Maximum number of runs counted as a millisecond. Timing a shorter run takes longer than the run.
constexpr std::size_t max_runs_in_ms = 1000;

/// A candidate in the rounds.
struct runner {
  const prepared_run* made;
  const std::function<void()>* afterwards;
  std::string name = {};
  std::vector<double> times = {};  ///< of all runs
  std::vector<double> rounds = {}; ///< median of each round
  double total = 0;
  std::optional<std::string> error = {}; ///< of the last turn

  bool has_enough(const repetition& times_wanted) const {
    if (error) return true;
    const auto done = static_cast<int>(rounds.size());
    if (times_wanted.exactly > 0) return done >= times_wanted.exactly;
    return done >= times_wanted.min_rounds &&
           (done >= times_wanted.max_rounds || total >= times_wanted.time_budget_ms);
  }

  /// Times as many runs as fill a millisecond, because a single run of a few microseconds is too noisy.
  void take_turn(bench& on, bool once) {
    std::vector<double> turn;
    for (double ms = 0; turn.empty() || (!once && ms < 1 && turn.size() < max_runs_in_ms); ms += turn.back())
      turn.push_back(time_once(on, *made));
    if (*afterwards) (*afterwards)();
    times.insert(times.end(), turn.begin(), turn.end());
    total += std::accumulate(turn.begin(), turn.end(), 0.0);
    rounds.push_back(median_of(std::move(turn)));
  }

  timing summary() const {
    const auto [min, max] = std::ranges::minmax(times);
    return {median_of(rounds), min, max, rounds};
  }
};

/// Runs for `warmup_ms` or `max_runs` runs, so that caches, frequencies and threads of other runtimes settle.
void warm_up(bench& on, const runner& each, double warmup_ms, double max_runs) {
  double ms = 0;
  for (double runs = 0; ms < warmup_ms && runs < max_runs; ++runs) ms += time_once(on, *each.made);
  if (*each.afterwards) (*each.afterwards)();
}

/// The candidate of turn `turn` in a round of `size`. Every second round runs backwards, so that within two rounds each
/// candidate has been before every other one once; then the first candidate changes.
std::size_t whose_turn(std::size_t round, std::size_t turn, std::size_t size) {
  return (round / 2 + (round % 2 == 0 ? turn : size - 1 - turn)) % size;
}

/// Runs rounds until all candidates have enough. `progress` may be null.
void take_turns(bench& on, std::span<runner> all, const repetition& times, steps* progress = nullptr) {
  if (!times.allow_single_run)
    for (runner& each : all)
      each.error = failure_of([&] {
        warm_up(on, each, times.warmup_ms,
                times.exactly > 0 ? times.exactly : times.warmup_ms * static_cast<double>(max_runs_in_ms));
      });
  const bool once = times.exactly > 0 || times.allow_single_run;
  bool more = true;
  for (std::size_t round = 0; more; ++round) {
    more = false;
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      runner& each = all[whose_turn(round, turn, all.size())];
      if (each.has_enough(times)) continue;
      if (progress) progress->begin("timing ", each.name);
      each.error = failure_of([&] { each.take_turn(on, once); });
      if (progress && each.has_enough(times)) progress->end();
      more = true;
    }
  }
}

/// Checks the output of the bench. A correct output is kept, and outputs with the same bits are not copied to the host
/// again.
std::optional<std::string> first_error(bench& on, const reference* right) {
  if (on.out->as_accepted()) return {};
  auto found = right->first_error(on.out->result());
  if (!found) on.out->accept();
  return found;
}

/// Prepares a candidate, runs it once and checks it. A correct run that took long enough is its timing.
prepared_run prepare_and_check(bench& on, const reference* right, const repetition& times, measurement& m) {
  const std::size_t memory_before = on.out->memory_in_use();
  const auto start = std::chrono::steady_clock::now();
  prepared_run made = m.what.prepare();
  m.plan_ms = milliseconds_since(start);
  on.out->poison();
  if (on.out->as_accepted()) throw device_error("the check accepts an overwritten output");
  const double first = time_once(on, made);
  if (made.store) made.store();
  m.memory = on.out->memory_in_use() - memory_before;
  m.launches = made.launches;
  m.chosen = made.chosen;
  m.why = made.why;
  m.error = m.what.first_error ? m.what.first_error()
            : on.first_error   ? on.first_error()
                               : first_error(on, right);
  constexpr double too_long_to_repeat = 300;
  if (!m.error && times.allow_single_run && times.exactly == 0 && first > too_long_to_repeat)
    m.time = timing_of({first});
  m.checked_ms = first;
  return made;
}

/// Uses the checked run as the timing of candidates that are too slow to repeat.
void settle_outclassed(std::span<measurement> all, double times_the_fastest) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const measurement& each : all)
    if (!each.error) fastest = std::min(fastest, each.checked_ms);
  for (measurement& each : all) {
    const double only = each.checked_ms;
    if (!each.error && only > times_the_fastest * fastest) each.time = timing_of({only});
  }
}

/// Times the prepared and correct candidates that have no timing yet.
void time_all(bench& on, std::span<measurement> all, std::span<const prepared_run> made,
              const repetition& times, steps& progress) {
  if (times.give_up_ratio > 0) settle_outclassed(all, times.give_up_ratio);
  std::vector<runner> runners;
  std::vector<measurement*> whose;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!all[i].error && all[i].time.rounds.empty()) {
      runners.push_back({&made[i], &all[i].what.afterwards, all[i].what.name});
      whose.push_back(&all[i]);
    }
  progress.end(all.size() - runners.size());
  take_turns(on, runners, times, &progress);
  for (std::size_t i = 0; i < runners.size(); ++i)
    if (runners[i].error)
      whose[i]->error = runners[i].error;
    else
      whose[i]->time = runners[i].summary();
}

/// `right` may be null if all candidates check themselves.
std::vector<measurement> measure_all(bench& on, std::span<const candidate> all, const reference* right,
                                     const repetition& times) {
  std::vector<measurement> measured;
  std::vector<prepared_run> made(all.size());
  for (const candidate& each : all) measured.push_back({.what = each});
  steps progress(all.size());
  std::size_t first = 0; // the first prepared candidate that waits for its turns
  const auto time_those_before = [&](std::size_t end) {
    time_all(on, std::span(measured).subspan(first, end - first), std::span(made).subspan(first, end - first),
             times, progress);
    for (; first < end; ++first) made[first] = {};
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    progress.begin("checking ", measured[i].what.name);
    const auto prepare = [&] { made[i] = prepare_and_check(on, right, times, measured[i]); };
    auto failed = failure_of(prepare);
    if (failed && i > first) { // the memory of the other candidates may be missing
      time_those_before(i);
      failed = failure_of(prepare);
    }
    if (failed) measured[i].error = failed;
    progress.end();
  }
  time_those_before(all.size());
  for (measurement& each :
       measured) { // only results remain: the data of the problem is released with the bench
    each.what.prepare = {};
    each.what.first_error = {};
  }
  return measured;
}

} // namespace

candidate plain_candidate(const std::string& name, std::function<void()> run, std::function<bool()> right) {
  candidate made{.name = name, .title = name};
  made.prepare = [run = std::move(run)]() -> prepared_run { return {run}; };
  made.first_error = [right = std::move(right)]() -> std::optional<std::string> {
    if (right()) return {};
    return "the result is wrong";
  };
  return made;
}

double time_once(bench& on, const prepared_run& each) {
  if (each.before) each.before();
  return on.time->time_once(each.run);
}

double median_of(std::vector<double> times) {
  std::ranges::sort(times);
  return quantile_of(times, 0.5);
}

timing timing_of(std::vector<double> rounds) {
  const auto [min, max] = std::ranges::minmax(rounds);
  const double median = median_of(rounds);
  return {median, min, max, std::move(rounds)};
}

std::vector<measurement> measure_in_turns(bench& on, std::span<const candidate> all, const reference& right,
                                          const repetition& times) {
  return measure_all(on, all, &right, times);
}

std::vector<measurement> measure_in_turns(bench& on, std::span<const candidate> all,
                                          const repetition& times) {
  return measure_all(on, all, nullptr, times);
}

measurement measure(bench& on, const candidate& each, const repetition& times) {
  return std::move(measure_in_turns(on, {&each, 1}, times).front());
}

measurement measure(bench& on, const candidate& each, const reference& right, const repetition& times) {
  return std::move(measure_in_turns(on, {&each, 1}, right, times).front());
}

timing time_runs(bench& on, const std::function<void()>& run, const repetition& times) {
  const prepared_run made{run};
  const std::function<void()> nothing;
  runner alone{&made, &nothing};
  take_turns(on, {&alone, 1}, times);
  if (alone.error) throw device_error(*alone.error);
  return alone.summary();
}

middle_half middle_of(const timing& time) {
  std::vector<double> sorted = time.rounds;
  std::ranges::sort(sorted);
  return {quantile_of(sorted, 0.25), quantile_of(sorted, 0.75)};
}

} // namespace evenly::measure
