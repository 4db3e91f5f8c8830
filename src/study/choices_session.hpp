// SPDX-License-Identifier: Apache-2.0
// Training data for the choice of schedules: tile sets, features known ahead of time, and the time of every schedule.
// The caller chooses the operations: bench_choices measures wide products, `evenly study choices` the others.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/input.hpp"
#include "measure/measure.hpp"
#include "study/study.hpp"

namespace evenly::study {

using measure::measure, measure::measurement, measure::repetition;

/// Repetitions: enough to find the fast schedules; slow ones run once.
inline constexpr repetition times_of_choices{
    .min_rounds = 5, .max_rounds = 9, .time_budget_ms = 12, .warmup_ms = 2, .give_up_ratio = 60};

/// An operation on an executor, under every schedule.
struct choice_operation {
  std::string name;
  int threads = 0; ///< number of CPU threads; 0 on a GPU
  /// Checks and times the schedules of these names; returns an empty list if the operation does not support the tile
  /// set.
  std::function<std::vector<measurement>(const csr_matrix<double>&,
                                         const std::function<bool(const std::string&)>& wants)>
      measure;
};

/// Measures the operations on `options.inputs`, or on the corpus if it is empty. With `options.resume`, adds them to
/// the results in the file `options.json`. For runs on a GPU, inputs are loaded during other measurements, and
/// schedules are skipped whose threads would need more than 2^17 steps for the longest tile. Returns whether all
/// results are correct. Throws usage_error, inputs_failed, file_error, device_error.
bool measure_choices(const study_options& options, executor_kind kind,
                     const std::vector<choice_operation>& operations);

} // namespace evenly::study
