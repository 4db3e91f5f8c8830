// SPDX-License-Identifier: Apache-2.0
// What a choice of schedules can be learned from: tile sets, what is known of each beforehand, and how long every
// schedule takes. What is done on them is for the caller to say: `evenly study choices` has products and expansions,
// bench_choices what is left.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/input.hpp"
#include "measure/measure.hpp"
#include "study/study.hpp"

namespace evenly::study {

using measure::measure, measure::measurement, measure::repetition;

/// How schedules are timed: often enough to tell which is fast, and those that are hopeless once.
inline constexpr repetition times_of_choices{
    .min_rounds = 5, .max_rounds = 9, .time_budget_ms = 12, .warmup_ms = 2, .give_up_ratio = 60};

/// An operation on an executor, under every schedule.
struct choice_operation {
  std::string name;
  int threads = 0; ///< of the processor; 0 on a GPU
  /// Checks and times those schedules that are wanted, by name; none where the operation is not for such a tile set.
  std::function<std::vector<measurement>(const csr_matrix<double>&,
                                         const std::function<bool(const std::string&)>& wants)>
      measure;
};

/// Measures the operations on `options.inputs`, or the corpus where there are none, and adds them to the results in the
/// file `options.json` where `options.resume` says so. Inputs are loaded while others are measured, if these run on a
/// GPU. What would take its threads more than 2^17 rounds there, for the longest tile, is not run. Returns whether all
/// results were right. Throws usage_error, inputs_failed, file_error, device_error.
bool measure_choices(const study_options& options, executor_kind kind,
                     const std::vector<choice_operation>& operations);

} // namespace evenly::study
