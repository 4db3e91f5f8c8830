// SPDX-License-Identifier: Apache-2.0
// Checks candidates and times them in turns. A wrong result gets no time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/bench.hpp"
#include "measure/reference.hpp"

namespace evenly::measure {

/// Milliseconds.
struct timing {
  double median = 0;
  double min = 0;
  double max = 0;
  std::vector<double> rounds = {}; ///< medians of the rounds, in order
};

/// The median of at least one value, in any order; interpolated for an even number.
double median_of(std::vector<double> values);

/// The timing of rounds with one run each, at least one.
timing timing_of(std::vector<double> rounds);

/// Number of timed runs.
struct repetition {
  int exactly = 0; ///< number of runs; 0: until the limits below
  int min_rounds = 5;
  int max_rounds = 20;           ///< maximum number of rounds, or
  double time_budget_ms = 500;   ///< maximum time of runs in ms
  bool allow_single_run = false; ///< the checked run counts as a run, alone if it took long: for simulations
  double warmup_ms = 20;         ///< ms of runs before the first timed run
  double give_up_ratio =
      0; ///< a candidate is not repeated if its checked run took this many times the fastest; 0: repeat all
};

struct measurement {
  candidate what;
  std::optional<std::string> error = {}; ///< why there is no timing
  std::optional<double> plan_ms = {};    ///< empty if preparation failed
  double checked_ms = 0;                 ///< time of the first run, whose result was checked
  timing time = {};
  std::size_t memory = 0;                 ///< bytes of the executor's memory for plan and workspace
  std::vector<launch_note> launches = {}; ///< of the plan
  std::string chosen = {};                ///< as in prepared_run
  std::string why = {};                   ///< likewise

  /// Whether blocks can share a tile under the plan.
  bool cuts_tiles() const {
    return std::ranges::any_of(launches, [](const launch_note& each) { return each.cutting > 0; });
  }
};

/// Runs each candidate once with a poisoned output, checks it, and times correct ones in rounds: in each round all
/// candidates run once, in changing order, so that a change of the machine's speed affects all of them. All candidates
/// stay prepared until the end; if memory is too small, the previous ones are timed and released first. Failures of the
/// library become `error`.
std::vector<measurement> measure_in_turns(bench& on, std::span<const candidate> all, const reference& right,
                                          const repetition& times);

/// The same for candidates that check themselves with first_error.
std::vector<measurement> measure_in_turns(bench& on, std::span<const candidate> all, const repetition& times);

/// Measures one candidate.
measurement measure(bench& on, const candidate& each, const repetition& times);
measurement measure(bench& on, const candidate& each, const reference& right, const repetition& times);

/// Times `run` without a check.
timing time_runs(bench& on, const std::function<void()>& run, const repetition& times);

/// The interquartile range of the rounds.
struct middle_half {
  double from;
  double to;
};
middle_half middle_of(const timing& time);

/// Minimum number of rounds to distinguish two candidates.
inline constexpr int min_rounds_to_compare = 5;

} // namespace evenly::measure
