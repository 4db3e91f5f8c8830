// SPDX-License-Identifier: Apache-2.0
// evenly study mapping: section 5 of Busato & Bombieri, "A dynamic approach for workload partitioning on GPU
// architectures" (TPDS 2017), carried out again on our schedules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evenly/io/read_options.hpp"
#include "measure/bench.hpp"

namespace evenly::study {

using measure::bench_options, measure::executor_kind;

struct study_options {
  std::vector<std::string> inputs; ///< files or generators in place of the paper's seven workloads
  io::read_options reading;
  std::optional<executor_kind> executor; ///< none: cuda, or cpu where there is none
  bool quick = false;                    ///< small likenesses of the workloads, few runs
  std::string report;                    ///< an HTML file's path, `-` for standard output, empty for none
  std::string json;                      ///< likewise
  std::vector<std::string> from;         ///< results of earlier studies: nothing is measured
  bool resume = false; ///< goes on where the study in the file `json` stopped; not of study_mapping
  bench_options bench;
};

/// Prints tables and where the ranking agrees with the paper's; writes files, if they are asked for, of what
/// was measured, whatever ends the study. Returns whether all results were right. Throws usage_error,
/// inputs_failed, file_error, device_error.
bool study_mapping(const study_options& options);

} // namespace evenly::study
