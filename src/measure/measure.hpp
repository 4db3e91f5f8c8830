// SPDX-License-Identifier: Apache-2.0
// Candidates, checked, then timed in turns. A result that is wrong gets no time.
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
  std::vector<double> rounds = {}; ///< the median of each round, in the order of rounds
};

/// Of values in any order, of which there is one at least; between the two in the middle, if these are two.
double median_of(std::vector<double> values);

/// Of rounds of one run each, of which there is one at least.
timing timing_of(std::vector<double> rounds);

/// How often something is run to be timed.
struct repetition {
  int exactly = 0; ///< 0: until the others are content
  int min_rounds = 5;
  int max_rounds = 20;           ///< rounds, or
  double time_budget_ms = 500;   ///< ms of runs
  bool allow_single_run = false; ///< the checked run counts, alone if it took long: for simulations
  double warmup_ms = 20;         ///< ms of runs before the first timed run
  double give_up_ratio =
      0; ///< a candidate whose checked run took so many times as long as the fastest is not repeated; 0: all are
};

struct measurement {
  candidate what;
  std::optional<std::string> error = {}; ///< why there is no timing
  std::optional<double> plan_ms = {};    ///< nothing where preparing failed
  double checked_ms = 0;                 ///< of the first run, whose result was looked at
  timing time = {};
  std::size_t memory = 0;                 ///< bytes of the executor's memory: plan and workspace
  std::vector<launch_note> launches = {}; ///< of the plan
  std::string chosen = {};                ///< as in prepared_run
  std::string why = {};                   ///< likewise

  /// Whether the plan lets blocks share a tile.
  bool cuts_tiles() const {
    return std::ranges::any_of(launches, [](const launch_note& each) { return each.cutting > 0; });
  }
};

/// Runs each once into a poisoned output, checks that, and times those that are right: in each round all take their
/// turn, in changing order, so that a machine that becomes slower or faster does so for all. All stay prepared
/// until the end; where memory is too small for that, until it is: then those before have their turns first.
/// Failures of the library become `error`.
std::vector<measurement> measure_in_turns(bench& on, std::span<const candidate> all, const reference& right,
                                          const repetition& times);

/// The same for candidates that all check themselves, in their first_error.
std::vector<measurement> measure_in_turns(bench& on, std::span<const candidate> all, const repetition& times);

/// One alone.
measurement measure(bench& on, const candidate& each, const repetition& times);
measurement measure(bench& on, const candidate& each, const reference& right, const repetition& times);

/// Times `run`, which is not checked.
timing time_runs(bench& on, const std::function<void()>& run, const repetition& times);

/// The middle half of the rounds lies between the two.
struct middle_half {
  double from;
  double to;
};
middle_half middle_of(const timing& time);

/// Fewer rounds than these never tell two apart.
inline constexpr int min_rounds_to_compare = 5;

} // namespace evenly::measure
