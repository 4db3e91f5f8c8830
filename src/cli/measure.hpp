// SPDX-License-Identifier: Apache-2.0
// One candidate, checked, then timed. A result that is wrong gets no time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench.hpp"
#include "cli/reference.hpp"

namespace evenly::cli {

/// Milliseconds.
struct timing {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// How often something is run to be timed.
struct repetition {
  int exactly = 0; ///< 0: until the other two are content
  int least = 5;
  int enough = 20;         ///< or half a second
  bool may_be_one = false; ///< the checked run counts, alone if it took long: for simulations
};

struct measurement {
  candidate what;
  std::optional<std::string> error = {}; ///< why there is no timing
  std::optional<double> plan_ms = {};    ///< nothing where preparing failed
  timing time = {};
  std::size_t memory = 0;                 ///< bytes of the executor's memory: plan and workspace
  std::vector<launch_note> launches = {}; ///< of the plan
};

/// Runs `each` once into a poisoned output, checks that, and times it. Failures of the library become `error`.
measurement measure(bench& on, const candidate& each, const reference& right, const repetition& times);

/// Times `run`, which is not checked.
timing time_runs(bench& on, const std::function<void()>& run, const repetition& times);

} // namespace evenly::cli
